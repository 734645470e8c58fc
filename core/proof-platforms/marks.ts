/** By what lists and pages name the platforms of social proofs, in display order: without their rules, which pages do not load. */

/** `letter` marks the platform on a card and in a row. */
export const PROOF_MARKS = {
  x: { key: "x", label: "X", letter: "X" },
  github: { key: "github", label: "GitHub", letter: "G" },
  farcaster: { key: "farcaster", label: "Farcaster", letter: "F" },
} as const;

type Marks = typeof PROOF_MARKS;
export type ProofPlatformKey = keyof Marks;
export const PROOF_MARKS_LISTED: readonly Marks[ProofPlatformKey][] = Object.values(PROOF_MARKS);
