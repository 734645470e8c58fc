/**
 * How a platform's allowance is shared: what strangers' proofs may take of it, what is kept for the re-checks, and who comes
 * first when little is left. All of it are token buckets.
 */
import type { ProofPlatformKey } from "./proof-platforms.ts";

export type Bucket = {
  name: string;
  /** Tokens of a full bucket. */
  most: number;
  /** Tokens that flow back. */
  perSecond: number;
};

/** What an upstream allows, as a bucket: `burst` requests at once, `perSecond` after them. */
export type Rate = { burst: number; perSecond: number };

const DAY_SECONDS = 86_400;

const shareOf = (name: string, rate: Rate, share: number): Bucket => ({
  name,
  most: Math.max(1, rate.burst * share),
  perSecond: rate.perSecond * share,
});

/**
 * Requests for strangers' proofs. A bucket that was full gives out twice its share within a window of the platform: with
 * that of the re-checks, all that the platform allows, and never more.
 */
export const strangers = (platform: ProofPlatformKey, rate: Rate): Bucket =>
  shareOf(`proofs:${platform}:strangers`, rate, 0.35);

/** Requests for re-checks, which no stranger can use up. */
export const rechecks = (platform: ProofPlatformKey, rate: Rate): Bucket =>
  shareOf(`proofs:${platform}:rechecks`, rate, 0.15);

/** Requests for the strangers of one client network: something is left for the other networks. */
export const ofNetwork = (platform: ProofPlatformKey, network: string, rate: Rate): Bucket =>
  shareOf(`proofs:${platform}:network:${network}`, rate, 0.35 * 0.85);

/** Proofs a day of one agent on one platform. */
export const ofAgent = (platform: ProofPlatformKey, tokenId: number, perDay: number): Bucket => ({
  name: `proofs:${platform}:agent:${tokenId}`,
  most: perDay,
  perSecond: perDay / DAY_SECONDS,
});

/** Proofs a day of one wallet on one platform, for all its agents together. */
export const ofWallet = (platform: ProofPlatformKey, wallet: string, perDay: number): Bucket => ({
  name: `proofs:${platform}:wallet:${wallet}`,
  most: perDay * 5,
  perSecond: (perDay * 5) / DAY_SECONDS,
});

/** Definite failures of one claim: after two within a minute the answer is remembered until a minute has passed. */
export const failuresOf = (platform: ProofPlatformKey, tokenId: number, claim: string): Bucket => ({
  name: `proofs:${platform}:failed:${tokenId}:${claim}`,
  most: 2,
  perSecond: 1 / 60,
});

/** Proofs that an agent may always ask for while there is anything left: a first one, and one more after a mistake. */
const FIRST = 2;

/**
 * How many of its proofs an agent or a wallet may have asked for, this one included. All of them while the strangers'
 * bucket is full, the fewer the emptier it is; the last third is for those that have asked for almost none.
 * @param left from 0 to 1: how full the strangers' bucket is
 */
export const mayHaveAsked = (most: number, left: number): number =>
  Math.min(most, Math.max(FIRST, Math.floor((most * (3 * left - 1)) / 2)));

/** Re-checks take what strangers leave, as long as so much of it remains. */
export const LEFT_TO_STRANGERS = 0.5;
