/** Hands stored transactions to the network. The bytes are in the database already, so repeating this is harmless. */
import { type Attempt, noteBroadcast } from "../../db/tx-outbox.ts";
import type { SenderSession } from "./session.ts";

/**
 * Sends one attempt. What the node answers decides nothing about the transaction's fate, which only receipts and nonces
 * tell; it only starts the clock after which the attempt counts as stuck.
 * @throws upstream_unavailable; the next round sends it again
 */
export async function broadcast(session: SenderSession, attempt: Attempt, head: number): Promise<void> {
  session.sentAt.set(attempt.hash, session.clock().getTime());
  const answer = await session.chain.send(attempt.raw);
  session.fault("sender.after-broadcast");
  switch (answer.kind) {
    case "unfunded":
      session.unfunded = true;
      session.log.warn({ hash: attempt.hash }, "the sender's account cannot pay for its transaction");
      return;
    case "rejected":
      session.log.error({ hash: attempt.hash, reason: answer.reason }, "the node rejects a transaction");
      break;
    case "underpriced":
    case "nonce_used":
      session.log.debug({ hash: attempt.hash, answer: answer.kind }, "transaction not taken by the node");
  }
  if (attempt.broadcastAt === null) {
    attempt.broadcastAt = session.clock();
    attempt.broadcastBlock = head;
    await noteBroadcast(session.db, attempt.hash, head, attempt.broadcastAt);
  }
}
