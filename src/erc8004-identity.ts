/** The canonical ERC-8004 identity registry: registrations, URIs, metadata, wallets, owners. */
import { type Context, ponder } from "ponder:registry";
import { erc8004Agent, erc8004Metadata, transfer } from "ponder:schema";
import { type Hex, size, zeroAddress } from "viem";
import { blockOf, type ChainEvent, cleanText, keyText, lower, MAX_URI, timeOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

/** Reserved metadata key: the wallet the agent acts with, 20 raw bytes, empty when unset. */
const WALLET_KEY = "agentWallet";

ponder.on("Erc8004Identity:Transfer", async ({ event, context }) => {
  const { from, to, tokenId: agentId } = event.args;
  const registry = event.log.address;
  await context.db.insert(transfer).values({
    id: event.id,
    contract: registry,
    tokenId: agentId,
    from,
    to,
    transferredAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
  // The first log of a registration; URI and wallet follow. A receiver's hook can emit events in between.
  if (from === zeroAddress) {
    await context.db
      .insert(erc8004Agent)
      .values({
        registry,
        agentId,
        owner: lower(to),
        agentWallet: null,
        agentUri: "",
        registeredAt: timeOf(event),
        registeredBlock: blockOf(event),
        txHash: event.transaction.hash,
        feedbackCount: 0,
        updatedBlock: blockOf(event),
      })
      .onConflictDoUpdate({ owner: lower(to), updatedBlock: blockOf(event) });
    return;
  }
  // The wallet belonged to the former owner: the registry unsets it in the transfer.
  await changeErc8004Agent(context, event, agentId, () => ({ owner: lower(to), agentWallet: null }));
  if ((await context.db.find(erc8004Metadata, { registry, agentId, key: WALLET_KEY })) !== null)
    await writeMetadata(context, event, agentId, WALLET_KEY, "0x");
  await recordChange(context, event, "erc8004.transferred", { agentId });
});

ponder.on("Erc8004Identity:Registered", async ({ event, context }) => {
  const { agentId, agentURI } = event.args;
  await changeErc8004Agent(context, event, agentId, () => ({ agentUri: cleanText(agentURI, MAX_URI) }));
  await recordChange(context, event, "erc8004.registered", { agentId });
});

ponder.on("Erc8004Identity:URIUpdated", async ({ event, context }) => {
  const { agentId, newURI } = event.args;
  await changeErc8004Agent(context, event, agentId, () => ({ agentUri: cleanText(newURI, MAX_URI) }));
  await recordChange(context, event, "erc8004.uri_updated", { agentId });
});

ponder.on("Erc8004Identity:MetadataSet", async ({ event, context }) => {
  const { agentId, metadataKey, metadataValue } = event.args;
  await writeMetadata(context, event, agentId, metadataKey, metadataValue);
  await changeErc8004Agent(context, event, agentId, () =>
    metadataKey === WALLET_KEY ? { agentWallet: size(metadataValue) === 20 ? lower(metadataValue) : null } : {},
  );
  await recordChange(context, event, "erc8004.metadata_set", { agentId });
});

async function writeMetadata({ db }: Context, event: ChainEvent, agentId: bigint, key: string, value: Hex) {
  const updatedBlock = blockOf(event);
  await db
    .insert(erc8004Metadata)
    .values({ registry: event.log.address, agentId, key: keyText(key), value, updatedBlock })
    .onConflictDoUpdate({ value, updatedBlock });
}

type Erc8004AgentRow = typeof erc8004Agent.$inferSelect;

async function changeErc8004Agent(
  { db }: Context,
  event: ChainEvent,
  agentId: bigint,
  change: (row: Erc8004AgentRow) => Partial<Erc8004AgentRow>,
): Promise<void> {
  const key = { registry: event.log.address, agentId };
  const row = await db.find(erc8004Agent, key);
  if (row !== null) await db.update(erc8004Agent, key).set({ ...change(row), updatedBlock: blockOf(event) });
}
