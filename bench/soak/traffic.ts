/** A soak's traffic: everything the service does, at a moderate rate, for as long as it is asked to. */
import { setTimeout as wait } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startBlockClock } from "../../harness/block-clock.ts";
import type { DevnetFile } from "../../harness/stack.ts";
import { NotSent, population } from "./people.ts";
import { fetchInTime } from "./requests.ts";
import { emptyTally, note, type Tally } from "./tally.ts";

export type TrafficPlan = {
  devnet: DevnetFile;
  perSecond: number;
  /** Event streams open at any time; each lives for some seconds, then another is opened. */
  readers: number;
  /** Mean seconds between reorganisations, which take back one to `reorgDepth` blocks. */
  reorgEverySeconds: number;
  reorgDepth: number;
};

export type Traffic = {
  tally: Tally;
  /** From now on so many requests a second. */
  setRate(perSecond: number): void;
  /** Events read on all streams. */
  events(): number;
  reorganisations(): number;
  agents(): number;
  /** Sends nothing more and waits for what is under way; what has no answer then counts as an error. */
  stop(): Promise<void>;
};

const SEEDED = 40;
const BLOCK_MS = 1_000;
const WORDS = ["Meridian", "bot", "ledger", "o", "qu", "Ondatra", "0x", "nobody has this name"];
const GROUPS = ["welcome", "general"];
/** For what is under way when the traffic ends: a payment comes back until it is decided. */
const LAST_ANSWERS_MS = 240_000;
const STREAM_SECONDS = { least: 5, most: 45 };

const random = (below: number) => Math.floor(Math.random() * below);
const oneOf = <T>(items: readonly T[]): T => items[random(items.length)]!;
/** Ends early, and without a word, when the soak does. */
const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => {});

export async function startTraffic(plan: TrafficPlan): Promise<Traffic> {
  const { devnet } = plan;
  const tally = emptyTally();
  const ending = new AbortController();
  const people = population(devnet, (status, text) => note(tally, "payment", status, text), ending.signal);
  const clock = await startBlockClock(devnet.rpcUrl, BLOCK_MS);
  /** Requests under way, each with its kind. */
  const under = new Map<Promise<void>, string>();
  let { perSecond } = plan;
  let events = 0;
  let reorganisations = 0;

  const url = (path: string) => devnet.apiUrl + path;
  const someAgent = () => random(SEEDED + people.actors.length);
  const post = async (path: string, body?: object, actor = people.anyone()!) => {
    return fetchInTime(url(path.replace("{id}", String(actor.tokenId))), {
      method: "POST",
      headers: {
        authorization: await actor.signIn(),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  const get = (path: string) => fetchInTime(url(path));
  const rpc = (method: string, params: object) =>
    fetchInTime(url("/mcp"), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });

  /** Kinds with their share in the traffic; those that act need somebody who is registered. */
  const KINDS: [kind: string, share: number, send: () => Promise<Response>, acts?: true][] = [
    ["agent", 220, () => get(`/api/v2/agent/${someAgent()}`)],
    ["cred", 80, () => get(`/api/v2/agent/${someAgent()}/cred`)],
    ["history", 30, () => get(`/api/v2/agent/${someAgent()}/cred/history`)],
    ["report", 20, () => get(`/api/v2/agent/${someAgent()}/report`)],
    ["metadata", 30, () => get(`/api/v2/metadata/${someAgent()}`)],
    ["list", 80, () => get(`/api/v2/agents?sort=credScore&order=desc&limit=${1 + random(50)}&offset=${random(30)}`)],
    ["search", 60, () => get(`/api/v2/search?q=${encodeURIComponent(oneOf(WORDS))}`)],
    ["leaderboard", 20, () => get("/api/v2/leaderboard?limit=20")],
    ["directory", 80, () => get(`/api/terminal/agents?page=${1 + random(5)}&q=${encodeURIComponent(oneOf(WORDS))}`)],
    ["stats", 20, () => get("/api/v2/stats")],
    ["status", 10, () => get("/api/v2/status")],
    ["ready", 10, () => get("/ready")],
    ["openapi", 3, () => get("/api/v2/openapi.json")],
    ["page", 10, () => fetchInTime(url("/"), { headers: { accept: "text/html" } })],
    ["unknown", 10, () => get("/api/v2/agent/987654321")],
    ["card", 25, () => get(`/api/v2/card/${someAgent()}.png?size=${oneOf(["square", "og"])}`)],
    ["badge", 15, () => get(`/api/v2/badge/${someAgent()}.svg`)],
    ["mcp", 25, () => rpc("tools/call", { name: "get_cred", arguments: { ref: someAgent() } })],
    ["mcp search", 10, () => rpc("tools/call", { name: "search_agents", arguments: { q: oneOf(WORDS) } })],
    ["messages", 40, () => get(`/api/v2/messages/groups/${oneOf(GROUPS)}/messages?limit=20`)],
    ["bad credential", 10, () => badCredential()],
    ["mint", 5, () => people.mint()],
    ["cred report, paid", 5, () => people.report(random(SEEDED))],
    ["send", 30, () => post(`/api/v2/messages/groups/${oneOf(GROUPS)}/send`, { content: `At ${Date.now()}` }), true],
    ["update", 25, () => post("/api/v2/agent/{id}/update", { narrative: { mission: `Of ${Date.now()}` } }), true],
    ["update on chain", 4, () => onChain(), true],
    ["verify", 4, () => post("/api/v2/agent/{id}/verify"), true],
    ["verify x", 4, () => proveX(), true],
  ];
  const badCredential = () =>
    fetchInTime(url("/api/v2/auth/revoke"), {
      method: "POST",
      headers: { authorization: `Bearer 0x${"ab".repeat(20)}:${Date.now()}:0x${"1f".repeat(64)}1b` },
    });
  const onChain = () =>
    post("/api/v2/agent/{id}/update?onchain=true", { personality: { humor: `${oneOf(WORDS)} ${random(1000)}` } });
  async function proveX(): Promise<Response> {
    const actor = people.anyone()!;
    const { tokenId } = actor;
    const handle = `soak_${tokenId}`;
    const planted = { id: String(500_000 + tokenId), name: handle, description: `helixa:${tokenId}` };
    await fetchInTime(`${devnet.simulatorUrl}/_control/x/users/${handle}`, {
      method: "PUT",
      body: JSON.stringify(planted),
    });
    return post("/api/v2/agent/{id}/verify/x", { handle }, actor);
  }

  function ask(kind: string, send: () => Promise<Response>): void {
    const asked = send()
      .then(async (response) => {
        const text = await response.text();
        if (under.has(asked)) note(tally, kind, response.status, text);
      })
      .catch((error) => {
        if (under.has(asked) && !(error instanceof NotSent)) note(tally, kind, 0, String(error.cause ?? error));
      })
      .finally(() => under.delete(asked));
    under.set(asked, kind);
  }

  const deck = KINDS.flatMap((kind) => Array.from({ length: kind[1] }, () => kind));
  function any(): void {
    const [kind, , send, acts] = oneOf(deck);
    if (!acts || people.actors.length > 0) ask(kind, send);
  }

  /** Times are fixed beforehand: a service that stalls finds the requests of the stall waiting. */
  async function pace(): Promise<void> {
    let due = performance.now();
    while (!ending.signal.aborted) {
      const now = performance.now();
      for (; due <= now; due += (-Math.log(1 - Math.random()) * 1000) / perSecond) any();
      await pause(Math.max(1, due - now), ending.signal);
    }
  }

  async function read(): Promise<void> {
    while (!ending.signal.aborted) {
      const seconds = STREAM_SECONDS.least + random(STREAM_SECONDS.most - STREAM_SECONDS.least);
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(seconds * 1000)]);
      try {
        const response = await fetch(url(`/api/v2/messages/groups/${oneOf(GROUPS)}/stream`), { signal });
        note(tally, "stream", response.status);
        for await (const chunk of response.body!) events += Buffer.from(chunk).toString().split("\nid: ").length - 1;
      } catch (error) {
        if (!signal.aborted) note(tally, "stream", 0, String(error));
      }
    }
  }

  async function speakMcp(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(15_000, ending.signal);
      if (ending.signal.aborted) return;
      const client = new Client({ name: "soak", version: "1.0.0" });
      try {
        await client.connect(new StreamableHTTPClientTransport(new URL(url("/mcp"))));
        await client.listTools();
        await client.callTool({ name: "leaderboard", arguments: { limit: 5 } });
        note(tally, "mcp session", 200);
      } catch (error) {
        note(tally, "mcp session", 0, String(error));
      } finally {
        await client.close();
      }
    }
  }

  async function reorganise(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(plan.reorgEverySeconds * (500 + random(1_000)), ending.signal);
      if (ending.signal.aborted) return;
      await clock.reorganise(1 + random(plan.reorgDepth));
      reorganisations++;
    }
  }

  // Somebody has to be there who can act.
  await Promise.all([people.mint(), people.mint()]);
  const loops = [pace(), speakMcp(), reorganise(), ...Array.from({ length: plan.readers }, () => read())];
  return {
    tally,
    setRate(rate) {
      perSecond = rate;
    },
    events: () => events,
    reorganisations: () => reorganisations,
    agents: () => people.actors.length,
    async stop() {
      ending.abort();
      await Promise.all(loops);
      await Promise.race([Promise.all(under.keys()), wait(LAST_ANSWERS_MS)]);
      for (const kind of under.values())
        note(tally, kind, 0, `no answer ${LAST_ANSWERS_MS / 1000} s after the traffic's end`);
      under.clear();
      await clock.stop();
    },
  };
}
