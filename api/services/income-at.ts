/** Reading a payment that one has seen: payments are read from the chain beside the index. */
import { setTimeout as delay } from "node:timers/promises";
import { fail } from "../../core/errors.ts";
import { incomeOf } from "../../db/income/income-figures.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait, and milliseconds between two checks. */
const WAIT_MS = 5_000;
const LOOK_MS = 100;

/**
 * Waits until the payments to an agent's wallet are read up to a block, and weighed.
 * @param block undefined returns at once
 * @throws Failure indexer_behind when that takes too long
 */
export async function waitForIncome(
  { db, index }: Pick<HandlerDeps, "db" | "index">,
  id: number,
  block: number | undefined,
): Promise<void> {
  if (block === undefined) return;
  for (let waited = 0; ; waited += LOOK_MS) {
    const found = await incomeOf(db, id);
    if (found === null || (found.current && (found.readTo ?? -1) >= block)) return;
    if (waited >= WAIT_MS)
      fail("indexer_behind", `Payments are not read up to block ${block} yet.`, {
        extra: { indexedBlock: index.block },
      });
    await delay(LOOK_MS);
  }
}
