/** Completed handshakes between two identity tokens. */
import { ponder } from "ponder:registry";
import { handshake } from "ponder:schema";
import { changeAgent } from "./agent-rows.ts";
import { blockOf, timeOf, tokenIdOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Handshakes:HandshakeCompleted", async ({ event, context }) => {
  const fromTokenId = tokenIdOf(event.args.fromTokenId);
  const toTokenId = tokenIdOf(event.args.toTokenId);
  if (fromTokenId === null || toTokenId === null) return;
  await context.db.insert(handshake).values({
    id: event.id,
    fromTokenId,
    toTokenId,
    completedAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
  await changeAgent(context, event, fromTokenId, () => ({}));
  await changeAgent(context, event, toTokenId, () => ({}));
  await recordChange(context, event, "handshake.completed", { tokenId: fromTokenId });
  await recordChange(context, event, "handshake.completed", { tokenId: toTokenId }, "-to");
});
