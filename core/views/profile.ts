/** An agent's profile as its controllers change it: where each value is stored, what is being written on chain, what a write costs. */
import { formatEther } from "viem/utils";
import { array, object, z } from "zod";
import type { AgentFacts, Hex } from "../agents/facts.ts";
import { profileFields } from "../agents/profile.ts";
import { traitKey } from "../agents/trait-input.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { type PriceList, shownPrice } from "../payments/prices.ts";
import { block, count, moment, score, tokenId, txHash, usdc } from "./fields.ts";

type StoredWrite = {
  slot: string;
  state: "queued" | "signed" | "mined" | "failed" | "reverted";
  txHash: Hex | null;
  block: number | null;
  acceptedAt: Date;
};
export type ChainWriteState = {
  writes: readonly StoredWrite[];
  /** Last indexed block; null before the first one. */
  indexedBlock: number | null;
  /** Keys (`traitKey`) of the traits that the chain has. */
  traitsOnchain: ReadonlySet<string>;
  /** Gas that the service pays for the agent's free writes today, and what is left of it. */
  gas: { max: number; left: number };
  /** Whether the service can pay for transactions now. */
  funded: boolean;
  /** The contract's price of a trait in wei, and the highest that the service pays; null = not known. */
  traitPriceWei: bigint | null;
  traitPriceLimitWei: bigint;
};

const place = z.enum(["onchain", "offchain"]);
const written = object({
  value: z.unknown(),
  writtenAt: moment.nullable().meta({ description: "null: on chain, at a time that is not known" }),
});

export const profileSchema = object({
  tokenId,
  fields: array(
    object({
      field: z.string().meta({ examples: ["narrative.mission"] }),
      value: z.unknown().meta({ description: "As it is shown; null where nothing was written" }),
      from: place.nullable().meta({ description: "Where that value is stored: of two the newer one is shown" }),
      onchain: written.nullable(),
      offchain: written.nullable(),
    }),
  ).meta({
    description: "All fields of narrative and personality, and those that were written of accounts and listing",
  }),
  traits: array(object({ name: z.string(), category: z.string(), addedAt: moment, from: place })),
  writing: array(
    object({
      part: z.string().meta({
        description: "A field of the narrative, `personality` as a whole, `trait:<name>`, `linked-token…`, `verified`",
        examples: ["narrative.mission"],
      }),
      state: z
        .enum(["queued", "sent", "mined", "refused"])
        .meta({ description: "mined: in a block that is not indexed yet; refused: by the chain, nothing changed" }),
      txHash: txHash.nullable(),
      acceptedAt: moment,
    }),
  ).meta({ description: "Newest write on chain of each part in seven days, without those that the index has" }),
  cost: object({
    price: usdc.meta({ description: "Of one change, on chain or off, in USDC" }),
    currency: z.literal("USDC"),
    gas: z.literal("service").meta({ description: "The service sends the transactions and pays for them" }),
    funded: z.boolean().meta({ description: "Whether the service can pay for transactions now" }),
    gasLeft: count.meta({ description: "Gas that the service still pays today (UTC) for this agent's writes" }),
    gasMax: count,
    traitPrice: z.string().nullable().meta({
      description: "What the contract takes for a trait, in ETH, paid by the service; null: not known now",
    }),
    traitsPayable: z.boolean().meta({ description: "false: the contract takes more than the service pays" }),
  }).meta({ description: "What writing on chain costs" }),
  cred: object({ score, raw: z.record(z.string(), score) }).meta({
    description: "The score, and the raw value of each signal: what a change would add follows from it",
  }),
  indexedBlock: block.nullable(),
}).meta({ id: "Profile" });
type ProfileView = z.output<typeof profileSchema>;
/** A part that was written on chain lately, of those whose value the index does not have yet, or never will. */
type OpenWrite = ProfileView["writing"][number];

export function profileView(facts: AgentFacts, prices: PriceList, chain: ChainWriteState, now: Date): ProfileView {
  const { gas, funded, traitPriceWei } = chain;
  const { score, raw } = shownCred(facts, now);
  return {
    tokenId: facts.tokenId,
    fields: profileFields(facts),
    traits: countedTraits(facts.traits).map(({ name, category, addedAt }) => ({
      name,
      category,
      addedAt,
      from: chain.traitsOnchain.has(traitKey(name)) ? "onchain" : "offchain",
    })),
    writing: chain.writes.flatMap((write) => openWrite(write, chain.indexedBlock) ?? []),
    cost: {
      price: shownPrice("update", prices),
      currency: "USDC",
      gas: "service",
      funded,
      gasLeft: gas.left,
      gasMax: gas.max,
      traitPrice: traitPriceWei === null ? null : formatEther(traitPriceWei),
      traitsPayable: traitPriceWei === null || traitPriceWei <= chain.traitPriceLimitWei,
    },
    cred: { score, raw },
    indexedBlock: chain.indexedBlock,
  };
}

const STATES = { queued: "queued", signed: "sent", mined: "mined", failed: "refused", reverted: "refused" } as const;

/** Null for a write that the index has. */
function openWrite({ slot, state, txHash, block, acceptedAt }: StoredWrite, indexed: number | null): OpenWrite | null {
  if (state === "mined" && block !== null && indexed !== null && block <= indexed) return null;
  return { part: slot, state: STATES[state], txHash, acceptedAt: acceptedAt.toISOString() };
}
