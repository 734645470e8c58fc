/** Intents `root:<epoch>`: the root of all scores, published in CredRoots. */
import { epochFailed, epochIsOld, epochPublished, epochReopened } from "../../../db/cred/store-cred-epoch.ts";
import type { Intent } from "../../../db/transactions/transaction-outbox.ts";
import type { EffectContext, IntentEffect } from "./effect.ts";

/**
 * Max age of the scores when they are signed. Contracts measure the age of a root from its block on, so scores that
 * waited for money or for a node are not published as new: the next run of the job builds a new root.
 */
const MAX_WAIT_MS = 3_600_000;

async function refusal({ db }: EffectContext, { intentKey }: Intent): Promise<string | null> {
  return (await epochIsOld(db, { intentKey, ms: MAX_WAIT_MS })) ? "its scores are more than an hour old" : null;
}

export const rootEffect: IntentEffect = {
  prefix: "root",
  refusal,
  outdated: refusal,

  async mined(tx, { intentKey }, receipt, now) {
    await epochPublished(tx, intentKey, { txHash: receipt.hash, txBlock: receipt.block, at: now });
  },
  /** Its number is not used again: the next run of the job publishes the scores of that moment. */
  async failed(tx, { intentKey }, reason) {
    await epochFailed(tx, { intentKey, error: reason });
  },
  async undone(tx, { intentKey }) {
    await epochReopened(tx, { intentKey });
  },
};
