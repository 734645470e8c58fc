/** Reading one's own review: figures follow the index after a moment. */
import { setTimeout as delay } from "node:timers/promises";
import { fail } from "../../core/errors.ts";
import type { RegistryAgent } from "../../db/reviews/review-facts.ts";
import { figuresAreCurrent } from "../../db/reviews/review-pages.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait, and milliseconds between two checks. */
const WAIT_MS = 5_000;
const LOOK_MS = 100;

/**
 * Waits until an agent's figures are of the index as it is, which shows a block that was asked for.
 * @param block undefined returns at once
 * @throws Failure indexer_behind when that takes too long
 */
export async function waitForFigures(
  { db, index }: Pick<HandlerDeps, "db" | "index">,
  agent: RegistryAgent,
  block: number | undefined,
): Promise<void> {
  if (block === undefined) return;
  for (let waited = 0; !(await figuresAreCurrent(db, agent)); waited += LOOK_MS) {
    if (waited >= WAIT_MS)
      fail("indexer_behind", `The reviews of block ${block} are not weighed yet.`, {
        extra: { indexedBlock: index.block },
      });
    await delay(LOOK_MS);
  }
}
