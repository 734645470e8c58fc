/** The threads of libuv's pool, where Node reads files and packages with native code compute. */
import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

const TASKS = "/proc/self/task";
const POOL_THREAD = "libuv-worker";

/**
 * Gives the threads of the pool a lower priority than the event loop's, so that where cores are few, what computes there
 * does not delay answers. They are there after the first work of the pool. Linux only: elsewhere nothing changes.
 * @param nice of each thread; 0 is the event loop's
 */
export function lowerPoolPriority(nice: number): void {
  if (process.platform !== "linux") return;
  for (const task of readdirSync(TASKS))
    if (readFileSync(`${TASKS}/${task}/comm`, "utf8").trim() === POOL_THREAD) setPriority(Number(task), nice);
}
