/**
 * The aggregated report of an agent: balances, recent transactions, ranking; and its verifications, the records of its social proofs.
 */
import { formatEther } from "viem/utils";
import { array, object, z } from "zod";
import { checksum } from "../addresses.ts";
import type { OwnedFacts } from "../agents/caveats.ts";
import type { Address, AgentFacts, Hex, Proof } from "../agents/facts.ts";
import { linkedToken } from "../agents/linked-token.ts";
import { mergeProfile } from "../agents/profile.ts";
import { MAX_QUOTE, needleOf } from "../agents/social-proofs.ts";
import { countedTraits } from "../agents/traits.ts";
import { exchangeCounts, shownCred, validProofs } from "../cred/cred.ts";
import { tierWord } from "../cred/tiers.ts";
import { foreignLink, foreignText } from "../directory/foreign-text.ts";
import { agentIncomeSchema, agentJobsSchema } from "../income/view.ts";
import { tokenLink } from "../links.ts";
import {
  byProofPlatform,
  type NumericIdOf,
  PROOF_PLATFORMS,
  type ProofPlatform,
  type ProofPlatformKey,
} from "../proof-platforms.ts";
import { canonicalReviewsSchema } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import { evidenceView, type Site } from "./agent.ts";
import {
  address,
  type Caveat,
  count,
  membersOf,
  moment,
  reservations,
  score,
  tier,
  tokenId,
  txHash,
  url,
  walletConfirmed,
} from "./fields.ts";

/** A proof as of its last check. */
const proof = {
  handle: z.string(),
  username: z.string().meta({ description: "The account's name on the platform" }),
  verifiedAt: moment,
  txHash: txHash.nullable(),
  checkedAt: moment,
  nextCheckAt: moment.nullable().meta({ description: "When it is due to be checked again; null for a lapsed one" }),
  url: url.nullable().meta({ description: "Where the account shows it; null when that is not known" }),
  quote: z
    .string()
    .nullable()
    .meta({
      description:
        "The account's own words around the proof at the last check. Whoever names the agent proves it, also in a warning: read them. null when they are not known",
      examples: ["Auditor of contracts. helixa:7"],
    }),
  status: z
    .enum(["verified", "stale", "lapsed"])
    .meta({ description: "stale: could not be checked of late; lapsed: has vanished and counts no more" }),
  earlierOwner: z.boolean().meta({ description: "It was made under an earlier owner of the token" }),
};

type ProofView = z.output<z.ZodObject<typeof proof>>;

/** The field with the account's id; no field on platforms whose ids people do not know. */
type NumericIdSchema<K extends ProofPlatformKey> =
  NumericIdOf<K> extends Record<infer Name extends string, number> ? Record<Name, z.ZodInt> : unknown;

const records = byProofPlatform(({ numericId }: ProofPlatform) =>
  object({ ...proof, ...(numericId !== undefined && { [numericId]: z.int().min(0) }) }).nullable(),
) as unknown as { [K in ProofPlatformKey]: z.ZodNullable<z.ZodObject<typeof proof & NumericIdSchema<K>>> };

export const verificationsSchema = object({
  tokenId,
  expected: z
    .string()
    .meta({ description: "The text that an account shows to prove the agent", examples: ["helixa:7"] }),
  reservations,
  ...records,
}).meta({ id: "Verifications" });
type VerificationsView = z.output<typeof verificationsSchema>;

type ShownWith = {
  prefix: string;
  checkedEvery: Readonly<Partial<Record<string, number>>>;
  reservations: readonly Caveat[];
};

/**
 * @param service `prefix`: the service's name in lower case; `checkedEvery`: milliseconds between two checks of a proof,
 *   by platform; `reservations`: those about the agent
 */
export function verificationsView(
  facts: AgentFacts,
  { prefix, checkedEvery, reservations }: ShownWith,
  platforms: readonly ProofPlatform[] = PROOF_PLATFORMS,
): VerificationsView {
  const records = byProofPlatform((platform) => {
    const proof = facts.proofs.find((each) => each.platform === platform.key);
    if (!proof) return null;
    const earlierOwner = reservations.some(({ reason, about }) => reason === "earlier_owner" && about === platform.key);
    return {
      ...proofView(proof, checkedEvery[platform.key]),
      earlierOwner,
      ...numericId(platform, proof.accountId),
    };
  }, platforms);
  const expected = needleOf(prefix, facts.tokenId);
  return { tokenId: facts.tokenId, expected, reservations, ...records } as VerificationsView;
}

/** The account's id under the field name of its platform; empty for platforms whose ids are not shown. */
export const numericId = ({ numericId: name }: ProofPlatform, accountId: string): Record<string, number> =>
  name === undefined ? {} : { [name]: Number(accountId) };

function proofView(proof: Proof, checkedEvery: number | undefined): Omit<ProofView, "earlierOwner"> {
  const { handle, username, verifiedAt, txHash, checkedAt, status } = proof;
  const { url, quote } = (proof.evidence ?? {}) as { url?: unknown; quote?: unknown };
  const due = status !== "lapsed" && checkedEvery !== undefined;
  return {
    handle,
    username: username ?? handle,
    verifiedAt,
    txHash,
    checkedAt,
    nextCheckAt: due ? new Date(Date.parse(checkedAt) + checkedEvery).toISOString() : null,
    url: foreignLink(url),
    quote: foreignText(quote, MAX_QUOTE),
    status,
  };
}

const proven = object({ verified: z.boolean(), handle: z.string().optional(), username: z.string().optional() }).meta({
  id: "ProvenAccount",
  description: "Whether an account is proven now, and which",
});

const verificationBadgesSchema = object({
  siwa: z.boolean(),
  ...byProofPlatform(() => proven),
  coinbase: z.boolean(),
});

/** The verifications that count at `now`. */
export function verificationBadges(facts: AgentFacts, now: Date): z.output<typeof verificationBadgesSchema> {
  const valid = validProofs(facts);
  const account = (platform: ProofPlatformKey): z.output<typeof proven> => {
    const proof = valid.find((p) => p.platform === platform);
    if (!proof) return { verified: false };
    const { handle, username } = proof;
    return { verified: true, handle, username: username ?? handle };
  };
  return {
    siwa: facts.verified,
    ...byProofPlatform(({ key }) => account(key)),
    coinbase: exchangeCounts(facts, now),
  };
}

/** Decimal amounts; null where the chain did not answer. */
export type Balances = {
  eth: string | null;
  usdc: string | null;
  /** Null also when no token is linked. */
  linkedToken: { amount: string; decimals: number } | null;
  /** Neynar's score of the wallet, 0 to 1; null also when it has none. */
  neynarScore: number | null;
};

type RecentTransaction = {
  hash: Hex;
  from: Address;
  to: Address | null;
  valueWei: bigint;
  /** Unix seconds. */
  minedAt: number;
  /** Name of the called function, its selector when the name is unknown, null for a plain transfer of ETH. */
  method: string | null;
};

const amount = z.string().regex(/^\d+(\.\d+)?$/);
const balance = amount.nullable().meta({ description: "Decimal; null while the chain cannot be read" });

export const agentReportSchema = object({
  tokenId,
  name: z.string(),
  walletAddress: address,
  walletConfirmed,
  owner: address,
  balances: object({
    eth: balance,
    usdc: balance,
    linkedToken: object({
      contractAddress: z.string(),
      address: z.string().meta({ description: "As contractAddress" }),
      chain: z.string(),
      name: z.string(),
      symbol: z.string(),
      balance,
      formatted: amount.nullable().meta({ description: "As balance" }),
      decimals: z.int().min(0).max(255).nullable().meta({ description: "null where the balance is" }),
    })
      .nullable()
      .meta({ description: "null without a linked token; only tokens on this chain have a balance" }),
  }).meta({ description: "Of the agent's wallet, at most a minute old" }),
  recentTransactions: array(
    object({
      hash: txHash,
      from: address,
      to: address.nullable(),
      value: amount.meta({ description: "ETH, decimal" }),
      timestamp: moment,
      method: z
        .string()
        .nullable()
        .meta({ description: "Function called; its selector when it is not known", examples: ["addTrait"] }),
      isError: z.boolean(),
    }).meta({ id: "AgentTransaction" }),
  )
    .max(10)
    .meta({ description: "The newest transactions in which something happened to this agent" }),
  verifications: verificationBadgesSchema,
  reservations,
  reviews: canonicalReviewsSchema,
  payments: agentIncomeSchema,
  jobs: agentJobsSchema,
  credScore: object({
    total: score,
    tier,
    verified: z.boolean(),
    hasPersonality: z.boolean(),
    hasNarrative: z.boolean(),
    traitCount: count,
    points: count,
    soulbound: z.boolean(),
  }),
  points: count,
  rank: z.int().min(1).meta({ description: "By cred; 1 is best, ties share a rank" }),
  totalAgents: count,
  ethosScore: z.int().nullable().meta({ description: "null = not known" }),
  neynarScore: z.number().min(0).max(1).nullable().meta({
    description:
      "Of the agent's wallet, as Neynar's contract on this chain has it: another's opinion, and no part of the cred score. null = none, or not known now",
  }),
  explorer: url,
}).meta({ id: "Report" });
type AgentReportView = z.output<typeof agentReportSchema>;

export type AgentReportInput = {
  balances: Balances;
  transactions: readonly RecentTransaction[];
  rank: number;
  totalAgents: number;
};

export function agentReportView(facts: OwnedFacts, input: AgentReportInput, site: Site, now: Date): AgentReportView {
  const { score, tier } = shownCred(facts, now);
  const { eth, usdc, linkedToken: held } = input.balances;
  const { personality, narrative } = mergeProfile(facts);
  const linked = linkedToken(facts.traits);
  return membersOf(agentReportSchema, {
    ...facts,
    ...input,
    walletAddress: checksum(facts.agentAddress),
    owner: checksum(facts.owner),
    balances: {
      eth,
      usdc,
      linkedToken: linked && {
        contractAddress: linked.contractAddress,
        address: linked.contractAddress,
        chain: linked.chain,
        name: linked.name,
        symbol: linked.symbol,
        balance: held?.amount ?? null,
        formatted: held?.amount ?? null,
        decimals: held?.decimals ?? null,
      },
    },
    recentTransactions: input.transactions.map(transactionView),
    verifications: verificationBadges(facts, now),
    ...evidenceView(facts, now),
    credScore: {
      total: score,
      tier: tierWord(tier),
      verified: facts.verified,
      hasPersonality: personality !== null,
      hasNarrative: narrative !== null,
      traitCount: countedTraits(facts.traits).length,
      points: facts.points,
      soulbound: facts.soulbound,
    },
    neynarScore: input.balances.neynarScore,
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
  });
}

/** A failed transaction emits no event, so the index has none of them: `isError` is always false. */
const transactionView = ({
  hash,
  from,
  to,
  valueWei,
  minedAt,
  method,
}: RecentTransaction): AgentReportView["recentTransactions"][number] => ({
  hash,
  from: checksum(from),
  to: to && checksum(to),
  value: formatEther(valueWei),
  timestamp: isoSeconds(minedAt),
  method,
  isError: false,
});
