/** The ERC-8004 validation registry: requests of agents, and the answers of their validators. */
import { ponder } from "ponder:registry";
import { erc8004Validation } from "ponder:schema";
import { blockOf, cleanText, lower, MAX_LABEL, timeOf } from "./event-facts.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Erc8004Validation:ValidationRequest", async ({ event, context }) => {
  const { agentId, requestHash, validatorAddress, requestURI } = event.args;
  await context.db
    .insert(erc8004Validation)
    .values({
      requestHash,
      registry: lower(context.contracts.Erc8004Identity.address),
      agentId,
      validator: lower(validatorAddress),
      requestUri: cleanText(requestURI),
      requestedAt: timeOf(event),
      block: blockOf(event),
      txHash: event.transaction.hash,
    })
    // The registry takes a hash once; an upgraded one could emit old requests again.
    .onConflictDoNothing();
  await recordChange(context, event, "erc8004.validation_requested", { agentId });
});

ponder.on("Erc8004Validation:ValidationResponse", async ({ event, context }) => {
  const { agentId, requestHash, response, responseURI, responseHash, tag } = event.args;
  if ((await context.db.find(erc8004Validation, { requestHash })) === null) return;
  await context.db.update(erc8004Validation, { requestHash }).set({
    response,
    responseUri: cleanText(responseURI),
    responseHash,
    tag: cleanText(tag, MAX_LABEL),
    respondedAt: timeOf(event),
  });
  await recordChange(context, event, "erc8004.validation_answered", { agentId });
});
