/**
 * Rate limits: every limit of requests per time. A new limit is an entry here (its name in LIMITS and in headers follows
 * from it) and the code that takes tokens from it. Limits of concurrent use are in core/callers/shared-places.ts.
 */
import { type Network, shareOf, type Who } from "./shares.ts";

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;

/** Allows a burst of `quota` requests, and `quota` more spread evenly over each window. */
type RatePolicy = {
  /** Unless LIMITS has another; 0: no limit. */
  quota: number;
  window: keyof typeof SECONDS;
  /** Set where `quota` is that of all clients together: the part of it that one client has, and one known caller. */
  shared?: { client: number; known: number };
};

/**
 * Policies by their names in the RateLimit headers, in LIMITS and in docs/operate/limits.md, which says what each counts
 * and who can empty it. Where a client's network is counted, its wider networks are counted too: a /48 of IPv6 has the
 * quota of 4 clients, an IPv4 /24 that of 64, a /32 of IPv6 that of 256 (api/http/client-network.ts).
 * Bound: reads, writes without a credential, claims, exports and looks at live terms, by network.
 * Bound: signed writes, by caller and by network, because wallets cost nothing.
 * Bound: failed sign-ins, by network; signatures that the chain checks, by network and in all, each as 8 texts at most
 * (12 for a host, one after the other); wallets that were good before have buckets of their own.
 * Bound: attempts to pay, by caller or network; their rows stay in the ledger.
 * Bound: checks on demand, by network and in all: each asks 8 endpoints at most, which are rows of the log of probes.
 * Bound: messages, by member and group, by member a day and by group; they are kept unless MESSAGE_RETENTION is set.
 */
export const RATE_POLICIES = {
  reads: { quota: 1_200, window: "minute" },
  "reads-by-key": { quota: 12_000, window: "minute" },
  exports: { quota: 12, window: "hour" },
  discoveries: { quota: 300, window: "minute" },
  "live-terms": { quota: 30, window: "minute" },
  "index-queries": { quota: 240, window: "minute" },
  "writes-by-network": { quota: 30, window: "minute" },
  claims: { quota: 10, window: "minute" },
  checks: { quota: 1_200, window: "hour", shared: { client: 1 / 60, known: 1 / 10 } },
  "sign-ins": { quota: 60, window: "minute" },
  "wallet-lookups": { quota: 6_000, window: "minute", shared: { client: 1 / 100, known: 1 / 200 } },
  "contract-signatures": { quota: 3_000, window: "minute", shared: { client: 1 / 100, known: 1 / 200 } },
  "chain-reads": { quota: 600, window: "minute", shared: { client: 1 / 20, known: 1 / 5 } },
  "signed-writes-by-network": { quota: 600, window: "minute" },
  writes: { quota: 60, window: "minute" },
  "writes-by-key": { quota: 6_000, window: "minute" },
  "updates-by-day": { quota: 1_440, window: "day" },
  proofs: { quota: 10, window: "minute" },
  "proofs-by-day": { quota: 100, window: "day" },
  payments: { quota: 30, window: "minute" },
  messages: { quota: 60, window: "minute" },
  "messages-by-day": { quota: 5_000, window: "day" },
  "messages-of-group": { quota: 6_000, window: "minute" },
  principals: { quota: 100, window: "day" },
  groups: { quota: 5, window: "hour" },
  "kept-answers": { quota: 300, window: "day" },
  "kept-answers-of-callers": { quota: 20_000, window: "day" },
  "webhook-sends": { quota: 60, window: "minute" },
} as const satisfies Record<string, RatePolicy>;

export type RatePolicyName = keyof typeof RATE_POLICIES;

/** Quotas in force, by policy; 0: no limit. */
export type RateQuotas = Record<RatePolicyName, number>;

/** How much of a policy's quota the caller or network of a bucket has. @param quota of one client, or of all */
export function quotaOf(name: RatePolicyName, quota: number, who: Who, network: Network): number {
  const { shared }: RatePolicy = RATE_POLICIES[name];
  if (!shared) return shareOf(network, quota, 0);
  const own = Math.max(1, quota * (typeof who === "string" ? shared.known : shared.client));
  return shareOf(network, own, quota);
}

/** Whether all unknown callers share the policy's quota. */
export const isShared = (name: RatePolicyName): boolean => "shared" in RATE_POLICIES[name];

/** Length of a policy's window in seconds. */
export const windowSeconds = (name: RatePolicyName): number => SECONDS[RATE_POLICIES[name].window];

/** A bucket of `quota` tokens. An empty bucket is refilled evenly over one window. */
export type RateBucket = { key: string; quota: number; windowMs: number };

/** Result of taking tokens: one of each bucket, or none of any. */
export type TakenTokens = {
  granted: boolean;
  /** For each bucket, in the given order: whole tokens left, ms until it is full, ms until its next token. */
  levels: { left: number; fullInMs: number; nextInMs: number }[];
};

/** Token buckets by key. */
export interface RateBuckets {
  /**
   * Takes a token from each bucket, or from none when one of them is empty. Never throws.
   * @param now ms since the epoch, for buckets in memory; buckets in Redis use its clock
   */
  take(buckets: readonly RateBucket[], now: number): TakenTokens | Promise<TakenTokens>;
  /** Returns a token to each bucket. Never throws. */
  giveBack(buckets: readonly RateBucket[], now: number): Promise<void> | undefined;
}
