/** Reads the payments to agents' wallets from the chain, and the transfers that show whose money it was: cohort by cohort, within a budget of requests. */
import type { FoundLog } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { AUTHORIZATION_USED, TRANSFER, topicOf, transfersIn } from "../../core/payments/transfers.ts";
import { COHORT_SIZE, type Cohort, type CohortKind, cohorts } from "../../db/income/followed.ts";
import { cohortToRead, type Move, putOff, storeRange } from "../../db/income/moves.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import {
  type BlockRange,
  dailyRequests,
  laterRead,
  RANGE_BLOCKS,
  type RangeChain,
  readLogs,
  readOn,
} from "../chain-ranges.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 60_000;
/** Failures in a row from which on a cohort is made two. */
const FAILURES_TO_SPLIT = 3;
const inBudget = dailyRequests(EVERY_MS);

/**
 * Resumes: with the cohort that was read longest ago. A cohort that fails while the nodes answer is put off, from a
 * minute to a day, and halved after three failures in a row; the run continues with the others.
 * Bound: 10,000 requests a day (`income-requests` of DAILY_BUDGETS); half for those near the head while others are
 * behind it.
 */
export const income = defineJob({
  name: "income",
  schedule: { everyMs: EVERY_MS, readsPayments: true },
  followedBy: ["income-followed-young", "income-figures"],
  async run(context) {
    const { incomeRequestsPerDay } = context.config;
    if (incomeRequestsPerDay === 0) return 0;
    const all = await cohorts(context.db, { now: context.clock() });
    return inBudget(incomeRequestsPerDay, context.chain, async ({ part, budget, chain }) => {
      const head = all.length > 0 && budget.left > 0 ? await context.chain.block("latest") : null;
      if (head === null) return 0;
      const [behind, near] = [true, false].map((is) =>
        all.filter((one) => one.readTo < head.number - RANGE_BLOCKS === is),
      );
      const read = { context, chain, head: head.number };
      let stored = 0;
      const kept = behind!.length > 0 ? part / 2 : 0;
      for (const one of near!) if (budget.left > kept) stored += (await readNext(read, one)).stored;
      let open = behind!;
      while (open.length > 0 && budget.left > 0) {
        const next: Cohort[] = [];
        for (const one of open) {
          if (budget.left <= 0) break;
          const done = await readNext(read, one);
          stored += done.stored;
          if (done.readTo > one.readTo && done.readTo < head.number) next.push({ ...one, readTo: done.readTo });
        }
        open = next;
      }
      return stored;
    });
  },
});

type Reading = { context: JobContext; chain: RangeChain; head: number };

/** Reads the next range of a cohort; puts it off where that fails. */
async function readNext({ context, chain, head }: Reading, cohort: Cohort) {
  const nothing = { readTo: cohort.readTo, stored: 0 };
  try {
    return (await readCohort({ context, chain, head }, cohort)) ?? nothing;
  } catch (err) {
    // Without an index the agents of the events are not known: the next run continues here.
    if (isNoIndex(err)) throw err;
    const { id, failures } = cohort;
    const nextTryAt = await laterRead(context, failures);
    context.log.warn({ err, cohort: id }, "payments to some wallets could not be read; they are read later");
    await putOff(context.db, id, { split: failures + 1 >= FAILURES_TO_SPLIT, nextTryAt });
    return nothing;
  }
}

async function readCohort({ context, chain, head }: Reading, cohort: Cohort) {
  const { db, clock, config } = context;
  const { id, kind } = cohort;
  const { ends, addresses, finalBlock } = await cohortToRead(db, { cohort: id });
  return readOn(chain, head, {
    at: cohort,
    blocks: RANGE_BLOCKS,
    ends,
    rows: (range) => readRange(chain, { usdc: config.contracts.usdc.address, kind, addresses, ...range }),
    store({ rows: moves, ...read }) {
      const now = clock();
      const events = { since: new Date(now.getTime() - config.eventRetentionMs), finalBlock };
      return storeRange(db, cohort, { ...read, addresses, moves }, now, events);
    },
  });
}

type RangeOf = BlockRange & { usdc: Address; kind: CohortKind; addresses: readonly Address[]; head: number };

/**
 * The transfers of a range with the hash of its last block: payments by authorization to wallets, other transfers of a cent or more
 * to payers and by sides. One request for the logs, one for the authorizations of every 500 senders, and one for a block whose time
 * does not come with its logs, or that may still be taken back.
 * @returns null where the chain was reorganised meanwhile
 * @throws Failure upstream_unavailable
 */
async function readRange(chain: RangeChain, of: RangeOf): Promise<{ hash: string; rows: Move[] } | null> {
  const logs = await readLogs(chain, of, () => logsOf(chain, of));
  return logs && { hash: logs.hash, rows: movesOf(logs.logs, logs.times, of) };
}

async function logsOf(chain: RangeChain, { usdc, kind, addresses, from, to }: RangeOf): Promise<FoundLog[]> {
  const topics = addresses.map(topicOf);
  const range = { address: usdc, fromBlock: from, toBlock: to };
  const of = kind === "side" ? [TRANSFER, topics] : [TRANSFER, null, topics];
  const transfers = (await chain.logs({ ...range, topics: of })).filter(({ block }) => block >= from && block <= to);
  if (kind !== "wallet") return transfers;
  const senders = [...new Set(transfers.flatMap((log) => (log.topics.length === 3 ? [log.topics[1]!] : [])))];
  const used: FoundLog[] = [];
  for (let at = 0; at < senders.length; at += COHORT_SIZE)
    used.push(...(await chain.logs({ ...range, topics: [AUTHORIZATION_USED, senders.slice(at, at + COHORT_SIZE)] })));
  // Senders use authorizations to pay others, too.
  const blocks = new Set(transfers.map(({ blockHash }) => blockHash));
  return [...transfers, ...used.filter(({ blockHash }) => blocks.has(blockHash))];
}

function movesOf(logs: readonly FoundLog[], times: ReadonlyMap<string, number>, of: RangeOf): Move[] {
  const { usdc, kind, addresses } = of;
  const followed = new Set<string>(addresses);
  const isOurs = (from: string, to: string) => followed.has(kind === "side" ? from : to);
  return [...Map.groupBy(logs, ({ blockHash }) => blockHash)].flatMap(([blockHash, inBlock]) => {
    const byIndex = new Map(inBlock.map((log) => [log.logIndex, log]));
    return transfersIn(inBlock, usdc).flatMap(({ logIndex, from, to, value, nonce }): Move[] => {
      const counts = kind === "wallet" ? nonce !== null : value >= MIN_MOVED_UNITS;
      const { block, txHash } = byIndex.get(logIndex)!;
      if (!counts || !isOurs(from, to)) return [];
      const place = { blockHash, logIndex, block, at: times.get(blockHash)!, txHash };
      return [{ ...place, sender: from, recipient: to, units: value, nonce: kind === "wallet" ? nonce : null }];
    });
  });
}
