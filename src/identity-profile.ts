/** The identity token: what an agent becomes after its mint (verification, mutations, traits, narrative). */
import { ponder } from "ponder:registry";
import { trait } from "ponder:schema";
import { identityAbi } from "../abis/identity.ts";
import { changeAgent } from "./agent-rows.ts";
import { readOrNull } from "./contract-reads.ts";
import { blockOf, cleanText, lower, MOST_WORDS, timeOf, tokenIdOf } from "./event-facts.ts";
import { tell } from "./index-changes.ts";

/** Everything here is rewarded with points in the same transaction. */
const PAID = { paid: true };

/** Traits of such names are the storage of an agent's linked token: kept as rows, not counted as traits. */
const STORAGE = /^linked-token/i;

ponder.on("Identity:AgentVerified", async ({ event, context }) => {
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) => ({ verified: true, verifiedWallet: row.agentAddress }),
    PAID,
  );
  if (known !== null) await tell(context, event, "agent.verified", { tokenId: known.tokenId });
});

ponder.on("Identity:CoinbaseVerified", async ({ event, context }) => {
  const coinbaseWallet = lower(event.args.ownerWallet);
  const known = await changeAgent(context, event, tokenIdOf(event.args.tokenId), () => ({ coinbaseWallet }), PAID);
  if (known !== null) await tell(context, event, "agent.exchange_verified", { tokenId: known.tokenId });
});

ponder.on("Identity:Mutated", async ({ event, context }) => {
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) => ({
      mutationCount: row.mutationCount + 1,
      version: cleanText(event.args.newVersion, MOST_WORDS),
    }),
    PAID,
  );
  if (known !== null) await tell(context, event, "agent.mutated", { tokenId: known.tokenId });
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
    PAID,
  );
  if (known === null) return;
  await context.db.insert(trait).values({
    tokenId: known.tokenId,
    position: blockOf(event) * 1_000_000 + event.log.logIndex,
    name: cleanText(name, MOST_WORDS),
    category: cleanText(category, MOST_WORDS),
    addedAt: timeOf(event),
    txHash: event.transaction.hash,
  });
  await tell(context, event, "agent.trait_added", { tokenId: known.tokenId });
});

ponder.on("Identity:NarrativeSet", async ({ event, context }) => {
  const read = await readOrNull(
    context.client.readContract({
      abi: identityAbi,
      address: event.log.address,
      functionName: "getNarrative",
      args: [event.args.tokenId],
    }),
  );
  const known = await changeAgent(
    context,
    event,
    tokenIdOf(event.args.tokenId),
    (row) =>
      read === null
        ? {}
        : {
            narrative: {
              origin: cleanText(read.origin),
              mission: cleanText(read.mission),
              lore: cleanText(read.lore),
              manifesto: cleanText(read.manifesto),
            },
            narrativeAt: { ...row.narrativeAt, ...writtenAt(event.args.field, timeOf(event)) },
          },
    PAID,
  );
  if (known !== null) await tell(context, event, "agent.narrative_set", { tokenId: known.tokenId });
});

const TEXTS = ["origin", "mission", "lore", "manifesto"] as const;

/** The texts a NarrativeSet speaks of, with its time: one by its name, or all of them. */
function writtenAt(field: string, at: number) {
  const named = TEXTS.filter((text) => text === field);
  return Object.fromEntries((named.length > 0 ? named : TEXTS).map((text) => [text, at]));
}
