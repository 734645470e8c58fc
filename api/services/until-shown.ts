/** Reading one's own write: what is shown follows the index after a moment. */
import { setTimeout as delay } from "node:timers/promises";
import { fail } from "../../core/errors.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait. */
const WAIT_MS = 5_000;

/**
 * Waits until each of these is the case, one after the other, for as long as a reader may wait in all.
 * @param missing says what is not shown yet, a sentence for the reader
 * @param everyMs between two looks
 * @throws Failure indexer_behind with that sentence when it takes too long
 */
export async function untilShown(
  { index }: Pick<HandlerDeps, "index">,
  missing: string,
  looks: readonly (() => Promise<boolean> | boolean)[],
  everyMs = 100,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (const isShown of looks)
    if (!(await isSoon(isShown, deadline, everyMs)))
      fail("indexer_behind", missing, { extra: { indexedBlock: index.block } });
}

/**
 * Looks until something is shown; there is one look in any case.
 * @param deadline time of `performance.now()` @param everyMs between two looks
 * @returns whether it is shown
 */
export async function isSoon(
  look: () => Promise<boolean> | boolean,
  deadline: number,
  everyMs: number,
): Promise<boolean> {
  while (!(await look())) {
    if (performance.now() >= deadline) return false;
    await delay(everyMs);
  }
  return true;
}
