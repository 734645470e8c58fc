/** Updates of an agent by its controllers, off chain at once or on chain through the outbox. */
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { AgentFacts, Personality } from "../../core/agents/facts.ts";
import {
  mergeNarrative,
  mergeProfile,
  NARRATIVE_FIELDS,
  type NarrativeField,
  PERSONALITY_TEXTS,
} from "../../core/agents/profile.ts";
import {
  type FieldWrite,
  fieldWrites,
  type NarrativeInput,
  type PersonalityInput,
  type ProfileInput,
} from "../../core/agents/profile-input.ts";
import { newTraits, type TraitInput, traitKey } from "../../core/agents/trait-input.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/quoted.ts";
import { addProfileTraits, profileTraits, writeProfileFields } from "../../db/agents/profiles.ts";
import { newestChainWrites, onchainTraits } from "../../db/transactions/chain-writes.ts";
import { type ChainCall, queueChainWrites } from "./chain-writes.ts";
import { emitUpdated, type Write } from "./writing.ts";

export type Update = ProfileInput & { traits?: TraitInput[] | undefined };

/** @throws Failure invalid_input when there is nothing to update */
export function requireSomething(update: Update): void {
  if (fieldWrites(update).length > 0 || (update.traits ?? []).length > 0) return;
  const message = "must name something to update";
  fail("invalid_input", "The request names nothing to update.", { details: [{ path: "body", message }] });
}

/** Whether any part of an update has a place on the contract. */
export const isForChain = ({ personality, narrative, traits = [] }: Update): boolean =>
  fieldWrites({ personality, narrative }).length > 0 || traits.length > 0;

/** Paths of every field an update names. */
export const updatePaths = (update: Update): string[] => fieldWrites(update).map(({ field }) => field);

/**
 * Writes an update off chain.
 * @returns paths of the fields written: `personality.humor`, `trait:<name>`; traits the agent has already are not among
 *   them
 * @throws Failure conflict (a trait's name is taken, too many traits), request_in_progress (it is being written on
 *   chain)
 */
export async function updateOffchain(write: Write, update: Update): Promise<string[]> {
  const { tx, facts, now } = write;
  const writes = fieldWrites(update);
  const traits = newTraits(facts.traits, update.traits ?? []);
  await refuseTraitsUnderWay(tx, facts, traits);
  await writeProfileFields(tx, { tokenId: facts.tokenId, writes, at: writeTime(facts, writes, now) });
  await addProfileTraits(tx, { tokenId: facts.tokenId, traits, at: now });
  const paths = [...writes.map(({ field }) => field), ...traits.map(({ name }) => `trait:${name}`)];
  await emitUpdated(write, paths, update);
  return paths;
}

/**
 * The time of a write: now, or that of the value it replaces, if a clock was ahead of ours. The writer has seen that
 * value, the newest write wins, and this one must be the newest.
 */
function writeTime(facts: AgentFacts, writes: readonly FieldWrite[], now: Date): Date {
  const times = writes.flatMap(({ field }) => {
    const [part, name] = field.split(".");
    const chain = { personality: facts.personalityAt, narrative: facts.narrativeAt?.[name as NarrativeField] }[part!];
    const own = facts.profile.find((write) => write.field === field);
    return [(chain ?? 0) * 1000, own ? Date.parse(own.writtenAt) + 1 : 0];
  });
  return new Date(Math.max(now.getTime(), ...times));
}

/** A trait that is queued, or on chain and not indexed yet, is the agent's like any other. */
async function refuseTraitsUnderWay(tx: Write["tx"], facts: AgentFacts, traits: readonly TraitInput[]): Promise<void> {
  const slots = traits.map(({ name }) => traitSlot(name));
  const newest = traits.length > 0 ? await newestChainWrites(tx, facts.tokenId, slots) : new Map();
  const coming = ["queued", "signed", "mined"];
  const underWay = traits.find(({ name }) => coming.includes(newest.get(traitSlot(name))?.state));
  if (underWay)
    fail("request_in_progress", `The trait ${quoted(underWay.name)} is being written on chain.`, {
      retryAfter: 5,
      hint: "Try again when it is there.",
    });
}

const traitSlot = (name: string) => `trait:${traitKey(name)}`;

/**
 * Queues an update to be written on chain. The listing has no place there and is written off chain in the same commit.
 * Check then write: the price of a trait (token-link.ts: the token's contract), then intents; the price may rise: the
 * value is fixed, so the simulation refuses and nothing is lost.
 * @param request.traitPriceWei the contract's price of a trait; the service pays it
 * @returns paths of the fields written, and the keys of the intents to wait for
 * @throws Failure invalid_input, conflict, out_of_funds, rate_limited
 */
export async function updateOnchain(
  write: Write,
  update: Omit<Update, "social">,
  request: Parameters<typeof queueChainWrites>[2] & { traitPriceWei: bigint },
): Promise<{ updated: string[]; intentKeys: string[] }> {
  const { tx, facts, now } = write;
  const traits = await traitsForChain(tx, facts, update.traits ?? []);
  const onchain = traits.length > 0 ? await onchainTraits(tx, { tokenId: facts.tokenId }) : [];
  const fields = [
    ...personalityCall(facts, update.personality ?? {}),
    ...narrativeCalls(facts, update.narrative ?? {}),
  ];
  const additions = traits.map(
    ({ name, category }): ChainCall => ({
      slot: traitSlot(name),
      data: encodeFunctionData({
        abi: identityAbi,
        functionName: "addTrait",
        args: [BigInt(facts.tokenId), name, category],
      }),
      valueWei: request.traitPriceWei,
      onchain: onchain.some((trait) => traitKey(trait.name) === traitKey(name)),
      adds: "once",
    }),
  );
  const keys = await queueChainWrites(write, [...fields, ...additions], request);
  const added = traits.filter((_, i) => keys[fields.length + i] !== null);
  const { services, skills, domains, metadata } = update;
  const kept = fieldWrites({ services, skills, domains, metadata });
  await writeProfileFields(tx, { tokenId: facts.tokenId, writes: kept, at: writeTime(facts, kept, now) });
  const paths = kept.map(({ field }) => field);
  await emitUpdated(write, paths, update);
  return {
    updated: [...updatePaths(update), ...added.map(({ name }) => `trait:${name}`)],
    intentKeys: keys.filter((key) => key !== null),
  };
}

/**
 * The given traits in their form on chain; a trait that is off chain so far keeps its form.
 * @throws Failure conflict
 */
async function traitsForChain(tx: Write["tx"], facts: AgentFacts, given: readonly TraitInput[]): Promise<TraitInput[]> {
  if (given.length === 0) return [];
  newTraits(facts.traits, given);
  const offchain = new Map((await profileTraits(tx, facts.tokenId)).map((trait) => [traitKey(trait.name), trait]));
  return given.map((trait) => offchain.get(traitKey(trait.name)) ?? trait);
}

/**
 * The contract stores a personality as a whole: fields absent from the request keep the shown value. A level that was
 * never written is 0 on chain, which has no null.
 */
function personalityCall(facts: AgentFacts, given: PersonalityInput): ChainCall[] {
  if (Object.values(given).every((value) => value === undefined)) return [];
  const shown = mergeProfile(facts).personality;
  const whole: Personality = {
    quirks: given.quirks ?? shown?.quirks ?? "",
    communicationStyle: given.communicationStyle ?? shown?.communicationStyle ?? "",
    values: given.values ?? shown?.values ?? "",
    humor: given.humor ?? shown?.humor ?? "",
    riskTolerance: given.riskTolerance ?? shown?.riskTolerance ?? 0,
    autonomyLevel: given.autonomyLevel ?? shown?.autonomyLevel ?? 0,
  };
  const chain = facts.onchainPersonality;
  requireShort("personality", PERSONALITY_TEXTS.map((key) => whole[key]).join(""));
  const onchain = (Object.keys(whole) as (keyof Personality)[]).every(
    (key) => chain?.[key] === whole[key] && shown?.[key] === whole[key],
  );
  return [
    {
      slot: "personality",
      replaces: bytesOf(PERSONALITY_TEXTS.map((key) => chain?.[key] ?? "").join("")),
      data: encodeFunctionData({
        abi: identityAbi,
        functionName: "setPersonality",
        args: [BigInt(facts.tokenId), whole],
      }),
      onchain,
    },
  ];
}

/** Bound: bytes in UTF-8 that one transaction writes of a text: 23 k gas for each 32 of them, 1.5 M together. */
const CHAIN_TEXT_BYTES = 2_048;
const bytesOf = (text: string) => Buffer.byteLength(text);

/** @throws Failure invalid_input */
function requireShort(path: string, text: string): void {
  const bytes = bytesOf(text);
  if (bytes <= CHAIN_TEXT_BYTES) return;
  const [most, has] = [CHAIN_TEXT_BYTES, bytes].map((count) => count.toLocaleString("en"));
  const message = `must have at most ${most} bytes in UTF-8 to be written on chain, and has ${has}`;
  fail("invalid_input", `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
    hint: "Without onchain=true the service keeps it off chain.",
  });
}

const SETTERS = { origin: "setOrigin", mission: "setMission", lore: "setLore", manifesto: "setManifesto" } as const;

/** One call for each text: setting all at once would give a new time to texts that the request does not name. */
function narrativeCalls(facts: AgentFacts, given: NarrativeInput): ChainCall[] {
  const shown = mergeNarrative(facts);
  return NARRATIVE_FIELDS.flatMap((field) => {
    const text = given[field];
    if (text === undefined) return [];
    requireShort(`narrative.${field}`, text);
    const args = [BigInt(facts.tokenId), text] as const;
    return [
      {
        slot: `narrative.${field}`,
        replaces: bytesOf(facts.onchainNarrative?.[field] ?? ""),
        data: encodeFunctionData({ abi: identityAbi, functionName: SETTERS[field], args }),
        onchain: (facts.onchainNarrative?.[field] ?? "") === text && shown[field] === text,
      },
    ];
  });
}
