/** Events about a contract as a whole: its owner, its implementation, its EIP-712 domain. Operators read the rows. */
import { type Context, ponder } from "ponder:registry";
import { contractEvent } from "ponder:schema";
import { blockOf, type ChainEvent } from "./event-facts.ts";

for (const contract of ["Identity", "Erc8004Identity", "Erc8004Reputation"] as const) {
  ponder.on(`${contract}:OwnershipTransferred`, ({ event, context }) =>
    record(context, event, "OwnershipTransferred", event.args),
  );
}

for (const contract of ["Erc8004Identity", "Erc8004Reputation"] as const) {
  ponder.on(`${contract}:Upgraded`, ({ event, context }) => record(context, event, "Upgraded", event.args));
}

for (const contract of ["Identity", "Erc8004Identity"] as const) {
  ponder.on(`${contract}:EIP712DomainChanged`, ({ event, context }) =>
    record(context, event, "EIP712DomainChanged", {}),
  );
}

ponder.on("Identity:CredScoreUpdated", ({ event, context }) => record(context, event, "CredScoreUpdated", event.args));

/** Inserts one event with its arguments as text, addresses in lower case. */
async function record({ db }: Context, event: ChainEvent, name: string, args: Record<string, unknown>): Promise<void> {
  await db.insert(contractEvent).values({
    id: event.id,
    contract: event.log.address,
    name,
    args: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value).toLowerCase()])),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
}
