/** The facets of the directory: what a list is narrowed by in addition to its filter and its search, each independent of the others. */
import { PROOF_BADGE_LIST, type ProofPlatformKey } from "../proof-platforms/badges.ts";
import type { PlatformKey } from "./platforms.ts";
import type { Protocol } from "./protocols.ts";

/** What can be verified of an agent: its wallet, an account on a platform of proofs, the exchange's account of its owner. */
export type VerifiedKind = "wallet" | ProofPlatformKey | "coinbase";
export const VERIFIED_KINDS = ["wallet", ...PROOF_BADGE_LIST.map(({ key }) => key), "coinbase"] as [
  VerifiedKind,
  ...VerifiedKind[],
];

export type Facets = {
  /** Agents of any of these registries. */
  platform?: readonly PlatformKey[] | undefined;
  /** Agents on any of these chains, by chain id. */
  chain?: readonly number[] | undefined;
  /** Agents that speak all of these protocols. */
  speaks?: readonly Protocol[] | undefined;
  /** Agents of which all of these are verified. */
  verified?: readonly VerifiedKind[] | undefined;
  /** Bounds of the score, included. */
  minScore?: number | undefined;
  maxScore?: number | undefined;
  /** Whether its registry names a token; a claimed token does not count. */
  hasToken?: boolean | undefined;
  /** Registered at least, and at most, this many days ago; an agent whose registry says no time has no age. */
  minAgeDays?: number | undefined;
  maxAgeDays?: number | undefined;
  /** Agents whose registry names this owner; lower-case where it is an EVM address. */
  owner?: string | undefined;
};

/** The facets in which a lower bound and an upper bound belong together. */
export const FACET_RANGES = [
  ["minScore", "maxScore"],
  ["minAgeDays", "maxAgeDays"],
] as const satisfies readonly (readonly [keyof Facets, keyof Facets])[];

/** Whether a question is narrowed by any facet. */
export const hasFacets = (facets: Facets): boolean => FACETS.some((facet) => facets[facet] !== undefined);

/** All facets, in the order in which addresses and pages show them. */
export const FACETS = [
  "platform",
  "chain",
  "speaks",
  "verified",
  "minScore",
  "maxScore",
  "hasToken",
  "minAgeDays",
  "maxAgeDays",
  "owner",
] as const satisfies readonly (keyof Facets)[];
