/** The SDK against the service: typed refusals, every page of every list, signing in, streams, and a registration whose answers are lost. */
import { createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureReferralCodes } from "../../db/agents/referral-codes.ts";
import { completeMint, failMint } from "../../db/mints/mints.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import {
  ApiError,
  type ClientOptions,
  createClient,
  type Fetch,
  RegistrationFailed,
  RegistrationPending,
  StreamEnded,
} from "../../sdk/src/index.ts";
import { plantAgents } from "../api/support/agents.ts";
import { apiForFile, HOST } from "../api/support/api.ts";
import { setScore } from "../api/support/speakers.ts";
import { failure } from "./scripted-server.ts";

const AGENTS = 23;

const api = apiForFile({ env: { MINT_WAIT_MS: "0", LIMITS: "messages=0,streams=2,writes-by-network=100000" } });
beforeAll(async () => {
  const planted = Array.from({ length: AGENTS }, (_, tokenId) => ({ tokenId, score: tokenId % 5 }));
  await plantAgents(api.pool, planted);
});

const newAccount = () => privateKeyToAccount(generatePrivateKey());
const client = (options: Partial<ClientOptions> = {}) => createClient({ baseUrl: api.url, host: HOST, ...options });
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
/** A client whose wallet has an agent of this score. */
async function speaker(tokenId: number, score: number, options: Partial<ClientOptions> = {}) {
  const wallet = newAccount();
  const agentAddress = wallet.address.toLowerCase() as `0x${string}`;
  await plantAgents(api.pool, [{ tokenId, agentAddress, name: `Speaker ${tokenId}`, score }]);
  return client({ wallet, ...options });
}

describe("a call", () => {
  it("gives data, and beside them the response", async () => {
    const agent = await client().get("/api/v2/agent/{ref}", { params: { path: { ref: "3" } } });
    expect(agent).toMatchObject({ tokenId: 3, credScore: 3 });
    const { data, response } = await client().call("get", "/api/v2/stats");
    expect(data.totalAgents).toBe(AGENTS);
    expect(response.headers.get("x-indexed-block")).toMatch(/^\d+$/);
    const csv = await client().get("/api/terminal/agents.csv", { parseAs: "text" });
    expect(csv).toMatch(/^id,/);
    const { found, missing } = await client().post("/api/v2/agents/batch", { body: { ids: [2, 999] } });
    expect([found.map(({ tokenId }) => tokenId), missing]).toEqual([[2], [999]]);
  });

  it("is refused by an error that says what the service says", async () => {
    const unknown = await failure(client().get("/api/v2/agent/{ref}", { params: { path: { ref: "777" } } }));
    expect(unknown).toBeInstanceOf(ApiError);
    expect(unknown).toMatchObject({ status: 404, code: "not_found", retryAfterMs: null, details: [], payment: null });
    expect((unknown as ApiError).requestId).toMatch(/^[0-9a-f-]{36}$/);

    const query = { sort: "nothing" as never };
    const invalid = await failure(client().get("/api/v2/agents", { params: { query } }));
    expect(invalid).toMatchObject({ status: 400, code: "invalid_input", details: [{ path: "sort" }] });

    const nobody = await failure(client().post("/api/v2/auth/revoke"));
    expect(nobody).toMatchObject({ status: 401, code: "unauthenticated", hint: expect.any(String) });
    const low = await speaker(500, 10);
    const path = { groupId: "governance" };
    const refused = await failure(low.post("/api/v2/messages/groups/{groupId}/join", { params: { path } }));
    expect(refused).toMatchObject({ status: 403, code: "forbidden", body: { required: 76, yours: 10 } });
    expect((refused as Error).message).toContain("76");
  });
});

describe("signing in", () => {
  it("works with an account and with a wallet client, and again after a revocation", async () => {
    const walletClient = createWalletClient({
      ...{ account: newAccount(), chain: base, transport: http("http://127.0.0.1:9") },
    });
    for (const wallet of [newAccount(), walletClient]) {
      let skipped = 0;
      const signedIn = client({ wallet, time: { ...clock, now: () => Date.now() + skipped } });
      const before = await signedIn.credential();
      await signedIn.post("/api/v2/auth/revoke");
      expect(await signedIn.credential()).toBe(before);
      // A revocation ends what was signed before it; a moment later there is a newer credential.
      skipped = 1500;
      await signedIn.post("/api/v2/auth/revoke");
      expect(await signedIn.credential()).not.toBe(before);
    }
  });

  it("with the host of another service is refused", async () => {
    const wallet = newAccount();
    expect(await failure(client({ wallet, host: "other.example" }).post("/api/v2/auth/revoke"))).toMatchObject({
      status: 401,
    });
    await expect(client().credential()).rejects.toThrow("no wallet");
  });
});

const clock: NonNullable<ClientOptions["time"]> = {
  now: () => Date.now(),
  random: () => 0,
  sleep: (ms, signal) =>
    new Promise((done, fail) => {
      signal?.addEventListener("abort", () => fail(signal.reason));
      setTimeout(done, Math.min(ms, 50));
    }),
};

describe("lists", () => {
  it("of agents come whole, whatever the size of a page and whoever registers meanwhile", async () => {
    const byScore = await all(client().agents({ sort: "credScore", order: "desc", limit: 4 }));
    const first = byScore.filter(({ tokenId }) => tokenId < AGENTS);
    expect(first.map(({ tokenId }) => tokenId).toSorted((a, b) => a - b)).toEqual([...Array(AGENTS).keys()]);
    expect(first.map(({ credScore }) => credScore)).toEqual(
      first.map(({ credScore }) => credScore).toSorted((a, b) => b - a),
    );

    const seen: number[] = [];
    for await (const { tokenId } of client().agents({ sort: "credScore", order: "desc", limit: 5 })) {
      seen.push(tokenId);
      // Somebody registers at the front of the list, which moves every page behind it.
      if (seen.length === 5) await plantAgents(api.pool, [{ tokenId: 600, name: "Newcomer", score: 99 }]);
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (let tokenId = 0; tokenId < AGENTS; tokenId++) expect(seen).toContain(tokenId);
    expect((await all(client().agents({ search: "agent 1" }))).length).toBe(11);
    expect(await all(client().agents({ search: "nobody at all" }))).toEqual([]);
  });

  it("of a group's messages and members come whole, in their order", async () => {
    const chatty = await speaker(510, 80);
    const params = { path: { groupId: "security" } };
    for (let i = 1; i <= 7; i++)
      await chatty.post("/api/v2/messages/groups/{groupId}/send", { params, body: { content: String(i) } });
    const messages = await all(client().messages("security"));
    expect(messages.map(({ id, content }) => [id, content])).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => [n, String(n)]));
    expect((await all(client().messages("security", { after: 5 }))).map(({ id }) => id)).toEqual([6, 7]);
    const members = await all(client().members("security"));
    expect(members.map(({ tokenId }) => tokenId)).toEqual([510]);
  });

  it("of humans and organizations come whole and once", async () => {
    const names = Array.from({ length: 5 }, (_, i) => `Human ${i}`);
    for (const name of names)
      await client({ wallet: newAccount() }).post("/api/v2/principals/human/register", { body: { name } });
    const humans = await all(client().humans({ limit: 2 }));
    expect(humans.map(({ name }) => name).toSorted()).toEqual(names);
    expect(await all(client().organizations())).toEqual([]);
    expect(await all(client().directory({ limit: 2 }))).toEqual([]);
  });

  it("stop when they are told to", async () => {
    const stop = new AbortController();
    const reading = (async () => {
      for await (const _ of client().agents({ limit: 2 }, { signal: stop.signal })) stop.abort(new Error("enough"));
    })();
    expect(await failure(reading)).toMatchObject({ message: "enough" });
  });
});

describe("a stream", () => {
  it("of a private group is given to its members, and ends with their right to read it", async () => {
    const member = await speaker(520, 90, { time: clock });
    const params = { path: { groupId: "governance" } };
    const send = (content: string) =>
      member.post("/api/v2/messages/groups/{groupId}/send", { params, body: { content } });
    const { message: first } = await send("one");
    const stream = member.messageStream("governance", { after: first.id });
    await send("two");
    const { value } = await stream.next();
    expect(value).toMatchObject({ id: String(first.id + 1), type: "message", data: { content: "two" } });
    const after = stream.next();
    await setScore(api.pool, 520, 20);
    const ended = await failure(after);
    expect(ended).toBeInstanceOf(StreamEnded);
    expect(ended).toMatchObject({ reason: "forbidden", body: { required: 76, yours: 20 } });
    expect(await failure(client().messageStream("governance").next())).toMatchObject({ status: 401 });
  });

  it("is closed when nobody reads it any more", async () => {
    const stop = new AbortController();
    const open = (signal?: AbortSignal) =>
      client({ retry: { attempts: 1 } }).messageStream("general", { after: 0, signal });
    const one = await speaker(530, 80);
    const params = { path: { groupId: "general" } };
    await one.post("/api/v2/messages/groups/{groupId}/send", { params, body: { content: "hello" } });
    const [aborted, left] = [open(stop.signal), open()];
    for (const stream of [aborted, left])
      expect((await stream.next()).value).toMatchObject({ data: { content: "hello" } });
    // The service keeps two of one reader open.
    expect(await failure(open().next())).toMatchObject({ code: "rate_limited" });
    const more = aborted.next();
    stop.abort(new Error("enough"));
    expect(await failure(more)).toMatchObject({ message: "enough" });
    await left.return(undefined);
    for (const stream of [open(), open()]) await until("there is room again", () => stream.next());
  });
});

describe("a registration", () => {
  let block = 1000;
  const pool = () => api.pool;
  const mints = async () => (await pool().query("select * from offchain.mint order by created_at desc")).rows;
  const pending = () =>
    until("a pending registration", async () => (await mints()).find(({ state }) => state === "pending"));

  /** Plays worker and indexer: mined, and indexed when told. */
  async function mine(tokenId: number): Promise<() => Promise<void>> {
    const { mint_id, name, wallet } = await pending();
    const mined = ++block;
    await ensureReferralCodes(pool(), [{ tokenId, name, agentAddress: wallet }]);
    await completeMint(pool(), mint_id, { tokenId, txHash: `0x${"c".repeat(64)}`, block: mined, at: new Date() });
    return async () => {
      await plantAgents(pool(), [{ tokenId, name, agentAddress: wallet, updatedBlock: mined }]);
      await plantCheckpoint(pool(), { block: mined, finalized: 900 });
    };
  }

  /** Loses the first `count` answers to writes, after the service has given them. */
  const losing = (count: number): { fetch: Fetch; keys: (string | null)[] } => {
    const keys: (string | null)[] = [];
    return {
      keys,
      async fetch(input, init) {
        const request = new Request(input, init);
        const response = await fetch(request);
        if (request.method !== "POST") return response;
        keys.push(request.headers.get("idempotency-key"));
        if (keys.length > count) return response;
        await response.text();
        throw new TypeError("the line was lost");
      },
    };
  };

  it("is one, though its answers are lost and the chain is slow, and ends with the agent in the index", async () => {
    const { fetch, keys } = losing(2);
    const wallet = newAccount();
    const registering = client({ wallet, fetch, time: clock }).register({ name: "Ada" });
    const index = await mine(700);
    await until("the registration was asked for again", () => keys.length >= 3);
    await index();
    const { tokenId, agent, idempotencyKey, yourReferralCode } = await registering;
    expect([tokenId, agent.name, agent.agentAddress]).toEqual([700, "Ada", wallet.address]);
    expect(yourReferralCode).toMatch(/^ada-/);
    expect(new Set(keys)).toEqual(new Set([idempotencyKey]));
    expect((await mints()).filter(({ wallet: of }) => of === wallet.address.toLowerCase())).toHaveLength(1);

    // Another program run with the same key goes on with the same registration; without it, it is another one.
    const again = await client({ wallet }).register({ name: "Ada" }, { idempotencyKey });
    expect(again.tokenId).toBe(700);
    const second = await failure(client({ wallet }).register({ name: "Ada" }));
    expect(second).toMatchObject({ status: 409, code: "already_registered", body: { tokenId: 700 } });
  });

  it("that the chain refuses is told", async () => {
    const wallet = newAccount();
    let looks = 0;
    const fetch: Fetch = (input, init) => {
      const request = new Request(input, init);
      if (request.method === "GET") looks++;
      return globalThis.fetch(request);
    };
    const refused = failure(client({ wallet, fetch, time: clock }).register({ name: "Bea" }));
    const { mint_id } = await pending();
    await until("it is asked what became of it", () => looks > 0);
    await failMint(pool(), mint_id, "the contract is paused", new Date());
    expect(await refused).toBeInstanceOf(RegistrationFailed);
    expect(await refused).toMatchObject({
      mintId: mint_id,
      message: expect.stringContaining("the contract is paused"),
    });
  });

  it("is not waited for longer than told, and can be gone on with", async () => {
    const wallet = newAccount();
    const impatient = client({ wallet, time: clock });
    const late = await failure(impatient.register({ name: "Cia" }, { patienceMs: 0 }));
    expect(late).toBeInstanceOf(RegistrationPending);
    const { idempotencyKey } = late as RegistrationPending;
    await (await mine(701))();
    expect(await impatient.register({ name: "Cia" }, { idempotencyKey })).toMatchObject({ tokenId: 701 });
  });
});
