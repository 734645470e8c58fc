/** By what lists and pages name the platforms of social proofs, in display order: without their rules, which pages do not load. */

/** `letter` marks the platform on a card and in a row. */
export const PROOF_BADGES = {
  x: { key: "x", label: "X", letter: "X" },
  github: { key: "github", label: "GitHub", letter: "G" },
  farcaster: { key: "farcaster", label: "Farcaster", letter: "F" },
} as const;

type Badges = typeof PROOF_BADGES;
export type ProofPlatformKey = keyof Badges;
export const PROOF_BADGE_LIST: readonly Badges[ProofPlatformKey][] = Object.values(PROOF_BADGES);
