/** The log of index changes: one row per event that matters downstream, in the same transaction as the rows it is about. */
import type { Context } from "ponder:registry";
import { type ChangeKind, indexChanges } from "ponder:schema";
import type { Hex } from "viem";
import { noteTransaction } from "./agent-transactions.ts";
import { blockOf, type ChainEvent, timeOf } from "./event-facts.ts";

/** What a row of `index_changes` is about. */
type Subject = { tokenId?: number; wallet?: Hex; agentId?: bigint };

/** Tells the dispatcher about an event. @param part tells the rows of one event apart */
export async function tell(
  context: Context,
  event: ChainEvent,
  kind: ChangeKind,
  subject: Subject,
  part = "",
): Promise<void> {
  if (subject.tokenId !== undefined) await noteTransaction(context, event, subject.tokenId);
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
