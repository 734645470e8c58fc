/** The .agent name space: a token holds at most one name, a name belongs to at most one token. */
import { type Context, ponder } from "ponder:registry";
import { agent, agentName } from "ponder:schema";
import { changeAgent } from "./agent-rows.ts";
import { type ChainEvent, indexedText, nameKey, timeOf, tokenIdOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Identity:NameRegistered", async ({ event, context }) => {
  const { name } = event.args;
  const known = await changeAgent(context, event, tokenIdOf(event.args.tokenId), () => ({
    agentName: indexedText(name),
  }));
  if (known === null) return;
  // A registration of another name frees the first one, without an event.
  if (known.agentName !== null) await freeName(context, known.agentName, known.tokenId);
  await assignName(context, event, name, known.tokenId);
  await recordChange(context, event, "agent.name_registered", { tokenId: known.tokenId });
});

ponder.on("Identity:NameTransferred", async ({ event, context }) => {
  const { name } = event.args;
  const sender = await changeAgent(context, event, tokenIdOf(event.args.from), (row) =>
    row.agentName !== null && nameKey(row.agentName) === nameKey(name) ? { agentName: null } : {},
  );
  if (sender !== null) await recordChange(context, event, "agent.name_transferred", { tokenId: sender.tokenId });
  const receiver = await changeAgent(context, event, tokenIdOf(event.args.to), () => ({
    agentName: indexedText(name),
  }));
  if (receiver === null) return freeName(context, name, sender?.tokenId);
  if (receiver.agentName !== null && receiver.tokenId !== sender?.tokenId)
    await freeName(context, receiver.agentName, receiver.tokenId);
  await assignName(context, event, name, receiver.tokenId);
  await recordChange(context, event, "agent.name_transferred", { tokenId: receiver.tokenId }, "-to");
});

/** Removes a name from the name space when this token owns it. */
async function freeName({ db }: Context, name: string, owner: number | undefined): Promise<void> {
  const row = await db.find(agentName, { name: nameKey(name) });
  if (row !== null && row.tokenId === owner) await db.delete(agentName, { name: row.name });
}

/** Assigns a name; another token that still has it (the contract does not allow that) loses it. */
async function assignName({ db }: Context, event: ChainEvent, name: string, tokenId: number): Promise<void> {
  const key = nameKey(name);
  const row = await db.find(agentName, { name: key });
  if (row !== null && row.tokenId !== tokenId) {
    const former = await db.find(agent, { tokenId: row.tokenId });
    if (former !== null && former.agentName !== null && nameKey(former.agentName) === key)
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
