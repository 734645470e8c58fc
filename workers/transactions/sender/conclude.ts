/** Stores a receipt as the intent's state, with its effect, in one transaction. */
import type pg from "pg";
import type { Receipt } from "../../../clients/ports.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import { type SignedIntent, storeReceipt } from "../../../db/transactions/signed-transactions.ts";
import { effectOf } from "../intents.ts";
import type { SenderSession } from "./session.ts";

/**
 * Stores a receipt together with its consequences.
 * @param begin runs first in the same transaction; when it returns false, nothing is stored
 */
export async function conclude(
  session: SenderSession,
  intent: SignedIntent,
  receipt: Receipt,
  begin: (tx: pg.ClientBase) => Promise<boolean> = async () => true,
): Promise<void> {
  const { db, clock, options, log, fault } = session;
  const error = failureOf(intent, receipt);
  await transaction(db, async (tx) => {
    if (!(await begin(tx))) return;
    const stored = await storeReceipt(tx, {
      intentId: intent.id,
      state: error === null ? "mined" : "reverted",
      txHash: receipt.hash,
      block: receipt.block,
      blockHash: receipt.blockHash,
      logs: receipt.logs,
      error,
      costWei: (receipt.feeWei ?? 0n) + (error === null ? intent.valueWei : 0n),
      gasUsed: receipt.gasPaid,
      at: clock(),
    });
    if (!stored) return;
    const effect = effectOf(intent.intentKey, options.effects);
    if (error === null) await effect?.mined(tx, intent, receipt, clock());
    else await effect?.failed(tx, intent, error, clock());
    fault("sender.after-effect");
  });
  fault("sender.after-commit");
  for (const attempt of intent.attempts) session.sentAt.delete(attempt.hash);
  log.info(
    { intent: intent.intentKey, hash: receipt.hash, block: receipt.block, status: receipt.status },
    "transaction mined",
  );
}

export const isGap = (intentKey: string) => intentKey.startsWith("gap:");

/** Why a receipt does not fulfil the intent; null when it does. */
function failureOf({ intentKey, attempts, error }: SignedIntent, receipt: Receipt): string | null {
  const mined = attempts.find((attempt) => attempt.hash === receipt.hash);
  if (mined?.filler && !isGap(intentKey)) return error ?? "a filler took its nonce";
  return receipt.status === "success" ? null : "reverted";
}
