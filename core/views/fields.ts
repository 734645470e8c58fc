/** Fields that many bodies share, each described once. */
import { array, object, z } from "zod";
import { TIERS, type Tier, type TierWord, tierWord } from "../cred/tiers.ts";
import { MINT_ORIGINS, type MintOrigin } from "../mints/mint-origins.ts";
import { PROOF_PLATFORM_KEYS } from "../proof-platforms.ts";

/** Shown with the agent's wallet everywhere. */
export const walletConfirmed = z.boolean().meta({
  description: "Whether the agent's wallet owns, has verified or registered the token; false: the token only names it",
});

export const tokenId = z.int().min(0).meta({ description: "Identity token id; 0 is a valid one" });
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ description: "Address, checksummed (EIP-55)" });
const HEX_64 = /^0x[0-9a-f]{64}$/;
export const bytes32 = z.string().regex(HEX_64);
export const txHash = z.string().regex(HEX_64);
export const moment = z.iso.datetime();
export const url = z.string().meta({ format: "uri" });
export const score = z.int().min(0).max(100);
export const tier = z.enum(TIERS.map(tierWord) as [TierWord, ...TierWord[]]).meta({ description: "Tier, upper case" });
export const tierLabel = z.enum(TIERS.map(({ label }) => label) as [Tier["label"], ...Tier["label"][]]);
export const mintOrigin = z.enum(MINT_ORIGINS.map(({ name }) => name) as [MintOrigin, ...MintOrigin[]]);
export const block = z.int().min(0).meta({ description: "Block number" });
export const epochNumber = z
  .int()
  .min(1)
  .meta({ description: "Number of an epoch: one published state of all scores" });
export const count = z.int().min(0);
/** A key of the same object, as a sentence. */
export const inWords = z.string().meta({ description: "The same in words" });
export const ignored = array(z.string())
  .optional()
  .meta({ description: "Fields of the request that were not read, the first 20; left out when there are none" });
const ABOUT = ["wallet", ...PROOF_PLATFORM_KEYS, "coinbase", "identity"] as const;
export const reservations = array(
  object({
    reason: z.enum(["earlier_owner", "shared"]).meta({
      description:
        "earlier_owner: the proof was made under an earlier owner, and counts in discovery once it is made again. shared: it serves other agents too",
    }),
    about: z.enum(ABOUT).meta({
      description:
        "What was proved: the wallet or an account. coinbase: the exchange's attestation of the owner; identity: the token that lifts the cap of a foreign agent",
    }),
    provedAt: moment.nullable().optional().meta({ description: "When it was proved; null = not known" }),
    transferredAt: moment.nullable().optional().meta({ description: "When the token came to its present owner" }),
    otherAgents: count.optional().meta({ description: "How many other agents it serves" }),
    more: z.boolean().optional().meta({ description: "There are more than are counted" }),
    says: inWords,
  }).meta({ id: "Reservation" }),
).meta({ description: "What is to be said beside proofs and attestations; it changes no score" });
export type Caveat = z.output<typeof reservations>[number];
export const usdc = z.string().meta({ description: "Amount of USDC, decimal", examples: ["1.00"] });

/** What a schema names of values that may have more, in its order: a view shows nothing else. */
export const membersOf = <S extends z.ZodObject>(schema: S, values: z.output<S>): z.output<S> =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  ) as z.output<S>;

/** One schema for each of some names. */
export const shapeOf = <K extends string, T extends z.ZodType>(keys: readonly K[], value: T) =>
  Object.fromEntries(keys.map((key) => [key, value])) as Record<K, T>;
