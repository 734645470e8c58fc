/** Reads the payments to agents' wallets from the chain, and the transfers that show whose money it was: cohort by cohort, within a budget of requests. */
import type { Block, FoundLog } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { COHORT_SIZE, RANGE_BLOCKS } from "../../core/income/requests.ts";
import { MIN_MOVED_UNITS } from "../../core/income/rules.ts";
import { AUTHORIZATION_USED, TRANSFER, topicOf, transfersIn } from "../../core/payments/transfers.ts";
import { finalBlockOf } from "../../db/events/dispatch.ts";
import { addressesOf, type Cohort, type CohortKind, cohorts } from "../../db/income/followed.ts";
import { type Move, marksOf, putOff, storeRange } from "../../db/income/moves.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import { counting, lastTrue, type RangeChain, readLogs } from "../chain-ranges.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 60_000;
/** Failures in a row from which on a cohort is made two, and milliseconds after the first failure until it is read again. */
const [FAILURES_TO_SPLIT, RETRY_MS] = [3, 60_000];

/** Requests beyond the budget of the runs before: a range is read to its end. */
let owed = 0;

/**
 * Resumes: with the cohort that was read longest ago. A cohort that fails while the nodes answer is put off, from a
 * minute to a day, and halved after three failures in a row; the run continues with the others.
 * Bound: 10,000 requests a day (`income-requests` of DAILY_BUDGETS); half for those near the head while others are
 * behind it.
 */
export const income = defineJob({
  name: "income",
  schedule: { everyMs: EVERY_MS },
  followedBy: ["income-followed-young", "income-figures"],
  async run(context) {
    const { db, chain, clock, config } = context;
    if (config.incomeRequestsPerDay === 0) return 0;
    const allowance = Math.ceil((config.incomeRequestsPerDay * EVERY_MS) / DAY_MS);
    const budget = { left: allowance - owed };
    const all = await cohorts(db, { now: clock() });
    let stored = 0;
    try {
      const head = all.length > 0 && budget.left > 0 ? await chain.block("latest") : null;
      if (head === null) return 0;
      const [behind, near] = [true, false].map((is) =>
        all.filter((one) => one.readTo < head.number - RANGE_BLOCKS === is),
      );
      const read = { context, chain: counting(chain, budget), head };
      const kept = behind!.length > 0 ? allowance / 2 : 0;
      for (const one of near!) if (budget.left > kept) stored += (await readOn(read, one)).stored;
      let open = behind!;
      while (open.length > 0 && budget.left > 0) {
        const next: Cohort[] = [];
        for (const one of open) {
          if (budget.left <= 0) break;
          const done = await readOn(read, one);
          stored += done.stored;
          if (done.readTo > one.readTo && done.readTo < head.number) next.push({ ...one, readTo: done.readTo });
        }
        open = next;
      }
      return stored;
    } finally {
      owed = Math.max(0, -budget.left);
    }
  },
});

type Reading = { context: JobContext; chain: RangeChain; head: Block };
type Done = { readTo: number; stored: number };

/** Reads the next range of a cohort; puts it off where that fails. */
async function readOn({ context, chain, head }: Reading, cohort: Cohort): Promise<Done> {
  const nothing = { readTo: cohort.readTo, stored: 0 };
  try {
    return (await readCohort({ context, chain, head }, cohort)) ?? nothing;
  } catch (err) {
    // Without an index the agents of the events are not known: the next run continues here.
    if (isNoIndex(err)) throw err;
    // If no node answers at all, this throws: the run ends, and the cohort is not put off.
    await context.chain.headBlock();
    const { id, failures } = cohort;
    context.log.warn({ err, cohort: id }, "payments to some wallets could not be read; they are read later");
    const nextTryAt = new Date(context.clock().getTime() + Math.min(DAY_MS, RETRY_MS * 2 ** Math.min(failures, 11)));
    await putOff(context.db, id, { split: failures + 1 >= FAILURES_TO_SPLIT, nextTryAt });
    return nothing;
  }
}

/** @returns null where the chain says something else than a moment ago, or another run has read on */
async function readCohort({ context, chain, head }: Reading, cohort: Cohort): Promise<Done | null> {
  const { db, clock, config } = context;
  const { id, kind } = cohort;
  const finalBlock = await finalBlockOf(db);
  const last = await lastTrue(chain, cohort, await marksOf(db, { cohort: id }));
  if (last === null) return null;
  const from = last.block + 1;
  const to = Math.min(head.number, last.block + RANGE_BLOCKS);
  let found: Awaited<ReturnType<typeof readRange>> = { hash: last.hash, moves: [] };
  if (to >= from) {
    const addresses = await addressesOf(db, { cohort: id });
    const usdc = config.contracts.usdc.address;
    found = await readRange(chain, { usdc, kind, addresses, from, to, head: head.number });
  } else if (last.block === cohort.readTo) return null;
  if (found === null) return null;
  const now = clock();
  const events = { since: new Date(now.getTime() - config.eventRetentionMs), finalBlock };
  const stored = await storeRange(db, cohort, { from, to: Math.max(to, last.block), ...found }, now, events);
  return stored === null ? null : { readTo: Math.max(to, last.block), stored };
}

type RangeOf = {
  usdc: Address;
  kind: CohortKind;
  addresses: readonly Address[];
  from: number;
  to: number;
  head: number;
};

/**
 * The transfers of a range with the hash of its last block: payments by authorization to wallets, other transfers of a cent or more
 * to payers and by sides. One request for the logs, one for the authorizations of every 500 senders, and one for a block whose time
 * does not come with its logs, or that may still be taken back.
 * @returns null where the chain was reorganised meanwhile
 * @throws Failure upstream_unavailable
 */
async function readRange(chain: RangeChain, of: RangeOf): Promise<{ hash: string; moves: Move[] } | null> {
  const found = await readLogs(chain, of, () => logsOf(chain, of));
  return found && { hash: found.hash, moves: movesOf(found.logs, found.times, of) };
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
