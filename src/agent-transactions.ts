/** The transactions in which something happened to an identity token. */
import type { Context } from "ponder:registry";
import { agentTransaction } from "ponder:schema";
import { blockOf, type ChainEvent, timeOf } from "./event-facts.ts";

/** Length of a selector in hex, `0x` included. */
const SELECTOR = 10;

/** Notes the transaction of an event that is about a token; further events of it about the same token add nothing. */
export async function noteTransaction({ db }: Context, event: ChainEvent, tokenId: number): Promise<void> {
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
      selector: input.length < SELECTOR ? null : (input.slice(0, SELECTOR) as `0x${string}`),
      minedAt: timeOf(event),
    })
    .onConflictDoNothing();
}
