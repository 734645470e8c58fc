/** The aggregated report of an agent: balances, recent transactions, proofs and ranking. */
import { formatEther } from "viem/utils";
import { checksum } from "../addresses.ts";
import type { Address, AgentFacts, Hex } from "../agents/facts.ts";
import { mergeProfile } from "../agents/profile.ts";
import type { Reservation } from "../agents/reservations.ts";
import { countedTraits, linkedToken } from "../agents/traits.ts";
import { shownCred } from "../cred/cred.ts";
import { type TierWord, tierWord } from "../cred/tiers.ts";
import { tokenLink } from "../links.ts";
import { type CanonicalReviews, canonicalReviewsView } from "../reviews/view.ts";
import { isoSeconds } from "../times.ts";
import type { Site } from "./site.ts";
import { type VerificationMarks, verificationMarks } from "./verifications.ts";

/** Decimal amounts; null where the chain did not answer. */
export type Balances = {
  eth: string | null;
  usdc: string | null;
  /** Null also when no token is linked. */
  linkedToken: { amount: string; decimals: number } | null;
  /** Neynar's score of the wallet, 0 to 1; null also when it has none. */
  neynarScore: number | null;
};

/** A transaction of the index. */
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

type TransactionView = {
  hash: Hex;
  from: Address;
  to: Address | null;
  /** Amount of ETH, decimal. */
  value: string;
  timestamp: string;
  method: string | null;
  isError: boolean;
};

export type AgentReportView = {
  tokenId: number;
  name: string;
  walletAddress: Address;
  /** False: the token names this wallet, and nothing confirms it. */
  walletConfirmed: boolean;
  owner: Address;
  balances: {
    eth: string | null;
    usdc: string | null;
    linkedToken: {
      contractAddress: string;
      /** Equal to `contractAddress`, as `formatted` is to `balance`: some clients read one name, some the other. */
      address: string;
      chain: string;
      name: string;
      symbol: string;
      balance: string | null;
      formatted: string | null;
      decimals: number | null;
    } | null;
  };
  recentTransactions: TransactionView[];
  verifications: VerificationMarks;
  reservations: Reservation[];
  reviews: ReturnType<typeof canonicalReviewsView>;
  credScore: {
    total: number;
    tier: TierWord;
    verified: boolean;
    hasPersonality: boolean;
    hasNarrative: boolean;
    traitCount: number;
    points: number;
    soulbound: boolean;
  };
  points: number;
  rank: number;
  totalAgents: number;
  ethosScore: number | null;
  neynarScore: number | null;
  explorer: string;
};

export type AgentReportInput = {
  reservations: readonly Reservation[];
  reviews: CanonicalReviews | null;
  balances: Balances;
  transactions: readonly RecentTransaction[];
  rank: number;
  totalAgents: number;
};

export function agentReportView(facts: AgentFacts, input: AgentReportInput, site: Site, now: Date): AgentReportView {
  const { score, tier } = shownCred(facts, now);
  const { eth, usdc, linkedToken: held } = input.balances;
  const { personality, narrative } = mergeProfile(facts);
  const linked = linkedToken(facts.traits);
  return {
    tokenId: facts.tokenId,
    name: facts.name,
    walletAddress: checksum(facts.agentAddress),
    walletConfirmed: facts.walletConfirmed,
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
    verifications: verificationMarks(facts, now),
    reservations: [...input.reservations],
    reviews: canonicalReviewsView(input.reviews),
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
    points: facts.points,
    rank: input.rank,
    totalAgents: input.totalAgents,
    ethosScore: facts.ethosScore,
    neynarScore: input.balances.neynarScore,
    explorer: tokenLink(site.explorer, site.contract, facts.tokenId),
  };
}

/** A failed transaction emits no event, so the index has none of them: `isError` is always false. */
const transactionView = ({ hash, from, to, valueWei, minedAt, method }: RecentTransaction): TransactionView => ({
  hash,
  from: checksum(from),
  to: to && checksum(to),
  value: formatEther(valueWei),
  timestamp: isoSeconds(minedAt),
  method,
  isError: false,
});
