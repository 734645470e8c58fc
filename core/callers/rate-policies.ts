/**
 * Rate limits: every limit of requests per time. A new limit is an entry here (its name in LIMITS and in headers follows
 * from it) and the code that takes tokens from it. Limits of concurrent use are in core/callers/shared-places.ts.
 */
import { type Network, shareOf, type Who } from "./shares.ts";

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
type RateWindow = keyof typeof SECONDS;

/** Allows a burst of `quota` requests, and `quota` more spread evenly over each window. */
type RatePolicy = {
  /** Unless LIMITS has another; 0: no limit. */
  quota: number;
  window: RateWindow;
  /** What is counted, and by which key. */
  of: string;
  /** Who can empty it, at what price, and what others have left then; shown in docs/operate/limits.md. */
  emptiedBy: string;
  /** Set where `quota` is that of all clients together: the part of it that one client has, and one known caller. */
  shared?: { client: number; known: number };
};

const ITS_HOLDER = "Its holder alone.";
const ITS_NETWORK = "Clients of the network.";

/**
 * Policies by their names in the RateLimit headers and in LIMITS. Where a client's network is counted, its wider networks are counted
 * too: a /48 of IPv6 has the quota of 4 clients, an IPv4 /24 that of 64, a /32 of IPv6 that of 256
 * (api/http/client-network.ts).
 * Bound: reads, writes without a credential, claims and exports, by network.
 * Bound: signed writes, by caller and by network, because wallets cost nothing.
 * Bound: failed sign-ins, by network; signatures that the chain checks, by network and in all, each as 8 texts at most
 * (12 for a host, one after the other); wallets that were good before have buckets of their own.
 * Bound: attempts to pay, by caller or network; their rows stay in the ledger.
 * Bound: messages, by member and group, by member a day and by group; they are kept unless MESSAGE_RETENTION is set.
 */
export const RATE_POLICIES = {
  reads: {
    quota: 1_200,
    window: "minute",
    of: "Reads of one client network (an IPv4 address, or an IPv6 /64) without an API key",
    emptiedBy: `${ITS_NETWORK} An API key has its own.`,
  },
  "reads-by-key": {
    quota: 12_000,
    window: "minute",
    of: "Reads with one API key of scope read, unless the key has a number of its own",
    emptiedBy: ITS_HOLDER,
  },
  exports: {
    quota: 12,
    window: "hour",
    of: "Exports of the directory to one client network, or with one API key of scope read",
    emptiedBy: `${ITS_NETWORK} An API key has its own.`,
  },
  discoveries: {
    quota: 300,
    window: "minute",
    of: "Searches by discovery of one client network, or with one API key of scope read",
    emptiedBy: `${ITS_NETWORK} An API key has its own.`,
  },
  "index-queries": {
    quota: 240,
    window: "minute",
    of: "Queries of the index by GraphQL and SQL with one API key of scope index:read",
    emptiedBy: ITS_HOLDER,
  },
  "writes-by-network": {
    quota: 30,
    window: "minute",
    of: "Writes of one client network to operations that need no credential",
    emptiedBy: ITS_NETWORK,
  },
  claims: {
    quota: 10,
    window: "minute",
    of: "Claims of a token in the directory by one client network",
    emptiedBy: ITS_NETWORK,
  },
  "sign-ins": {
    quota: 60,
    window: "minute",
    of: "Requests of one client network whose credential is missing or not good; a good one is given back",
    emptiedBy: `${ITS_NETWORK} Credentials that are known to be good go on.`,
  },
  "contract-signatures": {
    quota: 3_000,
    window: "minute",
    of: "Signatures of contract wallets that the chain is asked about, of all clients together, by 8 texts each",
    shared: { client: 1 / 100, known: 1 / 200 },
    emptiedBy:
      "100 IPv4 addresses of three /24s (about $0.70 an hour), or 26 IPv6 /48s of three /32s. Deployed wallets that were good from their network within 30 days, since the process began, go on.",
  },
  "chain-reads": {
    quota: 600,
    window: "minute",
    of: "Requests to the chain's nodes for reads of all clients together; settlement and sending do not share it",
    shared: { client: 1 / 20, known: 1 / 5 },
    emptiedBy:
      "21 IPv4 addresses of three /24s (about $0.15 an hour), or 6 IPv6 /48s of three /32s. API keys go on, and what is remembered is answered.",
  },
  "signed-writes-by-network": {
    quota: 600,
    window: "minute",
    of: "Writes of all wallets and humans of one client network together; wallets cost nothing",
    emptiedBy: `${ITS_NETWORK} API keys have their own.`,
  },
  writes: {
    quota: 60,
    window: "minute",
    of: "Writes of one wallet or human",
    emptiedBy: ITS_HOLDER,
  },
  "writes-by-key": {
    quota: 6_000,
    window: "minute",
    of: "Writes with one API key",
    emptiedBy: ITS_HOLDER,
  },
  "updates-by-day": {
    quota: 1_440,
    window: "day",
    of: "Changes of one agent's profile by one wallet; each may add a point to the history of its score, which is kept",
    emptiedBy: ITS_HOLDER,
  },
  proofs: {
    quota: 10,
    window: "minute",
    of: "Verifications of one wallet; each asks another service",
    emptiedBy: ITS_HOLDER,
  },
  "proofs-by-day": {
    quota: 100,
    window: "day",
    of: "Verifications of one wallet",
    emptiedBy: ITS_HOLDER,
  },
  payments: {
    quota: 30,
    window: "minute",
    of: "Attempts to pay of one wallet, or of one client network that names no wallet",
    emptiedBy: "The wallet; without one, clients of the network.",
  },
  messages: {
    quota: 60,
    window: "minute",
    of: "Messages of one wallet in one group",
    emptiedBy: ITS_HOLDER,
  },
  "messages-by-day": {
    quota: 5_000,
    window: "day",
    of: "Messages of one wallet in all groups; they are kept for ever where MESSAGE_RETENTION is not set",
    emptiedBy: ITS_HOLDER,
  },
  "messages-of-group": {
    quota: 6_000,
    window: "minute",
    of: "Messages of one group, of all its members",
    emptiedBy: "100 members of the group; each needs an agent with the group's cred. Other groups keep theirs.",
  },
  principals: {
    quota: 100,
    window: "day",
    of: "Humans and organizations that one client network may register",
    emptiedBy: `${ITS_NETWORK} Changes are not counted.`,
  },
  groups: {
    quota: 5,
    window: "hour",
    of: "Message groups that one wallet may create",
    emptiedBy: ITS_HOLDER,
  },
  "kept-answers": {
    quota: 300,
    window: "day",
    of: "Answers kept by Idempotency-Key for one client network without a credential; beyond, a repeated request runs again",
    emptiedBy: ITS_NETWORK,
  },
  "kept-answers-of-callers": {
    quota: 20_000,
    window: "day",
    of: "Answers kept by Idempotency-Key for all wallets, humans and API keys of one client network together",
    emptiedBy: `${ITS_NETWORK} Beyond, a repeated request runs again.`,
  },
  "webhook-sends": {
    quota: 60,
    window: "minute",
    of: "Tests and replays of webhooks of one wallet",
    emptiedBy: ITS_HOLDER,
  },
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

/** Whether all strangers share the policy's quota. */
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
