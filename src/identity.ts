/** The identity token: registration, ownership, approvals and points. */
import { ponder } from "ponder:registry";
import { operatorApproval, pointsAward, transfer, unmintedPoints } from "ponder:schema";
import { zeroAddress } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { changeAgent, insertAgent, registerAgent } from "./agent-rows.ts";
import { readOrNull } from "./contract-reads.ts";
import { addressOrNull, blockOf, cleanText, lower, MAX_LABEL, sumOf, timeOf, tokenIdOf } from "./event-facts.ts";
import { personalityCall } from "./identity-calls.ts";
import { recordChange } from "./index-changes.ts";

ponder.on("Identity:Transfer", async ({ event, context }) => {
  const { from, to } = event.args;
  await context.db.insert(transfer).values({
    id: event.id,
    contract: event.log.address,
    tokenId: event.args.tokenId,
    from,
    to,
    transferredAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
  const tokenId = tokenIdOf(event.args.tokenId);
  if (tokenId === null) return;
  if (from === zeroAddress) return insertAgent(context, event, tokenId, to);
  // ERC-721 clears the token's approval at every transfer, without an event.
  await changeAgent(context, event, tokenId, () => ({ owner: lower(to), operator: null }));
  await recordChange(context, event, "agent.transferred", { tokenId });
});

ponder.on("Identity:AgentRegistered", async ({ event, context }) => {
  const known = await registerAgent(context, event, tokenIdOf(event.args.tokenId), event.args);
  if (known !== null) await recordChange(context, event, "agent.registered", { tokenId: known.tokenId });
});

ponder.on("Identity:PointsAwarded", async ({ event, context }) => {
  const { amount, reason } = event.args;
  const tokenId = tokenIdOf(event.args.tokenId);
  if (tokenId === null) return;
  await context.db.insert(pointsAward).values({
    id: event.id,
    tokenId,
    amount,
    reason: cleanText(reason, MAX_LABEL),
    awardedAt: timeOf(event),
    block: blockOf(event),
    txHash: event.transaction.hash,
  });
  // setPersonality emits no event of its own, only its points.
  const personality = reason === "update_personality" ? await readPersonality() : null;
  const known = await changeAgent(context, event, tokenId, (row) => ({
    points: sumOf(row.points, amount),
    ...(personality !== null && { personality, personalityAt: timeOf(event) }),
  }));
  if (known === null) {
    await context.db
      .insert(unmintedPoints)
      .values({ tokenId, points: amount })
      .onConflictDoUpdate((row) => ({ points: sumOf(row.points, amount) }));
    return;
  }
  await recordChange(context, event, personality === null ? "agent.points_awarded" : "agent.personality_set", {
    tokenId,
  });

  async function readPersonality() {
    const stored =
      personalityCall(event, event.args.tokenId) ??
      (await readOrNull(
        context.client.readContract({
          abi: identityAbi,
          address: event.log.address,
          functionName: "getPersonality",
          args: [event.args.tokenId],
        }),
      ));
    if (stored === null) return null;
    const { quirks, communicationStyle, values, humor, riskTolerance, autonomyLevel } = stored;
    return {
      quirks: cleanText(quirks),
      communicationStyle: cleanText(communicationStyle),
      values: cleanText(values),
      humor: cleanText(humor),
      riskTolerance,
      autonomyLevel,
    };
  }
});

ponder.on("Identity:Approval", async ({ event, context }) => {
  const operator = addressOrNull(event.args.approved);
  const known = await changeAgent(context, event, tokenIdOf(event.args.tokenId), () => ({ operator }));
  if (known !== null) await recordChange(context, event, "agent.approved", { tokenId: known.tokenId });
});

ponder.on("Identity:ApprovalForAll", async ({ event, context }) => {
  const { owner, operator, approved } = event.args;
  const updatedBlock = blockOf(event);
  await context.db
    .insert(operatorApproval)
    .values({ owner: lower(owner), operator: lower(operator), approved, updatedBlock })
    .onConflictDoUpdate({ approved, updatedBlock });
});
