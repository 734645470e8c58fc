/** The set-based score equals the pure one on thousands of random agents, and stays right under every kind of change. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { AgentFacts } from "../../core/agents/facts.ts";
import { credOf, SIGNALS } from "../../core/cred/cred.ts";
import type { RawSignals } from "../../core/signals/signals.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { recomputeCred, retractCred } from "../../db/cred/cred.ts";
import {
  CHECKS_OF_ALL,
  checkCred,
  fullPass,
  missedScores,
  reconcileCred,
  refreshAges,
  staleScores,
} from "../../db/cred/cred-passes.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { addressOf, type RandomAgent, randomAgents } from "../support/agents.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { isDeep, shareOf } from "../support/share.ts";

const NOW = new Date("2026-11-21T12:00:00.500Z");
const DAY_MS = 86_400_000;
/** A failing run names it; `npm run trial -- fuzz` takes it. */
const { seed } = inject("fuzz");

type Stored = { score: number; raw: RawSignals; seenBlock: number };

let db: TestDatabase;

async function stored(): Promise<Map<number, Stored>> {
  const { rows } = await db.pool.query("select * from offchain.cred");
  return new Map(
    rows.map((row) => [
      Number(row.token_id),
      {
        score: row.score,
        raw: Object.fromEntries(SIGNALS.map(({ key }) => [key, row[key]])) as RawSignals,
        seenBlock: Number(row.seen_block),
      },
    ]),
  );
}

function expectEqual(actual: Map<number, Stored>, facts: AgentFacts[], at: Date) {
  const wrong = facts.filter((f) => {
    const { score, raw } = credOf(f, at);
    const row = actual.get(f.tokenId);
    return (
      row?.score !== score || SIGNALS.some(({ key }) => row.raw[key] !== raw[key]) || row.seenBlock !== f.updatedBlock
    );
  });
  const example = wrong[0] && { facts: wrong[0], pure: credOf(wrong[0], at), sql: actual.get(wrong[0].tokenId) };
  expect(example, `seed ${seed}: ${wrong.length} of ${facts.length} differ`).toBeUndefined();
  expect(actual.size).toBe(facts.length);
}

const history = async (tokenId: number) =>
  (await db.rows("select score, cause, block::int4 from offchain.cred_history where token_id = $1 order by id", [
    tokenId,
  ])) as { score: number; cause: string; block: number }[];

const setBlock = (tokenId: number, block: number) =>
  db.pool.query("update onchain.agent set updated_block = $2 where token_id = $1", [tokenId, block]);

/** Changes an agent as the indexer would, in a block. */
const setPoints = (tokenId: number, points: number, block: number) =>
  db.pool.query("update onchain.agent set points = $2, updated_block = $3 where token_id = $1", [
    tokenId,
    points,
    block,
  ]);

const AGENTS = shareOf(10_000, 1_000);

describe(`${AGENTS} random agents`, () => {
  const agents: RandomAgent[] = randomAgents(AGENTS, NOW, seed);
  const facts = agents.map((agent) => agent.facts);
  const ids = facts.map((f) => f.tokenId);

  beforeAll(async () => {
    db = await testDatabase({ indexed: true });
    await plantAgents(db.pool, agents);
  });
  afterAll(() => db.drop());

  it("are loaded as they were planted", async () => {
    expect(await loadFacts(db.pool, ids), `seed ${seed}`).toEqual(facts);
  });

  it("are scored alike by SQL and by the pure function", async () => {
    const { changed } = await recomputeCred(db.pool, { tokenIds: ids }, { now: NOW, cause: "test" });
    expectEqual(await stored(), facts, NOW);
    expect(changed).toEqual(facts.map((f) => ({ tokenId: f.tokenId, score: credOf(f, NOW).score, previous: null })));
    // The draw must reach every tier and every signal's both ends, or it proves little.
    const creds = facts.map((f) => credOf(f, NOW));
    for (const { key } of SIGNALS) expect(new Set(creds.map(({ raw }) => raw[key])).size, key).toBeGreaterThan(1);
    expect(Math.min(...creds.map((c) => c.score))).toBeLessThan(26);
    expect(Math.max(...creds.map((c) => c.score))).toBeGreaterThan(
      inject("fuzz").share === 1 ? 90 : isDeep() ? 75 : 70,
    );
  });

  it("are left alone, row by row, when nothing changed", async () => {
    const versions = "select token_id, xmin::text from offchain.cred order by token_id";
    const before = await db.rows(versions);
    expect(await fullPass(db.pool, { now: NOW, cause: "test" })).toBe(0);
    expect(await recomputeCred(db.pool, { tokenIds: ids.slice(0, AGENTS / 3) }, { now: NOW, cause: "test" })).toEqual({
      changed: [],
    });
    expect(await db.rows(versions)).toEqual(before);
  });

  it("carry their score in their facts", async () => {
    const [loaded] = await loadFacts(db.pool, [7]);
    const { score, raw } = credOf(facts[7]!, NOW);
    expect(loaded!.cred).toEqual({ score, raw, seenBlock: facts[7]!.updatedBlock, computedAt: NOW.toISOString() });
  });

  it("age and expire as the clock says, with one call", async () => {
    for (const days of [1, 2, 7]) {
      const later = new Date(NOW.getTime() + days * DAY_MS + 1);
      await refreshAges(db.pool, later);
      expectEqual(await stored(), facts, later);
      expect(await refreshAges(db.pool, later)).toBe(0);
    }
    const expired = facts.find(
      (f) => f.exchange?.expiresAt === Math.floor(NOW.getTime() / 1000) + 1 && credOf(f, NOW).raw.coinbase === 100,
    )!;
    expect((await history(expired.tokenId)).map((point) => point.cause)).toContain("expiry");
  });

  it("without their inputs, from a former version, wait for those: their score stays", async () => {
    const [id] = ids;
    const before = await stored();
    await db.pool.query("update offchain.cred set seen_block = -1, age_input = null where token_id = $1", [id]);
    const later = new Date(NOW.getTime() + 8 * DAY_MS);
    await refreshAges(db.pool, later);
    const { rows } = await db.pool.query("select score from offchain.cred where token_id = $1", [id]);
    expect(rows).toEqual([{ score: before.get(id!)!.score }]);
    await recomputeCred(db.pool, { tokenIds: [id!] }, { now: later, cause: "test" });
    expectEqual(await stored(), facts, later);
  });

  it("are scored alike by a full pass at a later time, from the kept inputs", async () => {
    for (const days of [8, 400]) {
      const later = new Date(NOW.getTime() + days * DAY_MS);
      await fullPass(db.pool, { now: later, cause: "test" });
      expectEqual(await stored(), facts, later);
    }
  });

  it("are scored alike by a full pass from nothing", async () => {
    await db.pool.query("truncate offchain.cred, offchain.cred_history");
    const moved = await fullPass(db.pool, { now: NOW, cause: "test" });
    expect(moved).toBe(facts.length);
    expectEqual(await stored(), facts, NOW);
  });
});

describe("a change", () => {
  const agents = randomAgents(40, NOW, seed);
  /** Token 3: nothing but its points speaks for it. */
  const plain = (f: AgentFacts): AgentFacts => ({
    ...f,
    ...{ points: 0, verified: false, soulbound: false, origin: 3, mintedAt: NOW.getTime() / 1000, updatedBlock: 100 },
    ...{ traits: [], proofs: [], profile: [], exchange: null, onchainNarrative: null, narrativeAt: null },
  });
  agents[3] = { ...agents[3]!, facts: plain(agents[3]!.facts), onchainTraits: 0 };
  agents[3].facts.mintedAt = Math.floor(NOW.getTime() / 1000);
  const all = agents.map((agent) => agent.facts.tokenId);
  const options = { now: NOW, cause: "test" };

  beforeEach(async () => {
    db = await testDatabase({ indexed: true });
    await plantAgents(db.pool, agents);
    return () => db.drop();
  });

  it("moves the score with a point of history, cause and block", async () => {
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    await setPoints(3, 50, 110);
    const { changed } = await recomputeCred(db.pool, { tokenIds: [3, 3] }, { now: NOW, cause: "agent.points_awarded" });
    expect(changed).toEqual([{ tokenId: 3, score: 25, previous: 5 }]);
    expect(await history(3)).toEqual([
      { score: 5, cause: "test", block: 100 },
      { score: 25, cause: "agent.points_awarded", block: 110 },
    ]);
  });

  it("that moves no score is remembered as seen, without a point", async () => {
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    await setBlock(3, 120);
    expect(await recomputeCred(db.pool, { tokenIds: [3] }, options)).toEqual({ changed: [] });
    expect((await stored()).get(3)!.seenBlock).toBe(120);
    expect(await history(3)).toHaveLength(1);
  });

  it("of the owner ends an exchange attestation", async () => {
    const verification = { attestation_uid: "0x1", attester: "0x2", schema_uid: "0x3", recipient: addressOf(3, 1) };
    await db.plant("exchange_verification", { token_id: 3, ...verification });
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    expect((await stored()).get(3)).toMatchObject({ score: 20, raw: { coinbase: 100 } });
    await db.pool.query("update onchain.agent set owner = $1 where token_id = 3", [addressOf(4, 1)]);
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    expect((await stored()).get(3)).toMatchObject({ score: 5, raw: { coinbase: 0 } });
  });

  it("rolled back with its transaction leaves the old score", async () => {
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    const failed = transaction(db.pool, async (tx) => {
      await tx.query("update onchain.agent set points = 50 where token_id = 3");
      expect((await recomputeCred(tx, { tokenIds: [3] }, options)).changed).toHaveLength(1);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect((await stored()).get(3)!.score).toBe(5);
    expect(await history(3)).toHaveLength(1);
  });

  it("missed by everybody is found by its block", async () => {
    await fullPass(db.pool, options);
    await setPoints(3, 50, 130);
    await db.pool.query("delete from offchain.cred where token_id = 5");
    expect(await reconcileCred(db.pool, NOW)).toBe(2);
    expect((await stored()).get(3)).toMatchObject({ score: 25, seenBlock: 130 });
    expect((await stored()).has(5)).toBe(true);
    expect(await history(3)).toHaveLength(2);
    // Its history was complete: the score came back, not a new one.
    expect(await history(5)).toHaveLength(1);
    expect(await reconcileCred(db.pool, NOW)).toBe(0);
  });

  it("missed without a block is found by the checks of a day, once", async () => {
    await fullPass(db.pool, options);
    await db.pool.query("insert into offchain.profile_trait (token_id, name, category) values (3, 'unseen', 'skill')");
    expect(await fullPass(db.pool, options)).toBe(0);
    const day = async () => {
      const found = { moved: 0, missed: 0 };
      for (let n = 0; n < CHECKS_OF_ALL; n++) {
        const { moved, missed } = await checkCred(db.pool, NOW);
        found.moved += moved;
        found.missed += missed;
      }
      return found;
    };
    expect(await day()).toEqual({ moved: 1, missed: 1 });
    expect((await stored()).get(3)).toMatchObject({ raw: { traits: 12 } });
    expect(await day()).toEqual({ moved: 0, missed: 0 });
    expect(await missedScores(db.pool)).toBe(1);
    // What a newer block explains was not missed: its job is on its way.
    await setPoints(3, 50, 130);
    expect(await day()).toEqual({ moved: 1, missed: 0 });
  });

  it("that ends an agent ends its score and history, in a set as in a full pass", async () => {
    await fullPass(db.pool, options);
    await db.pool.query("delete from onchain.agent where token_id in (0, 39)");
    expect(await staleScores(db.pool)).toBe(2);
    await reconcileCred(db.pool, NOW);
    expect((await stored()).has(0)).toBe(false);
    expect(await history(39)).toEqual([]);
    await db.pool.query("delete from onchain.agent where token_id >= 30");
    await fullPass(db.pool, options);
    expect([...(await stored()).keys()].toSorted((a, b) => a - b)).toEqual(all.filter((id) => id > 0 && id < 30));
  });

  it("before the first index says so by its code", async () => {
    await db.pool.query("drop schema onchain cascade");
    await expect(recomputeCred(db.pool, { tokenIds: [3] }, options)).rejects.toMatchObject({ code: "42P01" });
  });
});

describe("a reorganisation", () => {
  const agents = randomAgents(4, NOW, seed).map((agent) => ({
    ...agent,
    facts: { ...agent.facts, points: 0, updatedBlock: 100, verified: false },
  }));
  const score = (points: number) => credOf({ ...agents[3]!.facts, points }, NOW).score;
  const recompute = () => recomputeCred(db.pool, { tokenIds: [3] }, { now: NOW, cause: "agent.points_awarded" });
  const points = async () => (await history(3)).map(({ score, block }) => [score, block]);

  beforeEach(async () => {
    db = await testDatabase({ indexed: true });
    await plantAgents(db.pool, agents);
    for (const [value, block] of [
      [0, 100],
      [10, 110],
      [20, 120],
      [30, 130],
    ] as const) {
      await setPoints(3, value, block);
      await recompute();
    }
    return () => db.drop();
  });

  it("takes back the history from its block on, and the score", async () => {
    await setPoints(3, 10, 110);
    const { changed } = await retractCred(
      db.pool,
      [
        { tokenId: 3, block: 120 },
        { tokenId: 3, block: 130 },
      ],
      NOW,
    );
    expect(changed).toEqual([{ tokenId: 3, score: score(10), previous: score(30) }]);
    expect(await points()).toEqual([
      [score(0), 100],
      [score(10), 110],
    ]);
  });

  it("that brings the same event back in another block keeps the score and dates its point anew", async () => {
    await setPoints(3, 30, 131);
    const { changed } = await retractCred(db.pool, [{ tokenId: 3, block: 130 }], NOW);
    expect(changed).toEqual([]);
    expect(await points()).toEqual([
      [score(0), 100],
      [score(10), 110],
      [score(20), 120],
      [score(30), 131],
    ]);
  });

  it("of the mint itself leaves nothing, and another agent of that id begins anew", async () => {
    await db.pool.query("delete from onchain.agent where token_id = 3");
    await retractCred(db.pool, [{ tokenId: 3, block: 100 }], NOW);
    expect(await points()).toEqual([]);
    expect((await stored()).has(3)).toBe(false);
  });

  it("is part of the transaction that finds it", async () => {
    await setPoints(3, 0, 100);
    await expect(
      transaction(db.pool, async (tx) => {
        await retractCred(tx, [{ tokenId: 3, block: 110 }], NOW);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await points()).toHaveLength(4);
  });
});

describe("at the same time", () => {
  const agents = randomAgents(300, NOW, seed);
  const options = { now: NOW, cause: "test" };

  beforeAll(async () => {
    db = await testDatabase({ indexed: true });
    await plantAgents(db.pool, agents);
    await fullPass(db.pool, options);
  });
  afterAll(() => db.drop());

  it("a recompute beside a write in progress waits for it and then sees it", async () => {
    const ids = agents.map((agent) => agent.facts.tokenId);
    await db.pool.query("update onchain.agent set verified = false, points = 0 where token_id = 3");
    await recomputeCred(db.pool, { tokenIds: [3] }, options);
    // Seen by nobody yet: both have something to write.
    await db.pool.query("update onchain.agent set soulbound = not soulbound where token_id = 3");
    const writer = await db.pool.connect();
    await writer.query("begin");
    await writer.query("update onchain.agent set verified = true where token_id = 3");
    await recomputeCred(writer, { tokenIds: [3] }, options);
    // It begins before the writer commits: with what it could read now, it would write a score that is too old.
    const reader = recomputeCred(db.pool, { tokenIds: [3] }, options);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await db.pool.query(waiting)).rowCount).toBe(1);
    await writer.query("commit");
    writer.release();
    await reader;
    expectEqual(await stored(), await loadFacts(db.pool, ids), NOW);
  });

  it("writers, sets and full passes never deadlock and end in the true score", async () => {
    const ids = agents.map((agent) => agent.facts.tokenId);
    const write = (n: number) =>
      transaction(db.pool, async (tx) => {
        const tokenId = (n * 37) % ids.length;
        const field = ["origin", "mission", "lore", "manifesto"][n % 4];
        await tx.query(
          `insert into offchain.profile_field (token_id, field, value, written_at) values ($1, $2, $3, now())
           on conflict (token_id, field) do update set value = excluded.value, written_at = excluded.written_at`,
          [tokenId, `narrative.${field}`, JSON.stringify(n % 3 === 0 ? "" : `text ${n}`)],
        );
        await recomputeCred(tx, { tokenIds: [tokenId, (tokenId + 11) % ids.length] }, options);
      });
    const work = Array.from({ length: 150 }, (_, n) => n).map((n) =>
      n % 25 === 0
        ? fullPass(db.pool, options)
        : n % 5 === 0
          ? recomputeCred(db.pool, { tokenIds: ids.filter((id) => id % 3 === n % 3).toReversed() }, options)
          : write(n),
    );
    const failures = (await Promise.allSettled(work)).filter((outcome) => outcome.status === "rejected");
    expect(failures).toEqual([]);
    expectEqual(await stored(), await loadFacts(db.pool, ids), NOW);
    // The last point of every history is the score.
    const { rows } = await db.pool.query(
      `select c.token_id from offchain.cred c where c.score is distinct from
        (select h.score from offchain.cred_history h where h.token_id = c.token_id order by h.id desc limit 1)`,
    );
    expect(rows).toEqual([]);
  });
});
