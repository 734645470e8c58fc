/** Pages of the directory from memory, from indexed SQL and from an array in this test: thousands of random questions, before and after random changes. */
import fc from "fast-check";
import { beforeAll, expect, inject, test } from "vitest";
import { MemoryBudget } from "../../columns/memory-budget.ts";
import { DIRECTORY_FILTERS } from "../../core/directory/filters.ts";
import { storeEthosScores } from "../../db/directory/ethos.ts";
import { listByIndexes } from "../../db/directory/list.ts";
import { storeQuotes } from "../../db/directory/markets.ts";
import { findByPlanes, totalsByPlanes } from "../../db/directory/planes/find.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import { type DirectoryQuery, searchedWallet } from "../../db/directory/question-sql.ts";
import { directoryRows } from "../../db/directory/rows.ts";
import { claimToken } from "../../db/directory/token-links.ts";
import { openDirectoryList } from "../../db/lists/directory.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { LONG } from "../../harness/patience.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import {
  directoryQuestion,
  directoryRow,
  type PlantedRow,
  plantDirectory,
  SORTS,
  WALLETS,
} from "../support/directory.ts";
import { forAllLater } from "../support/for-all.ts";
import { bytesOf } from "../support/row-bytes.ts";
import { isDeep } from "../support/share.ts";
import { sql } from "../support/sql.ts";
import { endedPerTest, perFile } from "../support/started.ts";

const ROWS = isDeep() ? 2_500 : 1_200;
const ROUNDS = isDeep() ? 5 : 3;
const QUESTIONS = isDeep() ? 600 : 250;
/** Every run draws other questions; a failing one names its seed, for `npm run trial -- fuzz`. */
const { seed: SEED } = inject("fuzz");
const NOW = Date.UTC(2026, 10, 21, 5, 0, 30);

const db = perFile(testDatabase);
const ended = endedPerTest();
beforeAll(async () => {
  await plantDirectory(db.pool, sample(ROWS, SEED));
  await scoreWallets(SEED);
});
const list = perFile(() => openDirectoryList({ url: db.url, db: db.pool, pollMs: 50, maxAgeMs: LONG }));
const never = perFile(() => openDirectoryList({ url: db.url, db: db.pool, enabled: false }));
beforeAll(() => until("the columns are loaded", () => list.ready));

/** Rows of different keys. */
function sample(count: number, seed: number): PlantedRow[] {
  const rows = fc.sample(directoryRow(NOW), { numRuns: count, seed });
  return [...new Map(rows.map((row) => [`${row.platform} ${row.agent_id}`, row])).values()];
}

/** Ethos answers about the wallets that rows share: of one it knows nothing. */
const scoreWallets = (seed: number) =>
  storeEthosScores(
    db.pool,
    new Map(WALLETS.map((wallet, i) => [wallet, i === seed % 5 ? null : ((seed + i * 7) % 5) * 300])),
    new Date(NOW),
  );

/** Every sort in both directions under every filter: the questions take one after the other, so that none is left out. */
const COMBINATIONS = SORTS.flatMap((sort) =>
  [true, false].flatMap((descending) => DIRECTORY_FILTERS.map((filter) => ({ sort, descending, filter }))),
);
const asked = new Set<string>();
let questions = 0;

async function ask(seed: number): Promise<void> {
  let found = 0;
  await forAllLater(
    [fc.array(directoryQuestion(NOW), { minLength: 10, maxLength: 10 })],
    { numRuns: QUESTIONS / 10, seed, endOnFailure: true },
    async (drawn) => {
      await Promise.all(
        drawn.map(async ({ at, ...more }) => {
          const rest = { ...more, ...COMBINATIONS[questions++ % COMBINATIONS.length]! };
          expect(list.ready).toBe(true);
          const { total } = await list.list({ ...rest, limit: 1, offset: 0 });
          const query = { ...rest, offset: Math.floor(total * at) };
          asked.add(`${query.sort} ${query.descending} ${query.filter}`);
          const answer = await list.list(query);
          const [byIndexes, byPlanes] = await snapshot(db.pool, async (tx) => {
            const found = await findByPlanes(tx, query, questions % 2 === 0 ? 3 : undefined);
            return [await listByIndexes(tx, query), found];
          });
          expect(answer, fc.stringify(query)).toEqual(byIndexes);
          if (byPlanes === undefined) expect(searchedWallet(query), "the planes answer").not.toBe(null);
          else expect(byPlanes, fc.stringify(query)).toEqual(byIndexes);
          found += answer.ids.length;
        }),
      );
    },
  );
  expect(found).toBeGreaterThan(1_000);
}

const settled = async () => {
  const moment = Date.now();
  await until("memory has looked at the database", () => (list.asOf?.getTime() ?? 0) > moment);
};

test(`memory and SQL answer alike through ${ROUNDS} rounds of changes (seed ${SEED})`, async () => {
  expect(await foldPlanes(db.pool, { now: NOW })).toBeGreaterThan(ROWS / 2);
  await ask(SEED);
  for (let round = 1; round < ROUNDS; round++) {
    await plantDirectory(db.pool, sample(150 * round, SEED + round));
    await db.pool.query(
      sql`update offchain.directory set cred_score = (cred_score + 7) % 101 where id % 11 = ${round}`,
    );
    await db.pool.query("update offchain.directory set removed_at = now() where id % 29 = $1", [round]);
    await scoreWallets(SEED + round);
    await storeScores(someScores(SEED + round));
    await settled();
    // By planes and the rows that have changed since, then by planes into which those were folded.
    if (round % 2 === 0) await foldPlanes(db.pool, { now: NOW, foldRows: 1 });
    await ask(SEED + round);
    expect(await snapshot(db.pool, totalsByPlanes)).toEqual(await list.totals());
  }
  expect(asked.size).toBe(SORTS.length * 2 * DIRECTORY_FILTERS.length);
  expect(list.stats()).toMatchObject({ phase: "ready", loads: 1, error: null });
  const totals = await list.totals();
  expect(totals).toEqual(await never.totals());
  expect(totals.total).toBeGreaterThan(500);
});

/** Scores of own agents as a recompute stores them: the directory follows, and nothing else of its rows changes. */
const storeScores = (scores: { token_id: number; score: number }[]) =>
  db.pool.query(
    `insert into offchain.cred (token_id, score, activity, traits, verify, coinbase, age, narrative, origin, soulbound, seen_block, computed_at)
     select token_id, score, 0, 0, 0, 0, 0, 0, 0, 0, 1, now() from json_to_recordset($1) as s(token_id int8, score int2)
     on conflict (token_id) do update set score = excluded.score`,
    [JSON.stringify(scores)],
  );
/** Scores of a third of the own agents that `sample` may give. */
const someScores = (seed: number) =>
  Array.from({ length: 267 }, (_, i) => (seed % 3) + 3 * i).map((token_id) => ({
    token_id,
    score: (token_id * 7 + seed) % 101,
  }));

test("of a changed score nothing else is read, unless more of the row changed in the same time", async () => {
  const changed = async () =>
    (
      await db.rows(
        `select d.agent_id, s.row_xid = s.changed_xid as whole from offchain.directory_score s join offchain.directory d using (id)
         where d.platform = 'helixa' and d.agent_id in ('901', '902', '903') order by d.agent_id`,
      )
    ).map(({ agent_id, whole }) => [agent_id, whole]);
  const own = ["901", "902", "903"].map((agent_id) => ({ platform: "helixa", agent_id, name: "own", cred_score: 1 }));
  const store = (score: number) => storeScores([901, 902, 903].map((token_id) => ({ token_id, score })));
  /** Ids in the order of their last change, and the total, from memory and by SQL. */
  const query: DirectoryQuery = {
    ...PREFERRED,
    filter: "all",
    minScore: 42,
    maxScore: 44,
    sort: "updated_at",
    limit: 50,
  };
  const alike = async () => {
    await settled();
    expect(await list.list(query)).toEqual(await never.list(query));
  };
  await plantDirectory(db.pool, own);
  await store(42);
  expect(await changed()).toEqual(own.map(({ agent_id }) => [agent_id, false]));
  await alike();
  const client = await db.pool.connect();
  try {
    await client.query("begin");
    await client.query("update offchain.directory set name = 'renamed' where platform = 'helixa' and agent_id = '902'");
    await settled();
    await client.query("commit");
  } finally {
    client.release();
  }
  await store(43);
  expect(await changed()).toEqual(own.map(({ agent_id }) => [agent_id, false]));
  await alike();
  const renamed = { ...query, q: "renamed" };
  expect(await list.list(renamed)).toEqual(await never.list(renamed));
  expect((await list.list(renamed)).total).toBe(1);
  // In one transaction with a score, and after it: what is set for the statement of the scores ends with it.
  await db.pool.query(
    `update offchain.cred set score = 44 where token_id = 901; update offchain.directory set name = 'twice' where platform = 'helixa' and agent_id = '901'`,
  );
  expect(await changed()).toContainEqual(["901", true]);
  await alike();
  expect((await list.list({ ...query, q: "twice" })).total).toBe(1);
  await db.pool.query("delete from offchain.directory where platform = 'helixa' and agent_id = '903'");
  await alike();
});

test("indexed SQL answers as a sort of all rows does", async () => {
  const { rows } = await db.pool.query(
    `select id, cred_score, market_cap_usd from offchain.directory where removed_at is null and x402_supported`,
  );
  const x402 = rows as { id: string; cred_score: number; market_cap_usd: number | null }[];
  for (const descending of [true, false]) {
    const sorted = x402
      .toSorted((a, b) => {
        const [left, right] = [a.market_cap_usd, b.market_cap_usd];
        if (left === null || right === null)
          return Number(left === null) - Number(right === null) || Number(a.id) - Number(b.id);
        return (descending ? right - left : left - right) || Number(a.id) - Number(b.id);
      })
      .map(({ id }) => Number(id));
    for (const offset of [0, Math.floor(sorted.length / 3), Math.floor(sorted.length * 0.7), sorted.length - 5])
      expect(
        await never.list({ filter: "x402", sort: "token_market_cap", descending, offset, limit: 10, now: NOW }),
      ).toEqual({ total: sorted.length, ids: sorted.slice(offset, offset + 10) });
  }
});

test("what is shown of a row is made once, and again after every change of it and beside it", async () => {
  const ids = (await list.list({ ...PREFERRED, filter: "all", limit: 100 })).ids;
  const made: number[] = [];
  const make = async (missing: readonly number[]) => {
    made.push(...missing);
    const rows = await directoryRows(db.pool, missing);
    return new Map(rows.map((row) => [row.id, Buffer.from(JSON.stringify(row))]));
  };
  /** What is shown equals the rows, and was made of so many of them. */
  const shows = async (again: number[]) => {
    await settled();
    made.length = 0;
    const shown = (await list.shown(ids, make)).map((row) => JSON.parse(bytesOf(row).toString()));
    expect(shown).toEqual(await directoryRows(db.pool, ids));
    expect(made.toSorted((a, b) => a - b)).toEqual(again.toSorted((a, b) => a - b));
  };
  await shows(ids);
  await shows([]);
  const [first, second, third, fourth, fifth] = ids as [number, number, number, number, number];
  await db.pool.query("update offchain.directory set description = 'another one' where id = $1", [first]);
  await shows([first]);
  await claimToken(db.pool, second, { tokenAddress: TOKEN, tokenSymbol: "SAID" }, new Date(NOW));
  await shows([second]);
  const quote = { symbol: "SEEN", name: null, basis: null, priceChange24h: 1, volume24hUsd: 2, liquidityUsd: 3 };
  await storeQuotes(db.pool, [{ token: TOKEN, known: true, marketCapUsd: 4, ...quote }], {
    source: "a market",
    now: new Date(NOW),
  });
  await shows([second]);
  const [wallet, owner] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}` as const);
  await db.pool.query("update offchain.directory set address = $2 where id = $1", [third, wallet]);
  await db.pool.query(sql`update offchain.directory set address = null, owner_address = ${owner} where id = ${fourth}`);
  await shows([third, fourth]);
  const scores = new Map([
    [wallet!, 1_500],
    [owner!, 1_600],
  ]);
  await storeEthosScores(db.pool, scores, new Date(NOW));
  await shows([third, fourth]);
  await storeEthosScores(db.pool, scores, new Date(NOW + 1));
  await shows([]);
  await db.pool.query("delete from offchain.directory where id = $1", [fifth]);
  await settled();
  expect(await list.shown([fifth], make)).toEqual([]);
});

test("a change shows within two seconds of its commit", async () => {
  const { rows } = await db.pool.query(
    "update offchain.directory set cred_score = 100, name = 'zzz the new one' where id = (select max(id) from offchain.directory where removed_at is null) returning id",
  );
  await until("it is found by its new name", async () => {
    const found = await list.list({
      filter: "preferred",
      q: "THE NEW",
      sort: "name",
      descending: false,
      offset: 0,
      limit: 5,
      now: NOW,
    });
    return found.ids.includes(Number(rows[0].id));
  });
});

const TOKEN = `0x${"c".repeat(40)}`;
const PREFERRED: DirectoryQuery = {
  filter: "preferred",
  sort: "cred_score",
  descending: true,
  offset: 0,
  limit: 1,
  now: NOW,
};

test("a commit of many rows shows whole or not at all", async () => {
  await db.pool.query("update offchain.directory set cred_score = 10 where cred_score <> 10");
  await until("nobody is preferred", async () => (await list.list(PREFERRED)).total === 0);
  const { rowCount } = await db.pool.query("update offchain.directory set cred_score = 95 where removed_at is null");
  expect(rowCount).toBeGreaterThan(ROWS / 2);
  const seen = new Set<number>();
  await until("all are preferred", async () => {
    for (let i = 0; i < 20; i++) {
      seen.add((await list.list(PREFERRED)).total);
      await new Promise((done) => setImmediate(done));
    }
    return seen.has(rowCount!);
  });
  expect([...seen].filter((total) => total !== 0)).toEqual([rowCount]);
});

test("rows are rendered once while the database is too busy to be followed, and a page says whether it shows a moment", async () => {
  // Never fresh: nothing is compared within less than no time.
  const busy = ended(openDirectoryList({ url: db.url, db: db.pool, maxAgeMs: -1 }));
  await until("the columns are loaded", () => busy.asOf !== undefined);
  expect(busy.ready).toBe(false);
  const { ids } = await busy.list(PREFERRED);
  let rendered = 0;
  const render = async (missing: readonly number[]) => {
    rendered += missing.length;
    return new Map(missing.map((id) => [id, Buffer.from(String(id))]));
  };
  const shown = async () => (await busy.shown(ids, render)).map((row) => Number(bytesOf(row).toString()));
  for (const _ of [1, 2]) expect(await shown()).toEqual(ids);
  expect(rendered).toBe(ids.length);
  expect(busy.shows(Date.now() + 60_000)).toBe(false);
  await until("it shows this moment", () => busy.shows(Date.now() - 60_000));
  expect(openDirectoryList({ url: db.url, db: db.pool, enabled: false }).shows(Date.now() + 60_000)).toBe(true);
});

test("tables share their memory: what does not fit beside the others is answered by SQL", async () => {
  const memory = new MemoryBudget(2 ** 22);
  const options = { url: db.url, db: db.pool, memory };
  const first = openDirectoryList(options);
  const others = {};
  try {
    await until("the first is loaded", () => first.ready);
    // Room for a part of the rows.
    expect(memory.reserve(others, memory.total - first.stats()!.bytes - 100_000)).toBe(true);
    const second = openDirectoryList(options);
    try {
      await until("there is no room for the second", () => second.stats()!.phase === "too large");
      expect(second.ready).toBe(false);
      const query: DirectoryQuery = { ...PREFERRED, q: "bot", limit: 50 };
      expect(await second.list(query)).toEqual(await first.list(query));
      expect(await second.totals()).toEqual(await first.totals());
    } finally {
      await second.close();
    }
  } finally {
    await first.close();
  }
  memory.release(others);
  expect(memory.reserve(others, memory.total)).toBe(true);
});
