/** The log of index changes: one row per event that the dispatcher handles, in the same transaction as the rows it changes. */
import type { Context } from "ponder:registry";
import { type ChangeKind, indexChanges } from "ponder:schema";
import type { Hex } from "viem";
import { recordTransaction } from "./agent-transactions.ts";
import { blockOf, type ChainEvent, timeOf } from "./event-facts.ts";

/** The token, wallet or ERC-8004 agent that a row of `index_changes` is about. */
type Subject = { tokenId?: number; wallet?: Hex; agentId?: bigint };

/**
 * Appends a row to `index_changes`, and the transaction of an event about a token.
 * @param part suffix of the id of a further row of the same event
 */
export async function recordChange(
  context: Context,
  event: ChainEvent,
  kind: ChangeKind,
  subject: Subject,
  part = "",
): Promise<void> {
  if (subject.tokenId !== undefined) await recordTransaction(context, event, subject.tokenId);
  await context.db.insert(indexChanges).values({
    id: `${event.id}${part}`,
    kind,
    tokenId: subject.tokenId ?? null,
    wallet: subject.wallet ?? null,
    agentId: subject.agentId ?? null,
    block: blockOf(event),
    blockHash: event.block.hash,
    blockAt: timeOf(event),
    txHash: event.transaction.hash,
  });
}
