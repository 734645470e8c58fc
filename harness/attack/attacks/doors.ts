/** Attacks on what is shared: webhooks, allowances, streams, exports, queries. */
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { jsonRequest } from "../../json-request.ts";
import { between, pick } from "../../random.ts";
import { type Attack, attacksOf, count } from "../attack.ts";
import { HOSTILE_TRICKS } from "../receivers.ts";
import { ownToken } from "./data.ts";
import { flood } from "./floods.ts";

const STREAM_MS = 4_000;

const SLOW_SQL = `select count(*) as n from ${Array.from({ length: 7 }, (_, n) => `agent a${n}`).join(" cross join ")}`;
const SLOW_GRAPHQL = "{ agents(limit: 1000) { items { name traits(limit: 1000) { items { name } } } } }";

/** Bytes of a body just below what is read of one. */
const BODY_BYTES = 240_000;
/** What was quadratic once: combining marks to be sorted, a symbol that becomes eighteen, letters that are all different in a host. */
const DEAR_PIECES = [
  "\u0301\u0316",
  "\u0591\u05b0",
  "\ufdfa",
  Array.from({ length: 500 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(""),
];
/** Milliseconds that /health may take meanwhile; one such body held the process for seconds. */
const HEALTH_MS = 2_000;

/** An address that is no proxy's: what comes from there is a client itself. */
const DIRECT_ADDRESS = "127.0.0.3";
const IDLE_MS = 6_000;

export const DOORS: readonly Attack[] = [
  ...attacksOf(11, "both", {
    async "webhooks of fresh wallets without an agent"({ world, random, tell, client }) {
      const one = client();
      const replies = await flood(between(random, 10, 30), 5, async (n) => {
        const wallet = await world.wallet(world.fresh("webhook wallet"));
        return one.post("/api/v2/webhooks", {
          wallet,
          body: {
            url: world.receivers.hostileUrl(pick(random, HOSTILE_TRICKS), `fresh ${n}`),
            events: ["agent.registered", "cred.changed"],
          },
        });
      });
      const made = replies.filter(({ status }) => status === 201).length;
      if (made > 0) tell.succeeded(`${made} webhooks of wallets without an agent`);
      tell.refused(replies.length - made);
    },
    async "as many webhooks as an agent may have, whose receivers hang, drip, fail, redirect or answer without an end"(
      scene,
    ) {
      const { world, random, tell, client } = scene;
      const token = await ownToken(scene);
      const one = client();
      const trick = pick(random, HOSTILE_TRICKS);
      const replies = await flood(24, 4, (n) =>
        one.post("/api/v2/webhooks", {
          wallet: token.owner,
          body: {
            url: world.receivers.hostileUrl(trick, `${token.tokenId} ${n}`),
            events: ["agent.registered", "agent.updated", "agent.transferred", "agent.verified", "cred.changed"],
          },
        }),
      );
      count(tell, replies);
    },
  }),
  ...attacksOf(12, "both", {
    async "a dozen agents' proofs that fail, again and again"(scene) {
      const { random, tell } = scene;
      const agents = await Promise.all(Array.from({ length: 4 }, () => ownToken(scene)));
      const asks = [
        ["verify/x", () => ({ handle: `no_${Math.floor(random() * 1e9)}` })],
        ["verify/github", () => ({ username: `no-${Math.floor(random() * 1e9)}` })],
        ["verify/farcaster", () => ({ username: `no-${Math.floor(random() * 1e9)}` })],
      ] as const;
      const replies = await flood(between(random, 30, 60), 6, (n) => {
        const { owner, tokenId } = agents[n % agents.length]!;
        const [path, body] = asks[n % asks.length]!;
        return scene.client().post(`/api/v2/agent/${tokenId}/${path}`, { wallet: owner, body: body() });
      });
      count(tell, replies);
    },
  }),
  ...attacksOf(18, "both", {
    async "anonymous bodies of hundreds of kB whose texts cost more than their length"(scene) {
      const { honest, random, tell, client } = scene;
      const one = client();
      const text = (piece: string) => piece.repeat(BODY_BYTES / Buffer.byteLength(piece));
      const bodies: ((text: string) => [path: string, body: unknown])[] = [
        (name) => ["/api/v2/register/solana", { address: "x", nonce: "x", signature: "x", name, framework: "custom" }],
        (name) => [`/api/v2/agent/${honest.agents[0]!.tokenId}/human-update`, { name }],
        (symbol) => [
          `/api/terminal/agent/${honest.agents[0]!.wallet.address}/token`,
          { token_address: `0x${"3".repeat(40)}`, token_symbol: symbol },
        ],
        (payload) => ["/api/v2/cred-report/verify-receipt", { payload, signature: `0x${"00".repeat(65)}` }],
        (q) => [
          "/mcp",
          { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_agents", arguments: { q } } },
        ],
      ];
      let slowest = 0;
      const replies = await flood(between(random, 20, 40), 8, async (n) => {
        const [path, body] = bodies[n % bodies.length]!(text(pick(random, DEAR_PIECES)));
        const posted = one.post(path, { headers: { accept: "application/json, text/event-stream" }, body });
        const began = performance.now();
        if ((await one.get("/health")).status === 200) slowest = Math.max(slowest, performance.now() - began);
        return posted;
      });
      if (slowest > HEALTH_MS) tell.succeeded(`/health took ${slowest.toFixed(0)} ms meanwhile`);
      count(tell, replies);
    },
  }),
  ...attacksOf(15, "both", {
    async "connections of one address that send half a request, a body by the byte, or nothing"(scene) {
      const { world, random, tell } = scene;
      const { port } = new URL(world.apiUrl);
      const beginnings = [
        "",
        "GET /api/v2/agents HTTP/1.1\r\nHost: x\r\n",
        "POST /api/v2/agents/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
        "GET /api/v2/events HTTP/1.1\r\nHost: x\r\n\r\n",
      ];
      const sockets = Array.from({ length: between(random, 100, 300) }, () => {
        const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress: DIRECT_ADDRESS });
        socket.on("error", () => {});
        socket.write(pick(random, beginnings));
        return socket;
      });
      const drip = setInterval(() => sockets.forEach((socket) => void (socket.writable && socket.write(" "))), 500);
      await wait(IDLE_MS);
      clearInterval(drip);
      const closed = sockets.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length;
      for (const socket of sockets) socket.destroy();
      tell.refused(closed);
      tell.harmless(sockets.length - closed);
    },
    async "a burst of event streams, read and not read"({ random, tell, client }) {
      const one = client();
      const ending = AbortSignal.timeout(STREAM_MS + between(random, 0, 3_000));
      const paths = ["/api/v2/events", "/api/v2/messages/groups/general/stream", "/api/v2/events?after=0"];
      // Kept until the end: Node closes the connection of a response that nothing refers to, which makes room for another.
      const held: Response[] = [];
      const asked = 240;
      await Promise.all(
        Array.from({ length: asked }, async () => {
          // Null: the client left before the answer began.
          const response = await one.open("GET", pick(random, paths), { signal: ending }).catch(() => null);
          if (response?.status === 200) held.push(response);
          else await response?.body?.cancel().catch(() => {});
        }),
      );
      if (held.length > 100) tell.succeeded(`${held.length} event streams of one network at once`);
      tell.harmless(held.length);
      tell.refused(asked - held.length);
      await wait(STREAM_MS);
      await Promise.allSettled(held.map(({ body }) => body?.cancel()));
    },
    async "exports one after the other, read and not read"({ random, tell, client }) {
      const one = client();
      const leaves = AbortSignal.timeout(8_000);
      const held: Response[] = [];
      const replies = await flood(between(random, 15, 30), 15, async (n) => {
        const path = n % 2 ? "/api/terminal/agents.csv" : "/api/terminal/agents.json?sort=name";
        if (n % 3) return one.get(path, { leaveAfter: 8_000 });
        // Taken and never read.
        const response = await one.open("GET", path, { signal: leaves }).catch(() => null);
        if (response) held.push(response);
        return { status: response?.status ?? 0, code: "", body: {}, headers: new Headers() };
      });
      await Promise.allSettled(held.map(({ body }) => body?.cancel()));
      count(tell, replies);
    },
    async "SQL and GraphQL queries without an end, whose askers have left"({ world, random, tell }) {
      const { indexUrl } = world.devnet;
      const sql = new URLSearchParams({ sql: JSON.stringify({ json: { sql: SLOW_SQL, params: [], typings: [] } }) });
      const replies = await Promise.all(
        Array.from({ length: between(random, 4, 10) }, async (_, n) => {
          const signal = AbortSignal.timeout(between(random, 100, 3_000));
          const asked =
            n % 3 === 0
              ? fetch(`${indexUrl}/graphql`, { ...jsonRequest("POST", { query: SLOW_GRAPHQL }), signal })
              : fetch(`${indexUrl}/sql/db?${sql}`, { signal });
          const response = await asked.catch(() => null);
          await response?.body?.cancel().catch(() => {});
          return { status: response?.status ?? 0 };
        }),
      );
      count(tell, replies);
    },
  }),
];
