/** Looks up the transactions that the files of reviews name as their payment: what their logs say is what counts, and only while the chain has them. */
import type { Chain } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import { type ProofTransaction, proofOf } from "../../core/reviews/feedback-files.ts";
import { type DueProof, dueProofs, putOffProof, storeProof } from "../../db/reviews/payment-proofs.ts";
import { defineJob } from "../job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 15_000;
/** Age of a block in seconds from which on no reorganisation takes it back, and of a review from which on a transaction that no node has is not looked for. */
const [FINAL_AFTER_SECONDS, SOUGHT_SECONDS] = [3_600, 7 * 86_400];
const RETRY_MS = 600_000;

/**
 * Resumes: with the transactions that are due, one of each reviewer before a second of any; those in young blocks
 * again and again until they are an hour old. What no node answers about while they answer is put off; while none
 * answers the run ends.
 * Bound: 5,000 a day (`review-proofs` of DAILY_BUDGETS), two requests each, however many the reviews name.
 */
export const paymentProofs = defineJob({
  name: "payment-proofs",
  schedule: { everyMs: EVERY_MS, readsPayments: true },
  async run({ db, chain, clock, log, config }) {
    const perRun = Math.ceil((config.reviewProofsPerDay * EVERY_MS) / DAY_MS);
    if (perRun === 0) return 0;
    const due = await dueProofs(db, { now: clock(), limit: perRun });
    let stored = 0;
    for (const one of due) {
      try {
        const { blockHash, found } = await readTransaction(chain, one.txHash);
        const { reviewer, wallets, wallet, owner } = { ...one, reviewer: one.client };
        const { usdc } = config.contracts;
        const proof = proofOf(found, { reviewer, wallets, wallet, owner }, usdc.address, one.givenAt);
        const paid = proof.paid && { ...proof.paid, at: found!.at };
        const nextAt = nextLook(found, one, clock());
        await storeProof(db, one, { state: proof.state, paid, blockHash, nextAt });
        stored += 1;
      } catch (error) {
        if (!(error instanceof Failure && error.code === "upstream_unavailable")) throw error;
        await chain.headBlock();
        log.info({ txHash: one.txHash }, "no node says what a transaction did that a review names");
        await putOffProof(db, { ...one, nextAt: new Date(clock().getTime() + RETRY_MS) });
      }
    }
    return stored;
  },
});

/** A transaction in a canonical block; `found` is null where the chain has none. */
async function readTransaction(
  chain: Pick<Chain, "receipt" | "block">,
  hash: Hex,
): Promise<{ found: ProofTransaction; blockHash: Hex | null }> {
  const receipt = await chain.receipt(hash);
  const block = receipt && (await chain.block(receipt.block));
  if (!receipt || block?.hash !== receipt.blockHash) return { found: null, blockHash: null };
  return { found: { status: receipt.status, logs: receipt.logs, at: block.timestamp }, blockHash: block.hash };
}

/** When to look again: often while the block is young, rarely for what is not there, at last never. */
function nextLook(found: ProofTransaction, { givenAt }: DueProof, now: Date): Date | null {
  const seconds = now.getTime() / 1_000;
  const age = Math.max(0, seconds - (found?.at ?? givenAt));
  if (age >= (found === null ? SOUGHT_SECONDS : FINAL_AFTER_SECONDS)) return null;
  return new Date((seconds + Math.max(EVERY_MS / 1_000, found === null ? age : age / 8)) * 1_000);
}
