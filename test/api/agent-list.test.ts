/** Lists and search over HTTP, answered from memory: the same bytes as SQL answers, as fresh, and SQL whenever memory may not answer. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { MemoryBudget } from "../../columns/memory-budget.ts";
import { TIERS } from "../../core/cred/tiers.ts";
import { type AgentList, type AgentListOptions, openAgentList } from "../../db/lists/agents.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import {
  agentRow,
  plainAgent,
  type Question,
  question,
  settled,
  writeAgents,
  writeScores,
} from "../columns/support.ts";
import { WALLETS } from "../support/directory.ts";
import { forAllLater } from "../support/for-all.ts";
import { isDeep, shareOf } from "../support/share.ts";
import { perTest } from "../support/started.ts";
import { startApi } from "./support/api.ts";
import { throughProxy } from "./support/chains.ts";
import { walked } from "./support/walks.ts";

/** Every run asks other questions; a failing one names its seed, for `npm run trial -- fuzz`. */
const { seed: SEED } = inject("fuzz");

const api = perTest(() => startApi({ deps: { agentList } }));
/** The API's memory, opened after its database is there; while it is switched off, SQL answers. */
let list: AgentList | undefined;
let on = true;
/** A line that is silent would keep the memory from ending. */
let closeLine: (() => Promise<void>) | undefined;
const answered = { fromMemory: 0, bySql: 0 };
const agentList: Pick<AgentList, "recall" | "shows"> = {
  async recall(query, minBlock) {
    const page = on ? await list?.recall(query, minBlock) : undefined;
    answered[page ? "fromMemory" : "bySql"]++;
    return page;
  },
  shows: (moment) => list?.shows(moment) ?? true,
};

beforeEach(() => {
  on = true;
});
afterEach(async () => {
  await closeLine?.();
  closeLine = undefined;
  await list?.close();
  list = undefined;
  expect(api.errors).toEqual([]);
});

async function remember(options: Partial<AgentListOptions> = {}): Promise<AgentList> {
  list = openAgentList({ url: api.database.url, db: api.deps.db, pollMs: 50, maxAgeMs: LONG, ...options });
  await until("memory answers", () => list!.ready);
  return list;
}

/** The next answers come from memory, all of them. */
async function fromMemory<T>(work: () => Promise<T>): Promise<T> {
  const { bySql } = answered;
  const result = await work();
  expect(answered.bySql).toBe(bySql);
  return result;
}

async function showBlock(block: number): Promise<void> {
  await plantCheckpoint(api.pool, { block, finalized: 900 });
  await until("the block is served", () => api.deps.index.block === block);
}

type Page = { total: number; nextCursor: string | null; agents: { tokenId: number; credScore: number }[] };
const page = async (query: string) => await api.read<Page>(`/api/v2/agents?${query}`);
const ids = async (query: string) => (await page(query)).agents.map(({ tokenId }) => tokenId);

describe(`random questions (seed ${SEED})`, () => {
  const AGENTS = 400;
  const ROUNDS = isDeep() ? 4 : 2;
  const LISTS = shareOf(200, 20);
  const SEARCHES = shareOf(80, 10);
  const firstOfId = <T>(id: (row: T) => number) => {
    const seen = new Set<number>();
    return (row: T) => !seen.has(id(row)) && seen.add(id(row)) !== undefined;
  };
  const agents = (block: number, count: number, seed: number) =>
    fc.sample(agentRow(fc.nat(600), block), { numRuns: count, seed }).filter(firstOfId(({ tokenId }) => tokenId));
  const scores = (count: number, seed: number) =>
    fc.sample(fc.tuple(fc.nat(600), fc.nat(100)), { numRuns: count, seed }).filter(firstOfId(([id]) => id));

  /** A text of the query as a client writes it; what the API refuses is not asked. */
  const asked = (text: string | undefined) => (text === undefined ? undefined : [...text].slice(0, 40).join(""));
  const format = fc.option(fc.constant("array"), { nil: undefined, freq: 8 });

  async function listUrl(
    { at, minScore: minCred, mintedAfter, ...rest }: Question,
    format: string | undefined,
  ): Promise<string> {
    const query = {
      ...rest,
      minCred,
      mintedAfter: mintedAfter?.toISOString(),
      limit: Math.min(rest.limit, 250),
      format,
      search: asked(rest.search),
    };
    const url = (more: object) =>
      `/api/v2/agents?${new URLSearchParams(
        Object.entries({ ...query, ...more }).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      )}`;
    if (typeof at === "object") {
      const cursor = JSON.stringify([rest.sort, rest.order, at.key.slice(0, 200), at.tokenId]);
      return url({ cursor: Buffer.from(cursor).toString("base64url") });
    }
    const first = await api.read<Page>(url({ format: undefined }));
    if (at === "next") return url(first.nextCursor ? { cursor: first.nextCursor } : {});
    const offset = Math.floor(first.total * at);
    return url(offset % 2 === 0 ? { offset } : { page: Math.floor(offset / query.limit) + 1 });
  }

  const searchUrl = fc
    .record(
      {
        q: question.map(({ search }) => asked(search) ?? ""),
        minCred: fc.nat(100).map(String),
        tier: fc.constantFrom(...TIERS.map(({ key }) => key)),
        verified: fc.constantFrom("true", "false"),
        soulbound: fc.constantFrom("true", "false"),
        mintOrigin: fc.constantFrom("human", "AGENT_SIWA", "api", "OWNER"),
        mintedAfter: fc
          .integer({ min: 1_790_000_000, max: 1_790_000_201 })
          .map((s) => new Date(s * 1000).toISOString()),
        owner: fc.constantFrom(...WALLETS).map((wallet) => wallet.toUpperCase().replace("X", "x")),
        limit: fc.constantFrom("1", "20", "100"),
      },
      { requiredKeys: [] },
    )
    .map((query) => `/api/v2/search?${new URLSearchParams(query as Record<string, string>)}`);

  /** The same request to both, byte for byte. */
  async function compare(url: string): Promise<void> {
    const { text, status } = await fromMemory(() => api.get(url));
    on = false;
    const expected = await api.get(url).finally(() => {
      on = true;
    });
    expect([status, text], url).toEqual([200, expected.text]);
  }

  async function ask(seed: number) {
    await settled(list!, 1_100);
    await forAllLater([question, format], { numRuns: LISTS, seed, endOnFailure: true }, async (each, format) =>
      compare(await listUrl(each, format)),
    );
    await fc.assert(fc.asyncProperty(searchUrl, compare), { numRuns: SEARCHES, seed, endOnFailure: true });
  }

  it(`are answered alike through ${ROUNDS} rounds of changes`, async () => {
    await writeAgents(api.pool, agents(500, AGENTS, SEED));
    await writeScores(api.pool, scores(AGENTS, SEED));
    await remember();
    await ask(SEED);
    for (let round = 1; round < ROUNDS; round++) {
      const seed = SEED + round;
      const block = 1000 + round;
      const changed = agents(block, 50 * 2 ** round, seed);
      await writeAgents(api.pool, changed);
      await writeScores(api.pool, scores(50 * 2 ** round, seed));
      await showBlock(block);
      await until("memory has the block", () => list!.block === block);
      // A reorganisation takes some back: those it had minted are gone, the others are as they were.
      const undone = changed.slice(0, 20).map(({ tokenId }) => tokenId);
      await api.sql("delete from onchain.agent where token_id = any($1) and token_id % 3 = 0", undone);
      await api.sql`update onchain.agent set name = 'as it was', updated_block = 600 where token_id = any(${undone})`;
      await showBlock(block);
      // What a reorganisation may take back is compared once a second: until then memory may know more than there is.
      const counted = async (where: string) =>
        Number((await api.sql(`select count(*) from onchain.agent where ${where}`))[0].count);
      await until("memory has looked again", async () => {
        const all = await page("spam=true&limit=1");
        const back = await page("spam=true&limit=1&search=as%20it%20was");
        return all.total === (await counted("true")) && back.total === (await counted("name = 'as it was'"));
      });
      await ask(seed);
    }
    expect(list!.stats()).toMatchObject({ loads: 1, error: null });
  });
});

describe("freshness", () => {
  it("a new agent, a changed agent and a changed score show soon", async () => {
    await writeAgents(api.pool, [plainAgent(0), plainAgent(1), plainAgent(2)]);
    await remember({ pollMs: 250 });
    await writeScores(api.pool, [[1, 90]]);
    await until("the score shows", async () => (await ids("sort=credScore&order=desc"))[0] === 1);
    await writeAgents(api.pool, [
      plainAgent(2, { name: "Renamed", updatedBlock: 1001 }),
      plainAgent(3, { updatedBlock: 1001 }),
    ]);
    await plantCheckpoint(api.pool, { block: 1001, finalized: 900 });
    await until("the agents show", async () => String(await ids("sort=name&order=desc")) === "2,3,1,0");
    expect(await fromMemory(() => ids("search=renamed"))).toEqual([2]);
  });

  it("after a transfer the new owner is found and the old one not, from memory and by SQL", async () => {
    const [seller, buyer] = ["d", "e"].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
    await writeAgents(api.pool, [plainAgent(0), plainAgent(1, { owner: seller })]);
    await remember();
    const expectFound = async (owner: string, expected: number[]) => {
      const [upper, start] = [owner.toUpperCase().replace("X", "x"), owner.slice(0, 5)];
      for (on of [true, false])
        for (const query of [
          ...[`agents?search=${owner}`, `agents?search=${upper}`, `agents?search=${start}`, `agents?owner=${upper}`],
          ...[`search?q=${owner}`, `search?q=${start}`, `search?owner=${owner}`, `search?q=number&owner=${owner}`],
        ]) {
          const { agents } = await api.read<Page>(`/api/v2/${query}`);
          expect([query, ...agents.map(({ tokenId }) => tokenId)]).toEqual([query, ...expected]);
        }
    };
    await expectFound(seller, [1]);
    await expectFound(buyer, []);
    await writeAgents(api.pool, [plainAgent(1, { owner: buyer, updatedBlock: 1001 })]);
    await showBlock(1001);
    await expectFound(buyer, [1]);
    await expectFound(seller, []);
  });

  it("an answer that must hold a block holds it, although memory has not seen it", async () => {
    const { line, url } = await throughProxy(api.database.url);
    closeLine = line.close;
    await writeAgents(api.pool, [plainAgent(0)]);
    await remember({ url });
    expect(await fromMemory(() => ids(""))).toEqual([0]);
    line.be({ kind: "silent" });
    await writeAgents(api.pool, [plainAgent(1, { name: "Newcomer", updatedBlock: 1001 })]);
    const waiting = api.get("/api/v2/agents?minBlock=1001&search=newcomer");
    await plantCheckpoint(api.pool, { block: 1001, finalized: 900 });
    const { headers, body } = await waiting;
    expect(Number(headers.get("x-indexed-block"))).toBeGreaterThanOrEqual(1001);
    expect((body as never as Page).agents.map(({ tokenId }) => tokenId)).toEqual([1]);
    // So does one that only tells which block it is of.
    expect(await ids("")).toEqual([0, 1]);
    expect(list!.block).toBe(1000);
  });

  it("a switch to another index is followed, and nothing of the old one shows after it", async () => {
    await writeAgents(api.pool, [plainAgent(0), plainAgent(1)]);
    await remember();
    await api.sql(`
      begin;
      update onchain.agent set name = 'Of the new index ' || token_id, updated_block = 100;
      update onchain.index_state set schema = 'index_test_1';
      select pg_notify('onchain', '1000');
      commit`);
    await until("the new index shows", async () => (await page("search=new%20index")).total === 2);
    await until("memory answers again", () => list!.ready && list!.stats().loads === 2);
    expect((await fromMemory(() => page("search=number"))).total).toBe(0);
  });
});

describe("a whole address", () => {
  it("finds a wallet's own agents first, then those it owns, then those that only name it", async () => {
    const [wallet, other] = ["c", "d"].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
    const named = { agentAddress: wallet, owner: other };
    const owned = { agentAddress: other, owner: wallet };
    const own = { agentAddress: wallet, owner: wallet };
    await writeAgents(api.pool, [
      plainAgent(1, named),
      plainAgent(2, owned),
      plainAgent(3, own),
      plainAgent(4, owned),
      plainAgent(5, own),
      plainAgent(6),
    ]);
    await remember();
    expect(await ids(`search=${wallet}`)).toEqual([3, 5, 2, 4, 1]);
    expect(await ids(`owner=${wallet}`)).toEqual([2, 3, 4, 5]);
    for (const [order, expected] of [
      ["asc", [3, 5, 2, 4, 1]],
      ["desc", [5, 3, 4, 2, 1]],
    ] as const) {
      const query = `search=${wallet}&sort=name&order=${order}&limit=1`;
      const seen = await walked(
        (cursor) => page(`${query}${cursor}`),
        ({ agents }) => agents,
      );
      expect(seen.map(({ tokenId }) => tokenId)).toEqual(expected);
    }
  });
});

describe("SQL answers", () => {
  it("while the feed is silent or broken, and memory again after it", async () => {
    const { line, url } = await throughProxy(api.database.url);
    closeLine = line.close;
    await writeAgents(api.pool, [plainAgent(0), plainAgent(1)]);
    await remember({ url, maxAgeMs: NEVER });
    for (const fail of [() => line.be({ kind: "silent" }), line.cut]) {
      await fail();
      const best = 1 + (await ids("sort=credScore&order=desc"))[0]!;
      await writeScores(api.pool, [[best % 2, 60 + best * 10 + (fail === line.cut ? 5 : 0)]]);
      const shown = () => ids("sort=credScore&order=desc");
      await until("the change shows all the same", async () => (await shown())[0] === best % 2);
      expect(list!.ready).toBe(false);
      await line.cut();
      await line.mend();
      await until("memory answers again", async () => {
        const { fromMemory } = answered;
        const [first] = await shown();
        return answered.fromMemory > fromMemory && first === best % 2;
      });
    }
  });

  it("what is too large to be kept", async () => {
    await writeAgents(api.pool, [plainAgent(0), plainAgent(1)]);
    list = openAgentList({ url: api.database.url, db: api.deps.db, memory: new MemoryBudget(1000) });
    await until("it is found too large", () => list!.stats().phase === "too large");
    const { fromMemory } = answered;
    expect(await ids("")).toEqual([0, 1]);
    expect(answered.fromMemory).toBe(fromMemory);
  });

  it("while memory is loading", async () => {
    await writeAgents(api.pool, [plainAgent(0)]);
    list = openAgentList({ url: api.database.url, db: api.deps.db });
    expect(await ids("")).toEqual([0]);
  });
});

it("an agent that has no stored score yet is listed by the score that it shows", async () => {
  // Points and age give the second 38, so that it belongs between the two that are stored.
  await writeAgents(api.pool, [plainAgent(0), plainAgent(1, { points: "100" }), plainAgent(2)]);
  await writeScores(api.pool, [
    [0, 60],
    [2, 20],
  ]);
  await remember();
  const { body } = await api.get("/api/v2/agent/1");
  for (const memory of [true, false]) {
    on = memory;
    const { agents } = await page("sort=credScore&order=desc");
    expect(agents.map(({ tokenId, credScore }) => [tokenId, credScore])).toEqual([
      [0, 60],
      [1, 38],
      [2, 20],
    ]);
    expect(body.credScore).toBe(38);
    expect((await api.get("/api/v2/search?minCred=38&tier=marginal")).body).toMatchObject({
      total: 1,
      agents: [{ tokenId: 1, credScore: 38 }],
    });
    expect((await api.get("/api/v2/leaderboard")).body.agents).toMatchObject([
      { rank: 1, tokenId: 0 },
      { rank: 2, tokenId: 1 },
      { rank: 3, tokenId: 2 },
    ]);
  }
});
