/** What a verdict is made of: what is asked, what is known at that time, and the clock. All of it is JSON, so that it can be recorded and replayed. */
import type { Accept } from "../offers/offer.ts";
import type { Thresholds } from "./policy.ts";

/** An endpoint that an agent names. Times in ISO 8601. */
export type KnownEndpoint = {
  url: string;
  /** What shows that it is the agent's; null where only the agent says so. */
  confirmedBy: string | null;
  answeredAt: string | null;
  silentSince: string | null;
  checkedAt: string | null;
  /** Share of the last 30 days in which it answered, by the log of probes; null where it has none. */
  uptime: number | null;
  /**
   * Until when its terms, there as at the URL that is asked about, paid the agent's wallet, or since when they pay another one
   * while none of its endpoints pays it any more; null: it was never paid, or it still is.
   */
  walletUntil: string | null;
};

/**
 * What is known of the agent. Only what others cannot buy or say: how its host and its registry name it, what its wallet was
 * paid by money that is shown to be other people's, when endpoints answered our own requests. No name, text, review, rank or
 * follower. Addresses lower-case.
 */
export type PreflightFacts = {
  /** Its reference in the directory (`rowRef`). */
  agent: string;
  /** The wallet that its registry has shown to be its own. */
  wallet: string | null;
  owner: string | null;
  cred: number;
  /** Since when its present owner has it, and its wallet is its own, its registration at the earliest; null where that is not known. */
  heldSince: string | null;
  /** Those at the URL that is asked about; without one, all of its own. */
  endpoints: KnownEndpoint[];
  /** Terms of payment there, as they were read at endpoints that are shown to be its own. */
  listed: Accept[];
  /** Other agents whose own the URL is shown to be. */
  others: string[];
  /** What its wallet was paid: of independent payers by mature payments, in units of USDC, the largest sums first. */
  income: { computedAt: string; voices: string[] } | null;
};

/** What the endpoint itself says now. `terms` null: none could be read, for the reason `why`. */
export type LiveTerms = { readAt: string; terms: Accept[] | null; why: string | null };

export type PreflightInputs = {
  /** CAIP-2 name of the chain that the verdict is about. */
  network: string;
  asked: {
    agent: string | null;
    url: string | null;
    /** Units of USDC. */
    amount: string | null;
    /** Lower-case where it is an address of the chain. */
    payTo: string | null;
    terms: Accept[];
  };
  thresholds: Partial<Thresholds>;
  /** ISO 8601. */
  now: string;
  /** Null: the directory knows no such agent or endpoint. */
  facts: PreflightFacts | null;
  /** Null where it was not asked for. */
  live: LiveTerms | null;
};
