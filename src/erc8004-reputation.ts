/** The canonical ERC-8004 reputation registry: feedback, its revocation, responses to it. */
import { type Context, ponder } from "ponder:registry";
import { erc8004Agent, erc8004Feedback, erc8004Response } from "ponder:schema";
import { blockOf, type ChainEvent, cleanText, lower, MAX_LABEL, timeOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

/** The identity registry that the reputation registry was deployed for: its agents receive the feedback. */
const registryOf = ({ contracts }: Context) => lower(contracts.Erc8004Identity.address);

ponder.on("Erc8004Reputation:NewFeedback", async ({ event, context }) => {
  const { agentId, value, valueDecimals } = event.args;
  const key = {
    registry: registryOf(context),
    agentId,
    client: lower(event.args.clientAddress),
    feedbackIndex: event.args.feedbackIndex,
  };
  const content = {
    value,
    valueDecimals,
    tag1: cleanText(event.args.tag1, MAX_LABEL),
    tag2: cleanText(event.args.tag2, MAX_LABEL),
    endpoint: cleanText(event.args.endpoint),
    feedbackUri: cleanText(event.args.feedbackURI),
    feedbackHash: event.args.feedbackHash,
    revoked: false,
    givenAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  };
  // The registry can be upgraded, and a migration can emit old feedback again: the last event counts, once.
  const known = await context.db.find(erc8004Feedback, key);
  await context.db
    .insert(erc8004Feedback)
    .values({ ...key, ...content })
    .onConflictDoUpdate(content);
  if (known === null || known.revoked) await countFeedback(context, event, agentId, 1);
  await recordChange(context, event, "erc8004.feedback_given", { agentId });
});

ponder.on("Erc8004Reputation:FeedbackRevoked", async ({ event, context }) => {
  const { agentId, clientAddress, feedbackIndex } = event.args;
  const key = { registry: registryOf(context), agentId, client: lower(clientAddress), feedbackIndex };
  const row = await context.db.find(erc8004Feedback, key);
  if (row === null || row.revoked) return;
  await context.db.update(erc8004Feedback, key).set({ revoked: true });
  await countFeedback(context, event, agentId, -1);
  await recordChange(context, event, "erc8004.feedback_revoked", { agentId });
});

ponder.on("Erc8004Reputation:ResponseAppended", async ({ event, context }) => {
  const { agentId, clientAddress, feedbackIndex, responder, responseURI, responseHash } = event.args;
  await context.db.insert(erc8004Response).values({
    id: event.id,
    registry: registryOf(context),
    agentId,
    client: lower(clientAddress),
    feedbackIndex,
    responder: lower(responder),
    responseUri: cleanText(responseURI),
    responseHash,
    respondedAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
  await recordChange(context, event, "erc8004.response_appended", { agentId });
});

async function countFeedback(context: Context, event: ChainEvent, agentId: bigint, change: 1 | -1): Promise<void> {
  const key = { registry: registryOf(context), agentId };
  const row = await context.db.find(erc8004Agent, key);
  if (row === null) return;
  await context.db
    .update(erc8004Agent, key)
    .set({ feedbackCount: row.feedbackCount + change, updatedBlock: blockOf(event) });
}
