/**
 * `npm run bench -- cred [--agents N] [--short]`: compares the set-based score with its formula as a plain SELECT over the
 * kept inputs and over the tables of the facts, and with its writes alone. After each pass every stored row is compared
 * with the formula over the facts, and a share of them with the pure function.
 */
import type pg from "pg";
import { credOf, SIGNALS } from "../core/cred/cred.ts";
import { unixSeconds } from "../core/times.ts";
import { VERIFIED_ACCOUNT } from "../db/agents/attestations.ts";
import { loadFacts } from "../db/agents/facts.ts";
import { recomputeCred } from "../db/cred/cred.ts";
import { fullPass, refreshAges } from "../db/cred/cred-passes.ts";
import { inputColumn, keptScoresSql, scoresSql, tokenRange } from "../db/cred/cred-statement.ts";
import { transaction } from "../db/sql/transaction.ts";
import { atMost, median, printTable } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";

const DAY_MS = 86_400_000;
const DIRTY = 10_000;
/** Agents whose row is compared with the pure function after each pass. */
const PURE = 1_000;

/**
 * An agent in a dirty set by the formula over the facts: 10,300 agents a second were 5.4 × where the formula over a million
 * took 18 s. 20,000 a second there are half of that.
 */
const DIRTY_MOST = 2.7;

const ROW_NEW = "full pass, every row new";
const KEPT = "formula over the inputs";
const FACTS = "formula over the facts";
const NOT_MOVED = "full pass, nothing moved";
const MOVED = "full pass, every row moved";
const WRITES = "those writes alone";
const AGES = "daily ages";
const SETS = "dirty agents, in sets";

/** @param args `--agents N` (default 100,000), `--short` for 20,000 */
export default async function cred(args: string[]): Promise<void> {
  const { agents } = commandLine({ agents: { absent: 100_000, short: 20_000, least: 1 } }, WITH_SHORT, args).numbers;
  await withPostgres("bench-cred", { max: 2, schemas: "both" }, async ({ pool }) => {
    await plantPopulation(pool, agents);
    await measure(pool, agents, 3);
  });
}

async function measure(pool: pg.Pool, agents: number, rounds: number): Promise<void> {
  const start = Date.parse("2026-11-21T00:00:00Z");
  const dirty = Math.min(DIRTY, agents);
  const rates: Record<string, number[]> = {};
  const time = async (name: string, rows: number, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    rates[name] ??= [];
    rates[name].push(rows / ((performance.now() - began) / 1000));
  };
  for (let round = 0; round < rounds; round++) {
    // Each round is a day later: some ages move, as they do in life.
    const now = new Date(start + round * DAY_MS);
    const cause = "bench";
    await pool.query("truncate offchain.cred, offchain.cred_history");
    await time(ROW_NEW, agents, () => fullPass(pool, { now, cause }));
    await expectExact(pool, agents, now);
    await pool.query("vacuum analyze offchain.cred, offchain.cred_history");
    for (const [name, formula] of [
      [KEPT, keptScoresSql(tokenRange)],
      [FACTS, scoresSql(tokenRange)],
    ] as const)
      await time(name, agents, () => sumOf(pool, formula, { now, to: agents }));
    await time(NOT_MOVED, agents, () => fullPass(pool, { now, cause }));
    await pool.query("update onchain.agent set soulbound = not soulbound, updated_block = updated_block + 1");
    await pool.query("vacuum analyze onchain.agent");
    await time(MOVED, agents, () => fullPass(pool, { now, cause }));
    await expectExact(pool, agents, now);
    await pool.query("vacuum analyze offchain.cred, offchain.cred_history");
    await time(WRITES, agents, () => writesAlone(pool));
    const later = new Date(now.getTime() + DAY_MS);
    await time(AGES, agents, () => refreshAges(pool, later));
    await expectExact(pool, agents, later);
    const ids = Array.from({ length: dirty }, (_, i) => Math.floor((i * agents) / dirty));
    await pool.query(
      "update onchain.agent set points = points + 1, updated_block = updated_block + 1 where token_id = any($1)",
      [ids],
    );
    await time(SETS, ids.length, () => recomputeCred(pool, { tokenIds: ids }, { now: later, cause }));
    await expectExact(pool, agents, later);
  }
  report(rates, agents, rounds);
}

/** The formula alone: its statement with nothing but a sum around it. */
const sumOf = (pool: pg.Pool, formula: string, { now, to }: { now: Date; to: number }) =>
  pool.query(`select sum(score) from (${formula}) s where $2::text is null and $3::text is null`, [
    unixSeconds(now),
    ...[null, null, 0, to],
  ]);

/** @throws when a stored row is not what the formula over the facts gives, or the pure function */
async function expectExact(pool: pg.Pool, agents: number, now: Date): Promise<void> {
  const columns = ["score", "seen_block", ...SIGNALS.flatMap((signal) => [signal.key, inputColumn(signal)])];
  const { rows } = await pool.query(
    `select count(*)::int as wrong from (${scoresSql(tokenRange)}) n full join offchain.cred c using (token_id)
     where $2::text is null and $3::text is null
       and (${columns.map((column) => `n.${column} is distinct from c.${column}`).join(" or ")})`,
    [unixSeconds(now), null, null, 0, agents],
  );
  if (rows[0].wrong > 0) throw new Error(`${rows[0].wrong} scores are not those of the formula over the facts`);
  const step = Math.max(1, Math.floor(agents / PURE));
  const ids = Array.from({ length: Math.floor(agents / step) }, (_, i) => i * step);
  for (const facts of await loadFacts(pool, ids)) {
    const { score, raw } = credOf(facts, now);
    const differs = SIGNALS.some(({ key }) => facts.cred?.raw[key] !== raw[key]);
    if (facts.cred?.score !== score || differs) throw new Error(`the score of agent ${facts.tokenId} is wrong`);
  }
}

/** What a pass writes where every score moved, without computing any of it; undone at once. */
async function writesAlone(pool: pg.Pool): Promise<void> {
  const undone = new Error("undone");
  await transaction(pool, async (tx) => {
    await tx.query(
      "update offchain.cred set score = score + 1, soulbound = 100 - soulbound, seen_block = seen_block + 1",
    );
    await tx.query(
      `insert into offchain.cred_history (token_id, score, cause, block, at)
       select token_id, score, 'bench', seen_block, now() from offchain.cred order by token_id`,
    );
    throw undone;
  }).catch((error) => {
    if (error !== undone) throw error;
  });
}

function report(rates: Record<string, number[]>, agents: number, rounds: number): void {
  const rate = (name: string) => median(rates[name]!);
  console.log(`${agents.toLocaleString("en")} agents, medians of ${rounds} interleaved rounds, fsync on\n`);
  const columns = ["agents/s", ["s per million", 1], ["× of inputs", 1], ["× of facts", 1]] as const;
  const row = printTable("", columns, 27);
  for (const name of Object.keys(rates)) {
    const own = rate(name);
    row(name, own, 1e6 / own, rate(KEPT) / own, rate(FACTS) / own);
  }
  console.log("");
  const goal = (what: string, ratio: number, most: number) =>
    console.log(atMost(what, ratio, most, { unit: " ×", digits: 2 }));
  goal("formula over the inputs, of the formula over the facts", rate(FACTS) / rate(KEPT), 0.11);
  goal("full pass, nothing moved, of the formula over the inputs", rate(KEPT) / rate(NOT_MOVED), 8);
  goal("full pass, every row moved, of the formula over the inputs", rate(KEPT) / rate(MOVED), 8);
  goal("its writes alone, of the formula over the inputs", rate(KEPT) / rate(WRITES), 8);
  goal("an agent of the dirty sets, of the formula over the facts", rate(FACTS) / rate(SETS), DIRTY_MOST);
}

/** A believable population: most agents young and plain, some with profile, proofs and attestation. */
export async function plantPopulation(pool: pg.Pool, agents: number): Promise<void> {
  await pool.query(
    `insert into onchain.agent (token_id, agent_address, owner, name, framework, minted_at, minted_block, mint_tx, verified,
       soulbound, origin, generation, parent_id, mutation_count, version, points, trait_count, narrative, narrative_at, updated_block)
     select i, '0x' || lpad(to_hex(i), 40, '0'), '0x' || lpad(to_hex(i / 2), 40, '0'), 'Agent ' || i, 'custom',
       1790000000 + (i::int8 * 5184000) / $1, 1, '0x', i % 3 = 0, i % 5 = 0, i % 4, 0, 0, 0, '1.0', 40 + i % 60, i % 11,
       case when i % 4 = 0 then jsonb_build_object('origin', 'o' || i, 'mission', 'm', 'lore', '', 'manifesto', '') end,
       case when i % 4 = 0 then '{"origin": 1790000000, "mission": 1790000000}'::jsonb end, 1
     from generate_series(0, $1::int4 - 1) i`,
    [agents],
  );
  await pool.query(
    `insert into onchain.trait (token_id, position, name, category, added_at, tx_hash)
     select token_id, n, 'chain ' || n, 'skill', 0, '0x' from onchain.agent, generate_series(1, trait_count) n`,
  );
  await pool.query(
    `insert into offchain.profile_field (token_id, field, value, written_at)
     select i, 'narrative.' || f, to_jsonb('text of ' || i), now()
     from generate_series(0, $1::int4 - 1, 2) i, unnest('{origin,mission,lore}'::text[]) f`,
    [agents],
  );
  await pool.query(
    `insert into offchain.profile_trait (token_id, name, category)
     select i, 'trait ' || n, 'skill' from generate_series(0, $1::int4 - 1, 3) i, generate_series(1, 2) n`,
    [agents],
  );
  await pool.query(
    `insert into offchain.proof (token_id, platform, account_id, handle, evidence, status, verified_at, checked_at)
     select i, p, i, 'h' || i, '{}', case when i % 40 = 0 then 'lapsed' else 'verified' end, now(), now()
     from generate_series(0, $1::int4 - 1, 5) i, unnest('{x,github}'::text[]) p`,
    [agents],
  );
  await pool.query(
    `insert into offchain.exchange_verification (token_id, attestation_uid, attester, schema_uid, recipient, expires_at, verified_at)
     select token_id, '0x' || token_id, '0x', '0x', owner, 0, now() from onchain.agent where token_id % 10 = 0`,
  );
  await pool.query(
    `insert into onchain.attestation (uid, schema, attester, recipient, data, attested_at, expires_at, revoked_at, block, tx_hash)
     select attestation_uid, '0x', '0x', recipient, '${VERIFIED_ACCOUNT}', 0, 0, token_id % 20 / 10, 1, '0x' from offchain.exchange_verification`,
  );
  await pool.query("vacuum analyze");
}
