/** Attacks by quantity: more reads, claims, writes, payments and tool calls at a time than anybody sends who means well. */
import { randomUUID } from "node:crypto";
import pLimit from "p-limit";
import { between, pick } from "../../random.ts";
import { type Attack, BOTH, PAID } from "../attack.ts";
import type { Reply } from "../client.ts";
import { count } from "../score.ts";

/** Requests of one flood: several times what a client may send, and soon over. */
const FLOOD = { least: 60, most: 200 };

/** Sends all of them, so many at a time. */
export const flood = (times: number, atOnce: number, send: (n: number) => Promise<Reply>): Promise<Reply[]> =>
  pLimit(atOnce).map(Array(times).keys(), send);

const reads: Attack = {
  number: 13,
  name: "floods of reads",
  phases: BOTH,
  async play({ random, tell, client }) {
    const one = client();
    const paths = [
      "/api/v2/agents?limit=200&format=array",
      "/api/terminal/agents?limit=100&sort=name",
      "/api/v2/search?q=a",
      "/api/v2/leaderboard?limit=100",
      "/api/v2/openapi.json",
    ];
    count(tell, await flood(between(random, FLOOD.least, FLOOD.most), 20, () => one.get(pick(random, paths))));
  },
};

const claims: Attack = {
  number: 13,
  name: "floods of anonymous claims",
  phases: BOTH,
  async play({ honest, random, tell, client }) {
    const one = client();
    const replies = await flood(between(random, 40, 80), 8, (n) =>
      one.post(`/api/terminal/agent/${honest.agents[0]!.wallet.address}/token`, {
        body: { token_address: `0x${n.toString(16).padStart(40, "3")}`, token_symbol: `C${n}` },
      }),
    );
    const taken = replies.filter(({ status }) => status === 200).length;
    // What a network is allowed in a minute, and another attacker of it may have begun a minute before.
    if (taken > 30) tell.succeeded(`${taken} anonymous claims of one network in one go`);
    count(tell, replies);
  },
};

const storedAnswers: Attack = {
  number: 13,
  name: "floods of anonymous writes with keys of their own, each of which is stored",
  phases: BOTH,
  async play({ random, tell, client }) {
    const one = client();
    count(
      tell,
      await flood(between(random, 40, 80), 8, () =>
        one.post("/api/v2/cred-report/verify-receipt", {
          headers: { "idempotency-key": randomUUID() },
          body: { payload: "x".repeat(6_000), signature: `0x${"00".repeat(65)}` },
        }),
      ),
    );
  },
};

const groups: Attack = {
  number: 13,
  name: "floods of groups, of bad credentials, and of attempts to pay",
  phases: BOTH,
  async play(scene) {
    const { world, random, tell, client, honest } = scene;
    const one = client();
    const wallet = await world.wallet(world.fresh("flooder"));
    const bad = { authorization: `Bearer ${wallet.address}:${Date.now()}:0x${"1f".repeat(64)}1b` };
    const kinds: (() => Promise<Reply>)[] = [
      () =>
        one.post("/api/v2/messages/groups", {
          wallet,
          body: { topic: `g ${randomUUID()}`, minCred: 0, isPublic: true },
        }),
      () => one.post("/api/v2/auth/revoke", { headers: bad }),
      () =>
        one.get(`/api/v2/agent/${honest.agents[0]!.tokenId}/cred-report`, {
          headers: { "x-payment-tx": `0x${randomUUID().replaceAll("-", "").repeat(2)}` },
        }),
      () => one.get(`/api/v2/auth/solana/challenge?address=${"1".repeat(32)}`),
    ];
    count(tell, await flood(between(random, 40, 100), 10, (n) => kinds[n % kinds.length]!()));
  },
};

const farBlocks: Attack = {
  number: 13,
  name: "reads that wait for a block that never comes",
  phases: BOTH,
  async play({ random, tell, client }) {
    const one = client();
    const paths = [
      "/api/v2/agents?minBlock=999999999",
      "/api/terminal/agents?minBlock=999999999",
      "/api/v2/stats?minBlock=999999999",
    ];
    count(
      tell,
      await flood(between(random, 60, 150), 60, () =>
        one.get(pick(random, paths), { leaveAfter: between(random, 200, 7_000) }),
      ),
    );
  },
};

const unfunded: Attack = {
  number: 13,
  name: "attempts to pay with nothing, by many wallets",
  phases: PAID,
  async play({ world, random, tell, client }) {
    const one = client();
    const replies = await flood(between(random, 30, 60), 8, async () => {
      const wallet = await world.wallet(world.fresh("pauper"));
      return one.post("/api/v2/mint", {
        wallet,
        headers: { "x-payment-tx": `0x${randomUUID().replaceAll("-", "").repeat(2)}` },
        body: { name: "Pauper", framework: "custom" },
      });
    });
    count(tell, replies);
  },
};

const toolCalls: Attack = {
  number: 13,
  name: "floods of the tools of MCP and A2A",
  phases: BOTH,
  async play({ random, tell, client }) {
    const one = client();
    const call = (name: string, args: object) => ({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    });
    const bodies = [
      call("search_agents", { q: "a", limit: 100 }),
      call("directory_search", { q: "o", limit: 100 }),
      call("leaderboard", { limit: 100 }),
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    ];
    const headers = { accept: "application/json, text/event-stream" };
    count(
      tell,
      await flood(between(random, FLOOD.least, FLOOD.most), 20, () =>
        one.post("/mcp", { headers, body: pick(random, bodies) }),
      ),
    );
  },
};

export const FLOODS: readonly Attack[] = [reads, claims, storedAnswers, groups, farBlocks, unfunded, toolCalls];
