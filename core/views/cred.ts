/** The two views of the cred score: by token id with the scale of tiers, by address with its factors. */
import { checksum } from "../addresses.ts";
import type { Address, AgentFacts } from "../agents/facts.ts";
import { type Breakdown, breakdownOf, shownCred } from "../cred/cred.ts";
import { type AddressWord, SCALE, type TierKey, type TierWord, tierWord } from "../cred/tiers.ts";
import { shownPrice } from "../payments/prices.ts";
import type { Site } from "./site.ts";

export type CredByIdView = {
  tokenId: number;
  name: string;
  credScore: number;
  tier: TierWord;
  tierLabel: string;
  scale: Record<TierKey, string>;
  fullReportEndpoint: string;
  /** Amount in USDC, decimal. */
  fullReportPrice: string;
  computedAt: string;
};

export function credByIdView(facts: AgentFacts, site: Site, now: Date): CredByIdView {
  const { score, tier, computedAt } = shownCred(facts, now);
  return {
    tokenId: facts.tokenId,
    name: facts.name,
    credScore: score,
    tier: tierWord(tier),
    tierLabel: tier.label,
    scale: SCALE,
    fullReportEndpoint: `/api/v2/agent/${facts.tokenId}/cred-report`,
    fullReportPrice: shownPrice("credReport", site.prices),
    computedAt,
  };
}

export type CredByAddressView = {
  address: Address;
  /** False: the token names this wallet, and nothing confirms it. */
  walletConfirmed: boolean;
  credScore: number;
  tier: AddressWord;
  factors: Breakdown;
  credTier: TierWord;
  tokenId: number;
  name: string;
};

export function credByAddressView(facts: AgentFacts, now: Date): CredByAddressView {
  const { score, raw, tier } = shownCred(facts, now);
  return {
    address: checksum(facts.agentAddress),
    walletConfirmed: facts.walletConfirmed,
    credScore: score,
    tier: tier.addressWord,
    factors: breakdownOf(raw),
    credTier: tierWord(tier),
    tokenId: facts.tokenId,
    name: facts.name,
  };
}
