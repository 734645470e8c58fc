/** Waits for payments and jobs: the workers read them from the chain, so they may be behind the index. */
import { agentCommerce } from "../../db/commerce/job-figures.ts";
import { incomeOf } from "../../db/income/income-figures.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown } from "./until-shown.ts";

/** @param what subject of the sentence for a reader whose wait is over */
const waitingFor =
  (what: string, isRead: (db: Queryable, id: number, block: number) => Promise<boolean>) =>
  async ({ db, index }: Pick<HandlerDeps, "db" | "index">, id: number, block: number | undefined): Promise<void> => {
    if (block === undefined) return;
    await untilShown({ index }, `${what} are not read up to block ${block} yet.`, [() => isRead(db, id, block)]);
  };

/**
 * Waits until the payments to an agent's wallet are read up to a block, and weighed.
 * @throws Failure indexer_behind when that takes too long
 */
export const waitForIncome = waitingFor("Payments", async (db, id, block) => {
  const found = await incomeOf(db, { id });
  return found === null || (found.current === true && (found.readTo ?? -1) >= block);
});

/**
 * Waits until jobs are read up to a block, and those of the agent weighed: not where no jobs are read or the agent has no wallet.
 * @throws Failure indexer_behind when that takes too long
 */
export const waitForJobs = waitingFor("Jobs", async (db, id, block) => {
  const found = await agentCommerce(db, { id });
  return !found?.contract || found.wallet === null || (found.current === true && found.readTo! >= block);
});
