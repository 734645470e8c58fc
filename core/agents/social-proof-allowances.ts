/**
 * How a platform's allowance of requests is divided: a share for new proofs, a share for re-checks of known proofs, and
 * who has priority when little is left. Each share and limit is a token bucket. A platform that bills each read of an
 * account has a budget of reads for one day (UTC) as well, divided in the same way.
 */
import { type Network, type Networks, WIDEST } from "../callers/shares.ts";
import type { ProofPlatformKey } from "../proof-platforms.ts";

export type Bucket = {
  name: string;
  /** Tokens in a full bucket. */
  most: number;
  /** Tokens added per second. */
  perSecond: number;
  /** Tokens of one unit of work; 1 when absent. */
  cost?: number;
  /** A bucket that nothing is added to is replaced at this time. */
  endsAt?: Date;
};

/** The rate that an upstream allows, as a token bucket: a burst of `burst` requests, then `perSecond`. */
export type Rate = { burst: number; perSecond: number };

const DAY_SECONDS = 86_400;

const shareOf = (name: string, rate: Rate, share: number): Bucket => ({
  name,
  most: Math.max(1, rate.burst * share),
  perSecond: rate.perSecond * share,
});

/**
 * Requests for new proofs. A bucket that starts full gives out twice its share within one window of the platform. Together
 * with the bucket of the re-checks this is exactly what the platform allows.
 */
export const newProofs = (platform: ProofPlatformKey, rate: Rate): Bucket =>
  shareOf(`proofs:${platform}:strangers`, rate, 0.35);

/** Requests for re-checks; new proofs cannot use them up. */
export const rechecks = (platform: ProofPlatformKey, rate: Rate): Bucket =>
  shareOf(`proofs:${platform}:rechecks`, rate, 0.15);

/**
 * The part of the share of new proofs that one network may use, however wide it is. Within a network those with the fewest
 * requests come first (`maxRequested`), so the part may be large where the rest flows back within minutes.
 */
const NETWORK_SHARE = 0.85;

/** Requests for new proofs from the networks of one client, so that some are left for other networks. */
export const ofNetworks = (platform: ProofPlatformKey, networks: Networks, rate: Rate): Bucket[] =>
  networks.map(({ name }) => shareOf(`proofs:${platform}:network:${name}`, rate, 0.35 * NETWORK_SHARE));

/** Reads that a request takes from a platform's budget. `perDay` null: the platform has no budget. */
export type Reads = { perDay: number | null; count: number };

/** What may be used on one day (UTC); nothing is added to it. */
export const ofDay = (name: string, most: number, count: number, now: Date): Bucket => {
  const day = now.toISOString().slice(0, 10);
  const endsAt = new Date(Date.parse(day) + DAY_SECONDS * 1000);
  return { name: `${name}:${day}`, most, perSecond: 0, cost: count, endsAt };
};

/**
 * Reads of today for new proofs, by any network and by those of one client.
 * Bound: reads on X, which bills each: X_READS_PER_DAY, half for new proofs, one network a third of that, and half for
 * checks.
 */
export function readsOfNewProofs(
  platform: ProofPlatformKey,
  networks: readonly Network[],
  reads: Reads,
  now: Date,
): Bucket[] {
  if (reads.perDay === null) return [];
  const most = Math.ceil(reads.perDay / 2);
  return [
    ofDay(`proofs:${platform}:reads:strangers`, most, reads.count, now),
    ...networks.map(({ name }) => ofDay(`proofs:${platform}:reads:network:${name}`, most * WIDEST, reads.count, now)),
  ];
}

/** Reads of today for re-checks; new proofs cannot use them up. */
export function readsOfRechecks(platform: ProofPlatformKey, reads: Reads, now: Date): Bucket[] {
  if (reads.perDay === null) return [];
  return [ofDay(`proofs:${platform}:reads:rechecks`, Math.floor(reads.perDay / 2), reads.count, now)];
}

/** Proofs per day of one agent on one platform. */
export const ofAgent = (platform: ProofPlatformKey, tokenId: number, perDay: number): Bucket => ({
  name: `proofs:${platform}:agent:${tokenId}`,
  most: perDay,
  perSecond: perDay / DAY_SECONDS,
});

/** Proofs per day of one wallet on one platform, for all its agents together. */
export const ofWallet = (platform: ProofPlatformKey, wallet: string, perDay: number): Bucket => ({
  name: `proofs:${platform}:wallet:${wallet}`,
  most: perDay * 5,
  perSecond: (perDay * 5) / DAY_SECONDS,
});

/** Definite failures of one claim: after two within a minute, the stored answer is returned until a minute has passed. */
export const failuresOf = (platform: ProofPlatformKey, tokenId: number, claim: string): Bucket => ({
  name: `proofs:${platform}:failed:${tokenId}:${claim}`,
  most: 2,
  perSecond: 1 / 60,
});

/** Proofs that an agent may always request while any allowance is left: the first, and one more after a mistake. */
const RESERVED_PER_AGENT = 2;

/**
 * Max proofs that an agent or a wallet may have requested, this one included. It is the full quota while the bucket of new
 * proofs is full, and shrinks with the bucket; the last third is for agents and wallets with almost no requests so far.
 * Bound: proofs, 10 a minute and 100 a day of a wallet, 30 a day of an agent and platform; new
 * proofs have 35 % of a platform, and one network 85 % of that.
 * @param left fill level of the bucket of new proofs, from 0 to 1
 */
export const maxRequested = (most: number, left: number): number =>
  Math.min(most, Math.max(RESERVED_PER_AGENT, Math.floor((most * (3 * left - 1)) / 2)));

/** Re-checks may also use the allowance of new proofs while its bucket is filled above this share. */
export const RESERVED_FOR_NEW_PROOFS = 0.5;
