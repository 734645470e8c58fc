/** Intents `exchange:<tokenId>:<attestation>`: the identity contract is told of an exchange verification. */
import { noteExchangeTransaction } from "../../db/attestations.ts";
import { attemptedKey, type Intent } from "../../db/tx-outbox.ts";
import type { IntentEffect } from "../intents.ts";

function subjectOf({ intentKey }: Intent): { tokenId: number; uid: string } {
  const [, tokenId, uid] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), uid: uid! };
}

/** The verification itself stands since it was accepted: it rests on the attestation, not on what the contract noted. */
export const exchangeEffect: IntentEffect = {
  prefix: "exchange",
  async mined(tx, intent, receipt) {
    const { tokenId, uid } = subjectOf(intent);
    await noteExchangeTransaction(tx, tokenId, uid, receipt.hash);
  },
  async failed() {},
  async undone(tx, intent) {
    const { tokenId, uid } = subjectOf(intent);
    await noteExchangeTransaction(tx, tokenId, uid, null);
  },
};
