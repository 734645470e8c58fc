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
  const deadline = Date.now() + WAIT_MS;
  for (const isShown of looks)
    while (!(await isShown())) {
      if (Date.now() >= deadline) fail("indexer_behind", missing, { extra: { indexedBlock: index.block } });
      await delay(everyMs);
    }
}
