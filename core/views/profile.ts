/** An agent's profile as its controllers change it: where each value is stored, what is being written on chain, what a write costs. */
import { formatEther } from "viem/utils";
import type { AgentFacts, Hex } from "../agents/facts.ts";
import { profileFields } from "../agents/profile.ts";
import { traitKey } from "../agents/trait-input.ts";
import { countedTraits } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { type PriceList, shownPrice } from "../payments/prices.ts";

/** A part that was written on chain lately, of those whose value the index does not have yet, or never will. */
type OpenWrite = {
  /** `personality`, `narrative.origin`, `trait:<name>`, `linked-token`, `verified`. */
  part: string;
  state: "queued" | "sent" | "mined" | "refused";
  txHash: Hex | null;
  acceptedAt: Date;
};
type StoredWrite = {
  slot: string;
  state: "queued" | "signed" | "mined" | "failed" | "reverted";
  txHash: Hex | null;
  block: number | null;
  acceptedAt: Date;
};
export type ChainWriting = {
  writes: readonly StoredWrite[];
  /** Last indexed block; null before the first one. */
  indexedBlock: number | null;
  /** Keys (`traitKey`) of the traits that the chain has. */
  traitsOnchain: ReadonlySet<string>;
  /** Parts that may be written today, and those that still may. */
  allowance: { max: number; left: number };
  /** Whether the service can pay for transactions now. */
  funded: boolean;
  /** The contract's price of a trait in wei, and the highest that the service pays; null = not known. */
  traitPriceWei: bigint | null;
  traitPriceLimitWei: bigint;
};

export function profileView(facts: AgentFacts, prices: PriceList, chain: ChainWriting, now: Date) {
  const { allowance, funded, traitPriceWei } = chain;
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
      partsLeft: allowance.left,
      partsMax: allowance.max,
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
  return { part: slot, state: STATES[state], txHash, acceptedAt };
}
