/** Attacks by quantity: more reads, claims, writes, payments and tool calls at a time than anybody sends who means well. */
import { randomUUID } from "node:crypto";
import pLimit from "p-limit";
import { between, pick } from "../../random.ts";
import { type Attack, attacksOf, count, type Scene } from "../attack.ts";
import { type Client, insist, type Reply } from "../client.ts";
import { ownToken } from "./data.ts";

/** Sends `times` requests, `atOnce` at a time. */
export const flood = (times: number, atOnce: number, send: (n: number) => Promise<Reply>): Promise<Reply[]> =>
  pLimit(atOnce).map(Array(times).keys(), send);

type Flood = {
  times: readonly [least: number, most: number];
  atOnce: number;
  /** Sends request `n` by the one client of the flood. */
  send(scene: Scene, one: Client, n: number): Promise<Reply>;
  /** Answers of 200 beyond which it has succeeded; any number when it is left out. */
  mayBeServed?: number;
};

const flooding =
  ({ times, atOnce, send, mayBeServed = Number.POSITIVE_INFINITY }: Flood): Attack["play"] =>
  async (scene) => {
    const one = scene.client();
    const replies = await flood(between(scene.random, ...times), atOnce, (n) => send(scene, one, n));
    const served = replies.filter(({ status }) => status === 200).length;
    if (served > mayBeServed) scene.tell.succeeded(`${served} were served to one network in one go`);
    count(scene.tell, replies);
  };

/** Requests of a flood of reads: several times what a client may send, and soon over. */
const MANY = [60, 200] as const;
const READS = [
  "/api/v2/agents?limit=200&format=array",
  "/api/terminal/agents?limit=100&sort=name",
  "/api/v2/search?q=a",
  "/api/v2/leaderboard?limit=100",
  "/api/v2/openapi.json",
];
const LISTS = ["/api/v2/agents", "/api/terminal/agents", "/api/v2/stats"];
const TOOL_CALLS: readonly Parameters<Client["mcp"]>[] = [
  ["tools/call", { name: "search_agents", arguments: { q: "a", limit: 100 } }],
  ["tools/call", { name: "directory_search", arguments: { q: "o", limit: 100 } }],
  ["tools/call", { name: "leaderboard", arguments: { limit: 100 } }],
  ["tools/list", {}],
];
/** Four bytes a letter, other bytes in turn: every word of storage is written again. */
const LONG_TEXTS = ["\u{1F980}", "\u{1F40B}"].map((letter) => letter.repeat(512));
/** Long texts that an agent may write in a day and one more: its gas is enough for a full profile, and for one change of it. */
const MAY_WRITE = 3;
/** Networks /48 of one provider, such as a customer may have. */
const SITES = 2;
const noTransaction = () => ({ "x-payment-tx": `0x${randomUUID().replaceAll("-", "").repeat(2)}` });

export const FLOODS: readonly Attack[] = [
  ...attacksOf(13, "both", {
    "floods of reads": flooding({
      ...{ times: MANY, atOnce: 20 },
      send: ({ random }, one) => one.get(pick(random, READS)),
    }),
    "floods of anonymous claims": flooding({
      // What a network is allowed in a minute, and another attacker of it may have begun a minute before.
      ...{ times: [40, 80], atOnce: 8, mayBeServed: 30 },
      send: ({ honest }, one, n) =>
        one.post(`/api/terminal/agent/${honest.agents[0]!.wallet.address}/token`, {
          body: { token_address: `0x${n.toString(16).padStart(40, "3")}`, token_symbol: `C${n}` },
        }),
    }),
    "floods of anonymous writes with keys of their own, each of which is stored": flooding({
      ...{ times: [40, 80], atOnce: 8 },
      send: (_, one) =>
        one.post("/api/v2/cred-report/verify-receipt", {
          headers: { "idempotency-key": randomUUID() },
          body: { payload: "x".repeat(6_000), signature: `0x${"00".repeat(65)}` },
        }),
    }),
    "reads that wait for a block that never comes": flooding({
      ...{ times: [60, 150], atOnce: 60 },
      send: ({ random }, one) =>
        one.get(`${pick(random, LISTS)}?minBlock=999999999`, { leaveAfter: between(random, 200, 7_000) }),
    }),
    "floods of the tools of MCP and A2A": flooding({
      ...{ times: MANY, atOnce: 20 },
      send: ({ random }, one) => one.mcp(...pick(random, TOOL_CALLS)),
    }),
  }),
  ...attacksOf(13, "paid", {
    "attempts to pay with nothing, by many wallets": flooding({
      ...{ times: [30, 60], atOnce: 8 },
      async send({ world }, one) {
        const wallet = await world.wallet(world.fresh("pauper"));
        const body = { name: "Pauper", framework: "custom" };
        return one.post("/api/v2/mint", { wallet, headers: noTransaction(), body });
      },
    }),
  }),
  ...attacksOf(30, "both", {
    async "long texts written on chain by several agents, again and again"(scene) {
      const { tell, client } = scene;
      const agents = await Promise.all(Array.from({ length: 4 }, () => ownToken(scene)));
      const writing = agents.map(async ({ owner, tokenId }) => {
        const one = client();
        const replies: Reply[] = [];
        for (let n = 0; n < 2 * MAY_WRITE; n++) {
          const text = LONG_TEXTS[n % LONG_TEXTS.length]!;
          const body = { narrative: { lore: text, manifesto: text } };
          replies.push(await one.post(`/api/v2/agent/${tokenId}/update?onchain=true`, { wallet: owner, body }));
        }
        const written = replies.filter(({ status }) => status === 200).length;
        if (written > MAY_WRITE) tell.succeeded(`agent ${tokenId} wrote ${written} times 4 kB on the chain`);
        count(tell, replies);
      });
      await Promise.all(writing);
    },
  }),
  ...attacksOf(33, "both", {
    async "bad signatures in the name of a contract wallet, from hundreds of IPv6 networks"(scene) {
      const { world, honest, random, tell } = scene;
      const provider = between(random, 1, 0xffff).toString(16);
      const client = world.client(`10.9.3.${between(random, 1, 250)}`);
      const known = await world.contractWallet(world.fresh("contract wallet"), {});
      const signIn = (what: string, wallet: typeof known) =>
        honest.timed(`sign in (${what})`, 30_000, (deadline) =>
          insist(client, deadline, ["GET", "/api/v2/webhooks", { wallet }]),
        );
      await signIn("contract wallet", known);
      const replies = await flood(between(random, 300, 500), 20, (n) => {
        const network = `2001:${provider}:${n % SITES}:${n.toString(16)}::1`;
        const authorization = `Bearer ${known.address}:${Date.now()}:0x${"1f".repeat(64)}1b`;
        return world.client(network).get("/api/v2/webhooks", { headers: { authorization } });
      });
      if (replies.some(({ status }) => status === 200)) tell.succeeded("a bad signature signs in");
      count(tell, replies);
      await signIn("contract wallet, after bad signatures", known);
      await signIn("another contract wallet", await world.contractWallet(world.fresh("contract wallet"), {}));
    },
  }),
  ...attacksOf(13, "both", {
    async "floods of groups, of bad credentials, and of attempts to pay"({ world, random, tell, client, honest }) {
      const one = client();
      const wallet = await world.wallet(world.fresh("flooder"));
      const bad = { authorization: `Bearer ${wallet.address}:${Date.now()}:0x${"1f".repeat(64)}1b` };
      const report = `/api/v2/agent/${honest.agents[0]!.tokenId}/cred-report`;
      const group = () => ({ topic: `g ${randomUUID()}`, minCred: 0, isPublic: true });
      const kinds: (() => Promise<Reply>)[] = [
        () => one.post("/api/v2/messages/groups", { wallet, body: group() }),
        () => one.post("/api/v2/auth/revoke", { headers: bad }),
        () => one.get(report, { headers: noTransaction() }),
        () => one.get(`/api/v2/auth/solana/challenge?address=${"1".repeat(32)}`),
      ];
      count(tell, await flood(between(random, 40, 100), 10, (n) => kinds[n % kinds.length]!()));
    },
  }),
];
