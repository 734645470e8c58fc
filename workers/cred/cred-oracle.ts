/** Compares the per-token oracle with the scores, and queues the transactions that write what differs. */
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { oracleGas } from "../../core/transactions/gas-bounds.ts";
import {
  oracleState,
  queueOracleBatches,
  type ScoreToCompare,
  scoresToCompare,
  storeOracleReads,
} from "../../db/cred/cred-oracle.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { defineJob } from "../job.ts";
import { type OracleWrite, oracleBatch, readOracle } from "./oracle-reads.ts";

/** Max tokens per call to the chain, and max calls per run; the next run does the rest. */
const TOKENS_PER_CALL = 500;
const CALLS_PER_RUN = 20;
/** Max transactions per run: as many as the sender has under way at once. */
const TRANSACTIONS_PER_RUN = 16;
const DAY_MS = 86_400_000;

/**
 * Resumes: at `compared_at` and the oracle's values as last read; an unreadable token is read again after a day, and a
 * batch that ended is compared again by the next run.
 * Bound: transactions for the per-token oracle, 20,000,000 gas a day (`oracle-gas` of DAILY_BUDGETS), 16 a comparison,
 * within a fifth of the day's budget.
 */
export const credOracle = defineJob({
  name: "cred-oracle",
  // `intervalMs` decides when it compares.
  schedule: { everyMs: 60_000 },
  async run({ db, chain, clock, config, signer }) {
    const { address: oracle, threshold, batch, gasPerDay, intervalMs } = config.credOracle;
    if (!oracle || !signer) return 0;
    const at = clock();
    const day = new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
    const { open, comparedAt, gas } = await oracleState(db, { oracle, day });
    if (open > 0 || (comparedAt !== null && at.getTime() - comparedAt.getTime() < intervalMs)) return 0;
    const wanted = roomFor(gasPerDay - gas, batch);
    const writes = wanted === 0 ? [] : await differing({ db, chain, oracle, threshold, run: at, wanted });
    const batches = Array.from({ length: Math.ceil(writes.length / batch) }, (_, n) =>
      oracleBatch(oracle, writes.slice(n * batch, (n + 1) * batch)),
    );
    return queueOracleBatches(db, oracle, batches, { at, day, gasPerDay });
  },
});

/** The number of scores that whole batches within this gas can write. */
function roomFor(gas: bigint, batch: number): number {
  let scores = 0;
  let left = gas;
  for (let n = 0; n < TRANSACTIONS_PER_RUN && left >= oracleGas(1); n++) {
    const size = Math.min(batch, Number((left - oracleGas(0)) / (oracleGas(1) - oracleGas(0))));
    scores += size;
    left -= oracleGas(size);
  }
  return scores;
}

/** The scores that the oracle, as the chain has it now, does not hold, those that differ most and those written longest ago in turn. */
async function differing(of: {
  db: Queryable;
  chain: Pick<Chain, "call">;
  oracle: Address;
  threshold: number;
  run: Date;
  wanted: number;
}): Promise<OracleWrite[]> {
  const { db, chain, oracle, threshold, run, wanted } = of;
  const writes: OracleWrite[] = [];
  for (let round = 0; round < CALLS_PER_RUN && writes.length < wanted; round++) {
    const scores = await scoresToCompare(db, { oracle, threshold, run, rereadMs: DAY_MS, limit: TOKENS_PER_CALL });
    const held = await readOracle(
      chain,
      oracle,
      scores.map(({ tokenId }) => tokenId),
    );
    const reads = scores.map((score: ScoreToCompare, n) => ({ ...score, held: held[n] ?? null }));
    await storeOracleReads(db, oracle, reads, run);
    for (const { tokenId, score, held: value } of reads) {
      if (value !== null && (value.updatedAt === 0 || Math.abs(score - value.score) >= threshold))
        writes.push({ tokenId, score, held: value });
    }
    if (scores.length < TOKENS_PER_CALL) break;
  }
  const byAge = writes.toSorted((a, b) => a.held.updatedAt - b.held.updatedAt);
  return [...new Set(writes.flatMap((write, n) => [byAge[n]!, write]))].slice(0, wanted);
}
