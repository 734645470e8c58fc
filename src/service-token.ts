/**
 * Balances of the service token, summed from its transfers. They are correct when the index of the token begins
 * before its first transfer; a negative balance shows that it does not.
 */
import { type Context, ponder } from "ponder:registry";
import { serviceTokenBalance } from "ponder:schema";
import { type Hex, zeroAddress } from "viem";
import { blockOf, type ChainEvent, lower, sumOf } from "./event-facts.ts";

ponder.on("ServiceToken:Transfer", async ({ event, context }) => {
  await addToBalance(context, event, event.args.from, -event.args.value);
  await addToBalance(context, event, event.args.to, event.args.value);
});

async function addToBalance({ db }: Context, event: ChainEvent, holder: Hex, changeUnits: bigint): Promise<void> {
  if (holder === zeroAddress) return;
  const updatedBlock = blockOf(event);
  await db
    .insert(serviceTokenBalance)
    .values({ holder: lower(holder), balanceUnits: changeUnits, updatedBlock })
    .onConflictDoUpdate((row) => ({ balanceUnits: sumOf(row.balanceUnits, changeUnits), updatedBlock }));
}
