/**
 * Balances of the service token, summed up from its transfers. They are right when the index begins where the token
 * does (SERVICE_TOKEN_START_BLOCK); a negative balance is the sign that it begins later.
 */
import { type Context, ponder } from "ponder:registry";
import { serviceTokenBalance } from "ponder:schema";
import { type Hex, zeroAddress } from "viem";
import { blockOf, type ChainEvent, lower, sumOf } from "./event-facts.ts";

ponder.on("ServiceToken:Transfer", async ({ event, context }) => {
  await move(context, event, event.args.from, -event.args.value);
  await move(context, event, event.args.to, event.args.value);
});

async function move({ db }: Context, event: ChainEvent, holder: Hex, changeUnits: bigint): Promise<void> {
  if (holder === zeroAddress) return;
  const updatedBlock = blockOf(event);
  await db
    .insert(serviceTokenBalance)
    .values({ holder: lower(holder), balanceUnits: changeUnits, updatedBlock })
    .onConflictDoUpdate((row) => ({ balanceUnits: sumOf(row.balanceUnits, changeUnits), updatedBlock }));
}
