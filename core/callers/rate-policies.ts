/**
 * Rate limits: every limit of requests per time. A new limit is an entry here (its variable, default and header follow
 * from it) and the code that takes tokens from it. Limits of concurrent use are in api/http/concurrency-limit.ts.
 */

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
type RateWindow = keyof typeof SECONDS;

/** Allows a burst of `quota` requests, and `quota` more spread evenly over each window. */
type RatePolicy = {
  quota: number;
  window: RateWindow;
  /** Environment variable that sets another quota; 0: no limit. */
  variable: `RATE_${string}`;
  /** What is counted, and by which key. */
  of: string;
};

/**
 * Policies by their names in the RateLimit headers.
 * Bound: reads, writes without a credential, claims and exports, by network.
 * Bound: signed writes, by caller and by network, because wallets cost nothing.
 * Bound: failed sign-ins, by network; signatures that the chain checks, by network and in all, each as 8 texts at most
 * (12 for a host, one after the other).
 * Bound: attempts to pay, by caller or network; their rows stay in the ledger.
 * Bound: messages, by member and group, by member a day and by group; they are kept unless MESSAGE_RETENTION is set.
 */
export const RATE_POLICIES = {
  reads: {
    quota: 1_200,
    window: "minute",
    variable: "RATE_READS_PER_CLIENT",
    of: "Reads of one client network (an IPv4 address, or an IPv6 /64) without an API key",
  },
  "reads-by-key": {
    quota: 12_000,
    window: "minute",
    variable: "RATE_READS_PER_API_KEY",
    of: "Reads with one API key of scope read, unless the key has a number of its own",
  },
  exports: {
    quota: 12,
    window: "hour",
    variable: "RATE_EXPORTS_PER_CLIENT",
    of: "Exports of the directory to one client network, or with one API key of scope read",
  },
  discoveries: {
    quota: 300,
    window: "minute",
    variable: "RATE_DISCOVERIES_PER_CLIENT",
    of: "Searches by discovery of one client network, or with one API key of scope read",
  },
  "index-queries": {
    quota: 240,
    window: "minute",
    variable: "RATE_INDEX_QUERIES_PER_API_KEY",
    of: "Queries of the index by GraphQL and SQL with one API key of scope index:read",
  },
  "writes-by-network": {
    quota: 30,
    window: "minute",
    variable: "RATE_WRITES_PER_CLIENT",
    of: "Writes of one client network to operations that need no credential",
  },
  claims: {
    quota: 10,
    window: "minute",
    variable: "RATE_CLAIMS_PER_CLIENT",
    of: "Claims of a token in the directory by one client network",
  },
  "sign-ins": {
    quota: 60,
    window: "minute",
    variable: "RATE_SIGN_INS_PER_CLIENT",
    of: "Requests of one client network whose credential is missing or not good; a good one is given back",
  },
  "contract-signatures": {
    quota: 60,
    window: "minute",
    variable: "RATE_CONTRACT_SIGNATURES_PER_CLIENT",
    of: "Signatures from one client network that the chain is asked about, by 8 texts each; good ones too",
  },
  "contract-signatures-of-all": {
    quota: 3_000,
    window: "minute",
    variable: "RATE_CONTRACT_SIGNATURES",
    of: "Signatures that the chain is asked about for all clients together",
  },
  "past-blocks": {
    quota: 10,
    window: "minute",
    variable: "RATE_PAST_BLOCKS_PER_CLIENT",
    of: "Blocks of the past whose time a node is asked for, by one client network or API key; each is then remembered",
  },
  "chain-reads": {
    quota: 600,
    window: "minute",
    variable: "RATE_CHAIN_READS",
    of: "Requests to the chain's nodes for the reads of all clients together; settlement and sending do not share it",
  },
  "signed-writes-by-network": {
    quota: 600,
    window: "minute",
    variable: "RATE_SIGNED_WRITES_PER_CLIENT",
    of: "Writes of all wallets and humans of one client network together; wallets cost nothing",
  },
  writes: {
    quota: 60,
    window: "minute",
    variable: "RATE_WRITES_PER_CALLER",
    of: "Writes of one wallet or human",
  },
  "writes-by-key": {
    quota: 6_000,
    window: "minute",
    variable: "RATE_WRITES_PER_API_KEY",
    of: "Writes with one API key",
  },
  proofs: {
    quota: 10,
    window: "minute",
    variable: "RATE_PROOFS_PER_CALLER",
    of: "Verifications of one wallet; each asks another service",
  },
  "proofs-by-day": {
    quota: 100,
    window: "day",
    variable: "RATE_PROOFS_PER_CALLER_AND_DAY",
    of: "Verifications of one wallet",
  },
  payments: {
    quota: 30,
    window: "minute",
    variable: "RATE_PAYMENTS_PER_CALLER",
    of: "Attempts to pay of one wallet, or of one client network that names no wallet",
  },
  messages: {
    quota: 60,
    window: "minute",
    variable: "RATE_MESSAGES_PER_MEMBER",
    of: "Messages of one wallet in one group",
  },
  "messages-by-day": {
    quota: 5_000,
    window: "day",
    variable: "RATE_MESSAGES_PER_MEMBER_AND_DAY",
    of: "Messages of one wallet in all groups; they are kept for ever where MESSAGE_RETENTION is not set",
  },
  "messages-of-group": {
    quota: 6_000,
    window: "minute",
    variable: "RATE_MESSAGES_PER_GROUP",
    of: "Messages of one group, of all its members",
  },
  groups: {
    quota: 5,
    window: "hour",
    variable: "RATE_GROUPS_PER_CALLER",
    of: "Message groups that one wallet may create",
  },
  "kept-answers": {
    quota: 300,
    window: "day",
    variable: "RATE_KEPT_ANSWERS_PER_CLIENT",
    of: "Answers kept by Idempotency-Key for one client network without a credential; beyond, a repeated request runs again",
  },
  "kept-answers-of-callers": {
    quota: 20_000,
    window: "day",
    variable: "RATE_KEPT_ANSWERS_OF_CALLERS_PER_CLIENT",
    of: "Answers kept by Idempotency-Key for all wallets, humans and API keys of one client network together",
  },
  "webhook-sends": {
    quota: 60,
    window: "minute",
    variable: "RATE_WEBHOOK_SENDS_PER_CALLER",
    of: "Tests and replays of webhooks of one wallet",
  },
} as const satisfies Record<string, RatePolicy>;

export type RatePolicyName = keyof typeof RATE_POLICIES;
export type RateVariable = (typeof RATE_POLICIES)[RatePolicyName]["variable"];

/** Quotas in force, by policy; 0: no limit. */
export type RateQuotas = Record<RatePolicyName, number>;

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
