/** Broadcasts stored transactions. The bytes are in the database already, so repeating this is harmless. */
import type { SendOutcome } from "../../../clients/ports.ts";
import type { Hex } from "../../../core/agents/facts.ts";
import { recordBroadcast, type TransactionAttempt } from "../../../db/transactions/signed-transactions.ts";
import type { SenderSession } from "./session.ts";

/**
 * Broadcasts attempts in their order. The node's answer does not decide an intent; receipts and nonces do. It only starts
 * the time after which the attempt counts as stuck.
 * @returns hash → reason, of the attempts that every node refused permanently
 * @throws upstream_unavailable; the next round sends the rest again
 */
export async function broadcast(
  session: SenderSession,
  attempts: readonly TransactionAttempt[],
  head: number,
): Promise<Map<Hex, string>> {
  const first: TransactionAttempt[] = [];
  const refused = new Map<Hex, string>();
  try {
    for (const attempt of attempts) {
      const answer = await send(session, attempt);
      if (answer.kind === "refused") refused.set(attempt.hash, answer.reason);
      else if (answer.kind !== "unfunded" && attempt.broadcastAt === null) first.push(attempt);
    }
  } finally {
    // Attempts that arrived before a failed one are recorded too.
    if (first.length > 0) await recordFirstBroadcast(session, first, head);
  }
  return refused;
}

async function send(session: SenderSession, attempt: TransactionAttempt): Promise<SendOutcome> {
  session.sentAt.set(attempt.hash, session.clock().getTime());
  const answer = await session.chain.send(attempt.raw);
  session.fault("sender.after-broadcast");
  switch (answer.kind) {
    case "unfunded":
      session.unfunded = true;
      session.log.warn({ hash: attempt.hash }, "the sender's account cannot pay for its transaction");
      break;
    case "refused":
    case "rejected":
      session.log.error({ hash: attempt.hash, reason: answer.reason }, "the node rejects a transaction");
      break;
    case "underpriced":
    case "nonce_used":
      session.log.debug({ hash: attempt.hash, answer: answer.kind }, "transaction not taken by the node");
  }
  return answer;
}

async function recordFirstBroadcast(
  session: SenderSession,
  attempts: readonly TransactionAttempt[],
  head: number,
): Promise<void> {
  const at = session.clock();
  for (const attempt of attempts) {
    attempt.broadcastAt = at;
    attempt.broadcastBlock = head;
  }
  await recordBroadcast(session.db, { hashes: attempts.map((attempt) => attempt.hash), block: head, at });
}
