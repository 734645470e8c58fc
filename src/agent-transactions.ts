/** The transactions with an event about an identity token. */
import type { Context } from "ponder:registry";
import { agentTransaction } from "ponder:schema";
import { SELECTOR_LENGTH } from "./call-data.ts";
import { blockOf, type ChainEvent, timeOf } from "./event-facts.ts";

/** Inserts the transaction of an event about a token; does nothing when an earlier event has inserted it. */
export async function recordTransaction({ db }: Context, event: ChainEvent, tokenId: number): Promise<void> {
  const { hash, from, to, value, input, transactionIndex } = event.transaction;
  await db
    .insert(agentTransaction)
    .values({
      tokenId,
      block: blockOf(event),
      transactionIndex,
      hash,
      from,
      to,
      valueWei: value,
      selector: input.length < SELECTOR_LENGTH ? null : (input.slice(0, SELECTOR_LENGTH) as `0x${string}`),
      minedAt: timeOf(event),
    })
    .onConflictDoNothing();
}
