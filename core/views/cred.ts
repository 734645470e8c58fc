/** The two views of the cred score: by token id with the scale of tiers, by address with its factors. */
import { object, z } from "zod";
import { checksum } from "../addresses.ts";
import type { AgentFacts } from "../agents/facts.ts";
import { breakdownOf, SIGNALS, shownCred } from "../cred/cred.ts";
import { type AddressWord, SCALE, TIERS, tierWord } from "../cred/tiers.ts";
import { shownPrice } from "../payments/prices.ts";
import type { Site } from "./agent.ts";
import {
  address,
  moment,
  reservations,
  score,
  shapeOf,
  tier,
  tierLabel,
  tokenId,
  usdc,
  walletConfirmed,
} from "./fields.ts";

export const credByTokenSchema = object({
  tokenId,
  name: z.string(),
  credScore: score,
  tier,
  tierLabel,
  scale: object(
    shapeOf(
      TIERS.map(({ key }) => key),
      z.string(),
    ),
  ).meta({ examples: [SCALE] }),
  fullReportEndpoint: z.string(),
  fullReportPrice: usdc,
  computedAt: moment,
  reservations,
}).meta({ id: "Cred" });

export function credByIdView(
  facts: AgentFacts,
  site: Site,
  now: Date,
): Omit<z.output<typeof credByTokenSchema>, "reservations"> {
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

const weighted = object({
  weight: z.number().min(0).max(1),
  rawScore: score,
  weightedScore: z.number().min(0).max(100),
}).meta({ id: "WeightedSignal" });

export const credByAddressSchema = object({
  address,
  walletConfirmed,
  credScore: score,
  tier: z.enum(TIERS.map(({ addressWord }) => addressWord) as [AddressWord, ...AddressWord[]]),
  factors: object(
    shapeOf(
      SIGNALS.map(({ key }) => key),
      weighted,
    ),
  ),
  credTier: tier,
  tokenId,
  name: z.string(),
  reservations,
}).meta({ id: "CredByAddress" });

export function credByAddressView(
  facts: AgentFacts,
  now: Date,
): Omit<z.output<typeof credByAddressSchema>, "reservations"> {
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
