/** The .agent name space: a token holds at most one name, a name belongs to at most one token. */
import { type Context, ponder } from "ponder:registry";
import { agent, agentName } from "ponder:schema";
import { changeAgent } from "./agent-rows.ts";
import { type ChainEvent, indexedText, nameKey, timeOf, tokenIdOf } from "./event-facts.ts";
import { tell } from "./index-changes.ts";

ponder.on("Identity:NameRegistered", async ({ event, context }) => {
  const { name } = event.args;
  const known = await changeAgent(context, event, tokenIdOf(event.args.tokenId), () => ({
    agentName: indexedText(name),
  }));
  if (known === null) return;
  // Registering another name frees the first one, without an event.
  if (known.agentName !== null) await freeName(context, known.agentName, known.tokenId);
  await giveName(context, event, name, known.tokenId);
  await tell(context, event, "agent.name_registered", { tokenId: known.tokenId });
});

ponder.on("Identity:NameTransferred", async ({ event, context }) => {
  const { name } = event.args;
  const giver = await changeAgent(context, event, tokenIdOf(event.args.from), (row) =>
    row.agentName !== null && nameKey(row.agentName) === nameKey(name) ? { agentName: null } : {},
  );
  if (giver !== null) await tell(context, event, "agent.name_transferred", { tokenId: giver.tokenId });
  const taker = await changeAgent(context, event, tokenIdOf(event.args.to), () => ({ agentName: indexedText(name) }));
  if (taker === null) return freeName(context, name, giver?.tokenId);
  if (taker.agentName !== null && taker.tokenId !== giver?.tokenId)
    await freeName(context, taker.agentName, taker.tokenId);
  await giveName(context, event, name, taker.tokenId);
  await tell(context, event, "agent.name_transferred", { tokenId: taker.tokenId }, "-to");
});

/** Removes a name from the name space, if it is this token's. */
async function freeName({ db }: Context, name: string, holder: number | undefined): Promise<void> {
  const row = await db.find(agentName, { name: nameKey(name) });
  if (row !== null && row.tokenId === holder) await db.delete(agentName, { name: row.name });
}

/** Enters a name; a token that held it until now (the contract does not let that happen) loses it. */
async function giveName({ db }: Context, event: ChainEvent, name: string, tokenId: number): Promise<void> {
  const key = nameKey(name);
  const row = await db.find(agentName, { name: key });
  if (row !== null && row.tokenId !== tokenId) {
    const loser = await db.find(agent, { tokenId: row.tokenId });
    if (loser !== null && loser.agentName !== null && nameKey(loser.agentName) === key)
      await db
        .update(agent, { tokenId: row.tokenId })
        .set({ agentName: null, updatedBlock: Number(event.block.number) });
  }
  const entry = { tokenId, displayName: indexedText(name), registeredAt: timeOf(event) };
  await db
    .insert(agentName)
    .values({ name: key, ...entry })
    .onConflictDoUpdate(entry);
}
