/** Whether a database answers what reads ask, as `/ready` tells it. */
import type pg from "pg";
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
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, withinMs, null);
  const answer = await Promise.race([read, late.promise]);
  clearTimeout(timer);
  return answer ?? received() > before;
}
