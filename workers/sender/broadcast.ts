/** Hands stored transactions to the network. The bytes are in the database already, so repeating this is harmless. */
import { type Attempt, noteBroadcast } from "../../db/tx-outbox.ts";
import type { SenderSession } from "./session.ts";

/**
 * Sends attempts in their order. What the node answers decides nothing about a transaction's fate, which only receipts and
 * nonces tell; it only starts the clock after which the attempt counts as stuck.
 * @throws upstream_unavailable; the next round sends the rest again
 */
export async function broadcast(session: SenderSession, attempts: readonly Attempt[], head: number): Promise<void> {
  const first: Attempt[] = [];
  try {
    for (const attempt of attempts) if (await send(session, attempt)) first.push(attempt);
  } finally {
    // Those that arrived before one did not are noted too.
    if (first.length > 0) await note(session, first, head);
  }
}

/** @returns whether this is the first that is known of it at a node */
async function send(session: SenderSession, attempt: Attempt): Promise<boolean> {
  session.sentAt.set(attempt.hash, session.clock().getTime());
  const answer = await session.chain.send(attempt.raw);
  session.fault("sender.after-broadcast");
  switch (answer.kind) {
    case "unfunded":
      session.unfunded = true;
      session.log.warn({ hash: attempt.hash }, "the sender's account cannot pay for its transaction");
      return false;
    case "rejected":
      session.log.error({ hash: attempt.hash, reason: answer.reason }, "the node rejects a transaction");
      break;
    case "underpriced":
    case "nonce_used":
      session.log.debug({ hash: attempt.hash, answer: answer.kind }, "transaction not taken by the node");
  }
  return attempt.broadcastAt === null;
}

async function note(session: SenderSession, attempts: readonly Attempt[], head: number): Promise<void> {
  const at = session.clock();
  for (const attempt of attempts) {
    attempt.broadcastAt = at;
    attempt.broadcastBlock = head;
  }
  await noteBroadcast(session.db, { hashes: attempts.map((attempt) => attempt.hash), block: head, at });
}
