/** Intents `proof:<tokenId>:<platform>`: the trait that goes with an agent's first proof on a platform. */
import { setProofTransaction } from "../../db/proofs.ts";
import { attemptedKey, type Intent } from "../../db/tx-outbox.ts";
import type { IntentEffect } from "../intents.ts";

const proofOf = ({ intentKey }: Intent) => {
  const [, tokenId, platform] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), platform: platform ?? "" };
};

/** The proof counts from its own record on; here only the record learns of the transaction. */
export const proofEffect: IntentEffect = {
  prefix: "proof",
  async mined(tx, intent, receipt) {
    await setProofTransaction(tx, proofOf(intent), receipt.hash);
  },
  async failed() {},
  async undone(tx, intent) {
    await setProofTransaction(tx, proofOf(intent), null);
  },
};
