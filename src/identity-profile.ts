/** The identity token: changes after the mint (verification, mutations, traits, narrative). */
import { ponder } from "ponder:registry";
import { trait } from "ponder:schema";
import { identityAbi } from "../abis/identity.ts";
import { changeAgent } from "./agent-rows.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, cleanText, lower, MAX_LABEL, timeOf, tokenIdOf } from "./event-facts.ts";
import { narrativeCall } from "./identity-calls.ts";
import { recordChange } from "./index-changes.ts";

/** The contract awards points in the same transaction, and the handler of PointsAwarded reads the wallet. */
const WALLET_READ = { walletRead: true };

/** Traits with these names store an agent's linked token: they are kept as rows and not counted as traits. */
const STORAGE = /^linked-token/i;

ponder.on("Identity:AgentVerified", async ({ event, context }) => {
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) => ({ verified: true, verifiedWallet: row.agentAddress }),
    WALLET_READ,
  );
  if (known !== null) await recordChange(context, event, "agent.verified", { tokenId: known.tokenId });
});

ponder.on("Identity:CoinbaseVerified", async ({ event, context }) => {
  const coinbaseWallet = lower(event.args.ownerWallet);
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    () => ({ coinbaseWallet }),
    WALLET_READ,
  );
  if (known !== null) await recordChange(context, event, "agent.exchange_verified", { tokenId: known.tokenId });
});

ponder.on("Identity:Mutated", async ({ event, context }) => {
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) => ({
      mutationCount: row.mutationCount + 1,
      version: cleanText(event.args.newVersion, MAX_LABEL),
    }),
    WALLET_READ,
  );
  if (known !== null) await recordChange(context, event, "agent.mutated", { tokenId: known.tokenId });
});

ponder.on("Identity:TraitAdded", async ({ event, context }) => {
  const { name, category } = event.args;
  const counts = STORAGE.test(name) ? 0 : 1;
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) => ({
      traitCount: row.traitCount + counts,
    }),
    WALLET_READ,
  );
  if (known === null) return;
  await context.db.insert(trait).values({
    tokenId: known.tokenId,
    position: blockOf(event) * 1_000_000 + event.log.logIndex,
    name: cleanText(name, MAX_LABEL),
    category: cleanText(category, MAX_LABEL),
    addedAt: timeOf(event),
    txHash: event.transaction.hash,
  });
  await recordChange(context, event, "agent.trait_added", { tokenId: known.tokenId });
});

ponder.on("Identity:NarrativeSet", async ({ event, context }) => {
  const { tokenId, field } = event.args;
  const texts =
    narrativeCall(event, tokenId, field) ??
    (await readOrNull(
      context.client.readContract({
        abi: identityAbi,
        address: event.log.address,
        functionName: "getNarrative",
        args: [tokenId],
      }),
    ));
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(tokenId),
    (row) =>
      texts === null
        ? {}
        : {
            narrative: { ...(row.narrative ?? NO_NARRATIVE), ...cleanTexts(texts) },
            narrativeAt: { ...row.narrativeAt, ...timesOf(field, timeOf(event)) },
          },
    WALLET_READ,
  );
  if (known !== null) await recordChange(context, event, "agent.narrative_set", { tokenId: known.tokenId });
});

const TEXTS = ["origin", "mission", "lore", "manifesto"] as const;
/** The texts of a new agent. */
const NO_NARRATIVE = { origin: "", mission: "", lore: "", manifesto: "" };

const cleanTexts = (texts: Partial<typeof NO_NARRATIVE>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, cleanText(text)]));

/** Times of the texts that a NarrativeSet changes: the text that `field` names, or all texts for any other value. */
function timesOf(field: string, at: number) {
  const named = TEXTS.filter((text) => text === field);
  return Object.fromEntries((named.length > 0 ? named : TEXTS).map((text) => [text, at]));
}
