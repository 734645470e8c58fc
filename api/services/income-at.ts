/** Waits for payments: the workers read them from the chain, so they may be behind the index. */
import { incomeOf } from "../../db/income/income-figures.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown } from "./until-shown.ts";

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
  const isRead = async () => {
    const found = await incomeOf(db, { id });
    return found === null || (found.current === true && (found.readTo ?? -1) >= block);
  };
  await untilShown({ index }, `Payments are not read up to block ${block} yet.`, [isRead]);
}
