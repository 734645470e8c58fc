/** Waits for jobs: the workers read them from the chain, so they may be behind the index. */
import { agentCommerce } from "../../db/commerce/job-figures.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown } from "./until-shown.ts";

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
  const isRead = async () => {
    const found = await agentCommerce(db, { id });
    return !found?.contract || found.wallet === null || (found.current === true && found.readTo! >= block);
  };
  await untilShown({ index }, `Jobs are not read up to block ${block} yet.`, [isRead]);
}
