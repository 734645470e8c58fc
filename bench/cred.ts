/** `npm run bench -- cred [--agents N] [--short]`: the set-based score beside its own formula as a plain SELECT, and beside a loop over agents. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { credOf, SIGNALS } from "../core/cred.ts";
import { unixSeconds } from "../core/times.ts";
import { VERIFIED_ACCOUNT } from "../db/attestations.ts";
import { openPool } from "../db/connect.ts";
import { fullPass, recomputeCred, refreshAges } from "../db/cred.ts";
import { scoresSql, tokenRange } from "../db/cred-statement.ts";
import { loadFacts } from "../db/facts.ts";
import { migrate } from "../db/migrate.ts";
import { transaction } from "../db/transaction.ts";
import { removePostgres, startPostgres } from "../devnet/postgres.ts";
import { plantOnchain } from "../harness/onchain.ts";
import { onchainTables } from "../harness/onchain-tables.ts";

const DAY_MS = 86_400_000;
const DIRTY = 10_000;

/** @param args `--agents N` (default 100,000), `--short` for 20,000 */
export default async function cred(args: string[]): Promise<void> {
  const short = args.includes("--short");
  const wanted = args.indexOf("--agents");
  const agents = wanted >= 0 ? Number(args[wanted + 1]) : short ? 20_000 : 100_000;
  if (!Number.isSafeInteger(agents) || agents < 1) throw new Error("--agents takes a number of agents");
  const rounds = 3;
  const directory = mkdtempSync(join(tmpdir(), "bench-cred-"));
  const server = await startPostgres({ dataDir: join(directory, "pg") });
  const pool = openPool({ connectionString: server.url, max: 2 });
  try {
    await migrate(server.url);
    await plantOnchain(pool, { ddl: onchainTables() });
    await plantPopulation(pool, agents);
    await measure(pool, agents, rounds, 100);
  } finally {
    await pool.end();
    await server.stop();
    // The cluster may have been moved to where its own account can reach it.
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(pool: pg.Pool, agents: number, rounds: number, looped: number): Promise<void> {
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
    await time("full pass, every row new", agents, () => fullPass(pool, { now, cause }));
    await pool.query("vacuum analyze offchain.cred, offchain.cred_history");
    await time("formula only (SELECT)", agents, () =>
      pool.query(`select sum(score) from (${scoresSql(tokenRange)}) s where $2::text is null and $3::text is null`, [
        unixSeconds(now),
        null,
        null,
        0,
        agents,
      ]),
    );
    await time("full pass, nothing moved", agents, () => fullPass(pool, { now, cause }));
    await pool.query("update onchain.agent set soulbound = not soulbound, updated_block = updated_block + 1");
    await pool.query("vacuum analyze onchain.agent");
    await time("full pass, every row moved", agents, () => fullPass(pool, { now, cause }));
    const later = new Date(now.getTime() + DAY_MS);
    await time("daily ages", agents, () => refreshAges(pool, later));
    const ids = Array.from({ length: dirty }, (_, i) => Math.floor((i * agents) / dirty));
    await pool.query(
      "update onchain.agent set points = points + 1, updated_block = updated_block + 1 where token_id = any($1)",
      [ids],
    );
    await time("dirty agents, in sets", ids.length, () =>
      recomputeCred(pool, { tokenIds: ids }, { now: later, cause }),
    );
    const few = ids.slice(0, looped);
    await time("loop: read, compute, write", few.length, () => loop(pool, few, later));
  }
  report(rates, agents, rounds);
}

/** What the sets are compared with: an agent at a time, in a transaction each, computed in this process. */
async function loop(pool: pg.Pool, tokenIds: number[], now: Date): Promise<void> {
  const columns = SIGNALS.map(({ key }) => key);
  for (const tokenId of tokenIds)
    await transaction(pool, async (tx) => {
      const [facts] = await loadFacts(tx, [tokenId]);
      const { score, raw } = credOf(facts!, now);
      await tx.query(
        `update offchain.cred set score = $2, seen_block = $3, computed_at = $4,
           ${columns.map((column, i) => `${column} = $${i + 5}`).join(", ")} where token_id = $1`,
        [tokenId, score, facts!.updatedBlock, now, ...columns.map((column) => raw[column])],
      );
    });
}

function report(rates: Record<string, number[]>, agents: number, rounds: number): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const formula = median(rates["formula only (SELECT)"]!);
  const looped = median(rates["loop: read, compute, write"]!);
  console.log(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  );
  console.log(`${agents.toLocaleString("en")} agents, medians of ${rounds} interleaved rounds, fsync on\n`);
  console.log("                              agents/s   s per million   × formula   × loop");
  for (const [name, values] of Object.entries(rates)) {
    const rate = median(values);
    const cells = [
      Math.round(rate).toLocaleString("en").padStart(10),
      (1e6 / rate).toFixed(1).padStart(13),
      (formula / rate).toFixed(1).padStart(11),
      (rate / looped).toFixed(0).padStart(8),
    ];
    console.log(`${name.padEnd(27)} ${cells.join("  ")}`);
  }
}

/** A believable population: most agents young and plain, some with profile, proofs and attestation. */
async function plantPopulation(pool: pg.Pool, agents: number): Promise<void> {
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
