/** How many requests agents' jobs take. */
import { logsPrice, RANGE_BLOCKS } from "../income/requests.ts";

/** Requests for the newest blocks: the mark before, the last block twice, the logs. */
const HEAD_REQUESTS = 4;

/**
 * What reading a contract's jobs takes, without those that are found (a request for each block with one near the head, and where
 * nodes say no times with logs; one for the token of a range that funds one).
 * @param blocks from the contract's first to the head @param logsRange blocks of logs that the nodes take at once; null: any number
 * @returns `past`: requests until they are read, `budget`: what they count; `pass`: requests each time that the newest are read
 */
export function commerceRequests(blocks: number, logsRange: number | null) {
  const ranges = Math.ceil(blocks / RANGE_BLOCKS);
  return {
    past: ranges * (2 + Math.ceil(RANGE_BLOCKS / Math.min(logsRange ?? RANGE_BLOCKS, RANGE_BLOCKS))),
    budget: ranges * (2 + logsPrice(RANGE_BLOCKS)),
    pass: HEAD_REQUESTS,
  };
}
