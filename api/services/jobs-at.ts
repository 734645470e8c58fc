/** Reading a job that one has seen: jobs are read from the chain beside the index. */
import { setTimeout as delay } from "node:timers/promises";
import { fail } from "../../core/errors.ts";
import { agentCommerce } from "../../db/commerce/job-figures.ts";
import type { HandlerDeps } from "../handler-deps.ts";

/** Max milliseconds of the wait, and milliseconds between two checks. */
const WAIT_MS = 5_000;
const LOOK_MS = 100;

/**
 * Waits until jobs are read up to a block, and those of the agent weighed.
 * @param block undefined returns at once, and so it does where no jobs are read or the agent has no wallet
 * @throws Failure indexer_behind when that takes too long
 */
export async function waitForJobs(
  { db, index }: Pick<HandlerDeps, "db" | "index">,
  id: number,
  block: number | undefined,
): Promise<void> {
  if (block === undefined) return;
  for (let waited = 0; ; waited += LOOK_MS) {
    const found = await agentCommerce(db, id);
    if (!found?.contract || found.wallet === null || (found.current && found.readTo! >= block)) return;
    if (waited >= WAIT_MS)
      fail("indexer_behind", `Jobs are not read up to block ${block} yet.`, { extra: { indexedBlock: index.block } });
    await delay(LOOK_MS);
  }
}
