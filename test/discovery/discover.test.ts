/** The search for agents: what it reads out of a query, how it ranks, and what no stranger's text can do to it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DiscoverQuery } from "../../core/discovery/query.ts";
import { readQuery } from "../../core/discovery/read-query.ts";
import { wordsOf } from "../../core/discovery/words.ts";
import { discover } from "../../db/discovery/discover.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

const NOW = new Date("2026-11-01T00:00:00Z");
const DAY_MS = 86_400_000;
let database: TestDatabase;

type Agent = {
  name: string;
  description: string;
  owner?: string;
  cred?: number;
  age?: number;
  x402?: boolean;
  platform?: string;
};
let made = 0;

/** Adds rows to the directory and brings the documents up to date. @returns their ids */
async function add(agents: readonly Agent[]): Promise<number[]> {
  const rows = agents.map(
    ({ name, description, owner, cred = 30, age = 100, x402 = false, platform = "agentverse" }) => ({
      name,
      description,
      cred,
      x402,
      platform,
      agentId: `agent-${made++}`,
      owner: owner ?? `owner-${made}`,
      at: new Date(NOW.getTime() - age * DAY_MS),
    }),
  ); // prettier-ignore
  const { rows: ids } = await database.pool.query(
    `insert into offchain.directory (platform, agent_id, name, description, owner_address, cred_score, x402_supported, created_at, chain_id)
     select r.platform, r."agentId", r.name, r.description, r.owner, r.cred, r.x402, r.at, 8453
     from jsonb_to_recordset($1) r(platform text, "agentId" text, name text, description text, owner text, cred int2, x402 bool, at timestamptz)
     returning id`,
    [JSON.stringify(rows)],
  );
  await follow();
  return ids.map(({ id }) => id);
}

async function follow() {
  while ((await followDirectory(database.pool, NOW)).more);
}

const ask = (q: string, more: Partial<DiscoverQuery> = {}) => discover(database.pool, { q, limit: 10, ...more }, NOW);
const idsOf = async (q: string, more: Partial<DiscoverQuery> = {}) =>
  (await ask(q, more)).hits.map((hit) => hit.directoryId);

beforeAll(async () => {
  database = await testDatabase({ indexed: true });
});
afterAll(() => database?.drop());

describe("a query", () => {
  it("gives its protocols and its price limit as preferences", () => {
    expect(readQuery("audit solidity x402 under 5 cents")).toMatchObject({ speaks: ["x402"], maxPrice: 0.05 });
    expect(readQuery("feed < $0.02").maxPrice).toBe(0.02);
    expect(readQuery("the top 5 under 30").maxPrice).toBe(null);
  });
  it("has phrases, alternatives and exclusions", () => {
    const read = readQuery('"price feed" solana OR ethereum -bitcoin');
    expect(read.needs.map(({ alternatives, required }) => [alternatives, required])).toEqual([
      [[["price", "feed"]], true],
      [[["solana"], ["ethereum"]], false],
    ]);
    expect(read.excluded).toEqual([["bitcoin"]]);
  });
  it("is split where scripts have no spaces, and ranges are of the text as written", () => {
    expect(wordsOf("图像生成", 9).map(({ word }) => word)).toEqual(["图像", "像生", "生成"]);
    expect(wordsOf("Él traduce", 9)[0]).toMatchObject({ word: "el", from: 0, to: 2 });
  });
});

describe("the search", () => {
  it("finds words by their stems, accents, misspellings and beginnings", async () => {
    const [id] = await add([{ name: "Ondine", description: "Transcribes underwater acoustics in Curaçao." }]);
    for (const q of ["transcribing acoustics", "curacao", "acuostics", "underwater acou", "ONDINE"])
      expect(await idsOf(q), q).toContain(id);
    expect((await ask("acuostics")).understood.corrected).toEqual([{ from: "acuostics", to: "acoustics" }]);
    const [hit] = (await ask("acoustics")).hits;
    const { text, ranges } = hit!.highlights[0]!;
    expect(ranges.map(([from, to]) => text.slice(from, to))).toEqual(["acoustics"]);
  });

  it("takes phrases in quotes, alternatives and exclusions exactly", async () => {
    const [together, apart] = await add([
      { name: "Alba", description: "Harvests glacier moss daily." },
      { name: "Brio", description: "Moss of every glacier." },
    ]);
    expect(await idsOf('"glacier moss"')).toEqual([together]);
    expect((await idsOf("glacier OR nonexistentword")).sort()).toEqual([together, apart].sort());
    expect(await idsOf("moss -harvests")).toEqual([apart]);
  });

  it("finds a changed description, and no removed agent", async () => {
    const [id] = await add([{ name: "Corvo", description: "Paints fences." }]);
    await database.pool.query("update offchain.directory set description = 'Repairs zeppelins.' where id = $1", [id]);
    await follow();
    expect(await idsOf("zeppelins")).toEqual([id]);
    expect(await idsOf("fences")).toEqual([]);
    await database.pool.query("update offchain.directory set removed_at = now() where id = $1", [id]);
    await follow();
    expect(await idsOf("zeppelins")).toEqual([]);
  });

  it("puts an honest agent before a stuffed one of higher cred", async () => {
    const stuffed = "falconry lessons, falconry training, falconry tutor, falcons, ".repeat(20);
    const [honest] = await add([
      { name: "Hobby", description: "Falconry lessons for beginners, with your own bird.", cred: 30 },
      { name: "Falconry Falconry", description: stuffed, cred: 50 },
    ]);
    expect((await idsOf("falconry lessons"))[0]).toBe(honest);
  });

  it("shows one of fifty copies: the oldest, also where other owners registered the others", async () => {
    const text = (n: number) =>
      `Beekeeper ${n} inspects apiaries, counts hives, predicts swarms, and orders winter feed for every colony it is asked to care for in the valley.`;
    const [original] = await add([{ name: "Apis", description: text(0), cred: 20, age: 300 }]);
    await add(Array.from({ length: 49 }, (_, i) => ({ name: `Apis #${i}`, description: text(i), cred: 50, age: 10 })));
    const page = await ask("apiaries swarms");
    expect(page.hits.map((hit) => [hit.directoryId, hit.copies])).toEqual([[original, 49]]);
  });

  it("takes no rating of unknown wallets for feedback", async () => {
    const [id] = await add([{ name: "Vela", description: "Sews spinnakers.", platform: "erc8004" }]);
    const before = (await ask("spinnakers")).hits[0]!;
    await database.pool.query(`update offchain.directory set registry = '0x8004', token_id = 424242 where id = $1`, [
      id,
    ]); // prettier-ignore
    await database.pool.query(
      `insert into onchain.erc8004_feedback (registry, agent_id, client, feedback_index, value, value_decimals, tag1, tag2, endpoint,
         feedback_uri, feedback_hash, revoked, given_at, block, tx_hash)
       select '0x8004', 424242, '0xfeed' || n, 1, 100, 0, '', '', '', '', '0x', false, 0, 1, '0x' from generate_series(1, 200) n`,
    );
    await follow();
    const [after] = (await ask("spinnakers")).hits;
    expect(after!.trust).toBe(before.trust);
    expect(after!.factors.find(({ key }) => key === "feedback")?.says).toBe("No known client rated it.");
  });

  it("counts facets as they are, and pages through all without repetition", async () => {
    const ids = await add(
      Array.from({ length: 23 }, (_, i) => ({
        name: `Tarn ${String.fromCharCode(97 + i)}`,
        description: `Dredges lagoon ${String.fromCharCode(97 + i).repeat(4)}.`,
        x402: i % 3 === 0,
        platform: i % 2 ? "virtuals" : "agentverse",
      })),
    );
    const seen: number[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 9; pages++) {
      const page = await ask("lagoon", { limit: 5, ...(cursor && { cursor }) });
      expect([page.total, page.totalIsExact]).toEqual([23, true]);
      expect(page.facets.platform).toEqual([
        { value: "agentverse", count: 12 },
        { value: "virtuals", count: 11 },
      ]);
      expect(page.facets.accepts).toEqual([{ value: "x402", count: 8 }]);
      seen.push(...page.hits.map((hit) => hit.directoryId));
      if (!page.nextCursor) break;
      cursor = page.nextCursor;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(new Set(seen).size).toBe(23);
    expect(await idsOf("lagoon", { accepts: "x402", platform: ["virtuals"], limit: 50 })).toHaveLength(4);
  });

  it.each([
    "'",
    "\\",
    "a & | ! <-> :*",
    "!t9",
    '"',
    '""',
    "-",
    "--",
    "\u0000",
    "(((",
    "%%%",
    "or or or",
    '-"',
    "\ud800",
    "a".repeat(10_000),
    "((a|b)+)+$".repeat(40),
    "under $ cents",
    "< $999999999999",
    "\u0301".repeat(300),
    "x402 -x402",
    "'); drop table offchain.directory; --",
  ])("answers the hostile query %j", async (q) => {
    await expect(ask(q)).resolves.toMatchObject({ hits: expect.any(Array) });
  }); // prettier-ignore

  it("is not raised by marks in an agent's text", async () => {
    const [plain, hostile] = await add([
      { name: "Rill", description: "Measures brooks with patience." },
      { name: "Runnel", description: "Measures brooks with !t9 '!v1':1A trust." },
    ]);
    const trusts = new Map((await ask("brooks")).hits.map((hit) => [hit.directoryId, hit.trust]));
    expect(trusts.get(hostile!)).toBe(trusts.get(plain!));
    expect(await idsOf("brooks", { verified: true })).toEqual([]);
  });
});
