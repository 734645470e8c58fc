/** The list of platforms of social proofs. A platform is a file in proof-platforms/ and a line here; the compiler then requires its reader (clients/) and its simulator (devnet/). */
import type { ProofPlatformKey } from "./proof-platforms/badges.ts";
import { farcaster } from "./proof-platforms/farcaster.ts";
import { github } from "./proof-platforms/github.ts";
import type { ClaimOf } from "./proof-platforms/platform.ts";
import { x } from "./proof-platforms/x.ts";

export type { ProofPlatform } from "./proof-platforms/platform.ts";

/** Platforms in display order. */
export const PROOF_PLATFORMS = [x, github, farcaster] as const;

type ListedPlatform = (typeof PROOF_PLATFORMS)[number];

export type { ProofPlatformKey };

export type ByProofPlatform<T> = Record<ProofPlatformKey, T>;
export type ClaimsByPlatform = { [P in ListedPlatform as P["key"]]: ClaimOf<P> };
/** The field with the id of an account: `{ fid: number }` for Farcaster, empty for platforms that do not show ids. */
export type NumericIdOf<K extends ProofPlatformKey> =
  Extract<ListedPlatform, { key: K }> extends { numericId: infer Name extends string } ? Record<Name, number> : unknown;

export const PROOF_PLATFORM_KEYS = PROOF_PLATFORMS.map(({ key }) => key) as [ProofPlatformKey, ...ProofPlatformKey[]];

/** Builds a value for each platform, in the order of the list. */
export const byProofPlatform = <T, K extends { key: string } = ListedPlatform>(
  value: (platform: K) => T,
  platforms: readonly K[] = PROOF_PLATFORMS as unknown as readonly K[],
): ByProofPlatform<T> =>
  Object.fromEntries(platforms.map((platform) => [platform.key, value(platform)])) as ByProofPlatform<T>;
