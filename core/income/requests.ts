/** How many requests the payments to agents' wallets take, and the sizes of their reads. */
import { INCOME_SECONDS } from "./rules.ts";

/** Blocks of one read. The pool splits its logs into the ranges that the nodes take. */
export const RANGE_BLOCKS = 10_000;
/** Blocks of logs that count as one request of the budget: many nodes return the logs of 2,000 blocks at once. */
const LOG_BLOCKS = 2_000;
/** Addresses that are read by one filter of logs. */
export const COHORT_SIZE = 500;
/** Blocks of the longest window: one takes two seconds on Base. */
export const INCOME_BLOCKS = INCOME_SECONDS / 2;
/** Blocks of the ten minutes within which a new wallet is followed. */
export const FOLLOW_BLOCKS = 300;

/** Requests of the budget that one eth_getLogs over a number of blocks counts as. */
export const logsPrice = (blocks: number): number => Math.max(1, Math.ceil(blocks / LOG_BLOCKS));

/** Requests for a range of the past: the last block of it and of the range before, and its logs in the ranges that nodes take. */
const pastRequests = (logsRange: number) => 2 + Math.ceil(RANGE_BLOCKS / logsRange);
/** Requests for the newest blocks of a cohort: the mark before, the last block twice, the logs. */
const HEAD_REQUESTS = 4;

/**
 * Requests to follow a number of addresses of a kind. Payments that are found take more: one for the authorizations of a
 * range, one for each of its blocks near the head, and one where the nodes send no times with logs.
 * @param logsRange blocks of logs that the nodes take at once; null: any number
 * @returns `past`: requests until their past is read, `budget`: what they count; `pass`: requests each time that the newest blocks
 *   are read
 */
export function incomeRequests(addresses: number, logsRange: number | null) {
  const cohorts = Math.ceil(addresses / COHORT_SIZE);
  const ranges = Math.ceil(INCOME_BLOCKS / RANGE_BLOCKS);
  return {
    cohorts,
    past: cohorts * ranges * pastRequests(Math.min(logsRange ?? RANGE_BLOCKS, RANGE_BLOCKS)),
    budget: cohorts * ranges * (2 + logsPrice(RANGE_BLOCKS)),
    pass: cohorts * HEAD_REQUESTS,
  };
}
