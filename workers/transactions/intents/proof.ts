/** Intents `proof:<tokenId>:<platform>`: the trait that goes with an agent's first proof on a platform. */
import { proofStands, setProofTransaction } from "../../../db/agents/social-proofs.ts";
import { attemptedKey, type Intent } from "../../../db/transactions/transaction-outbox.ts";
import type { IntentEffect } from "./effect.ts";

const proofOf = ({ intentKey }: Intent) => {
  const [, tokenId, platform] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), platform: platform ?? "" };
};

/** The proof counts since its own record was stored; the effect only adds the transaction to that record. */
export const proofEffect: IntentEffect = {
  prefix: "proof",

  /**
   * A reorganisation may have given the token's id to another agent; then its proofs are gone too.
   * Check then write: the proof is valid, then the signature; it may lapse before the block. Accepted: one block.
   */
  async refusal({ db }, intent) {
    return (await proofStands(db, proofOf(intent))) ? null : "the proof does not stand any more";
  },

  async mined(tx, intent, receipt) {
    await setProofTransaction(tx, proofOf(intent), receipt.hash);
  },

  async failed() {},

  async undone(tx, intent) {
    await setProofTransaction(tx, proofOf(intent), null);
  },
};
