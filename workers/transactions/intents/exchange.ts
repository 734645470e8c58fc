/** Intents `exchange:<tokenId>:<owner>`: an exchange verification is written into the identity contract, once for each owner. */
import { noteExchangeTransaction } from "../../../db/agents/attestations.ts";
import { attemptedKey, type Intent } from "../../../db/transactions/transaction-outbox.ts";
import type { IntentEffect } from "./effect.ts";

/** @returns `by`: the owner; in keys of former versions, the attestation */
function subjectOf({ intentKey }: Intent): { tokenId: number; by: string } {
  const [, tokenId, by] = attemptedKey(intentKey).split(":");
  return { tokenId: Number(tokenId), by: by! };
}

/** The verification counts since it was accepted: it depends on attestations, not on the contract's record. */
export const exchangeEffect: IntentEffect = {
  prefix: "exchange",
  async mined(tx, intent, receipt) {
    const { tokenId, by } = subjectOf(intent);
    await noteExchangeTransaction(tx, { tokenId, by, txHash: receipt.hash });
  },
  async failed() {},
  async undone(tx, intent) {
    const { tokenId, by } = subjectOf(intent);
    await noteExchangeTransaction(tx, { tokenId, by, txHash: null });
  },
};
