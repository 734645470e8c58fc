/** The frame of every write about an agent: one transaction that finds the agent, checks its controller, writes, and updates its score. */
import type { OwnedFacts } from "../../core/agents/reservations.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { markOutdated, OWN_ROWS_JOB } from "../../db/directory/own.ts";
import { runSoon } from "../../db/operations/job-runs.ts";
import { type Queryable, rehearsal, transaction } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { type Checkout, FREE_CHECKOUT } from "../payments/checkout.ts";
import { factsOf } from "./agent-facts.ts";

/** The arguments of a write. */
export type Write = {
  tx: Queryable;
  /** As of this transaction: a transfer indexed since the request came in counts. */
  facts: OwnedFacts;
  now: Date;
  /** Whether it has a price. */
  paid: boolean;
};

/** The payment of a write. */
export type Sale = {
  payment: Pick<Checkout, "price" | "settle">;
  /** `<kind>:<id>` of the thing bought. */
  bought: string;
};
const UNSOLD: Sale = { payment: FREE_CHECKOUT, bought: "" };

/** Places where a crash test kills the process, in the order a write passes them. */
export const WRITE_FAULT_POINTS = ["write.before-commit", "write.after-commit"] as const;

/**
 * Runs a write about one agent, after the agent's earlier writes.
 * Check then write: a write with a price is tried and rolled back, so that every refusal comes before the payment, then
 * `settle`, the write and `fulfil`; anything about the agent may change: the write checks again, a refusal after the
 * payment is a credit (`withPayment`), and the payment is used up in the write's own commit.
 * Check then write: who may change the agent, then the write and its score; a transfer may be indexed: advisory lock of
 * the agent, and checked again inside. (verify-wallet.ts keeps the chain's answer, which counts only while the index
 * names that wallet.)
 * The agent's row of the directory follows in a job that runs at once; `writesShown` waits for it.
 * @param authorize throws unless the caller may do it
 * @param work writes; `scored` says whether it may have changed the score, which is then computed in the same commit.
 *   It runs twice where there is a price, so it must not touch anything outside its transaction
 * @throws Failure not_found, indexer_behind, the errors of both functions and those of `settle`
 */
export async function writeAgent<T>(
  deps: HandlerDeps,
  target: { tokenId: number; now: number },
  authorize: (facts: OwnedFacts) => void,
  work: (write: Write) => Promise<{ result: T; scored: boolean; cause?: string }>,
  { payment, bought }: Sale = UNSOLD,
): Promise<T> {
  const now = new Date(target.now);
  const attempt = async (tx: Queryable) => {
    await lockAgentWrites(tx, target.tokenId);
    const facts = await factsOf({ db: tx, config: deps.config }, { tokenId: target.tokenId });
    authorize(facts);
    return work({ tx, facts, now, paid: payment.price > 0n });
  };
  if (payment.price > 0n) await rehearsal(deps.db, attempt);
  const paid = await payment.settle();
  const written = await transaction(deps.db, async (tx) => {
    const { result, scored, cause = "profile" } = await attempt(tx);
    await markOutdated(tx, { tokenId: target.tokenId });
    if (scored) await recomputeCred(tx, { tokenIds: [target.tokenId] }, { now, cause });
    await paid.fulfil(tx, bought);
    deps.fault("write.before-commit");
    return result;
  });
  deps.fault("write.after-commit");
  // Committed is committed: where this fails, the job's schedule reaches the row.
  await runSoon(deps.db, [OWN_ROWS_JOB]).catch(() => {});
  return written;
}
