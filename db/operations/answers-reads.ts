/** Whether a database answers what reads ask, as `/ready` tells it. */
import type pg from "pg";
import { inTime } from "../../runtime/in-time.ts";
import { bytesReceived } from "../sql/turn-pool.ts";
import { readIndexState } from "./index-state.ts";

/**
 * What a read would find, on the connections that reads use: an answer, or other reads that are answered while this one
 * waits for its turn.
 * @param reads where reads are asked @param pools all that may answer them
 */
export async function answersReads(reads: pg.Pool, pools: readonly pg.Pool[], withinMs: number): Promise<boolean> {
  const received = () => pools.reduce((sum, pool) => sum + bytesReceived(pool), 0);
  const before = received();
  const read = readIndexState(reads).then(
    () => true,
    () => false,
  );
  return inTime(read, withinMs, () => received() > before);
}
