/** Tiers as the terminal draws them. Each has a shape, so that colour is never the only sign. */
import { TIERS, tierOf } from "../../core/cred/tiers.ts";

export { TIERS, tierOf };

export const TIER_MEANINGS = {
  preferred: "Nearly everything that can be proven is proven.",
  prime: "Well proven: accounts, wallet and history speak for it.",
  qualified: "More than half of what can be known is known.",
  marginal: "Some of it is known. Look at what, before you rely on it.",
  junk: "Little or nothing is known. Unknown is not bad: most agents of other registries are here because nobody has proven anything about them yet.",
} as const satisfies Record<(typeof TIERS)[number]["key"], string>;

/** Whose score it is. The words of the tiers are those of agents: a person about whom nothing is proven is no junk. */
export type Scored = "agent" | "person";
const UNPROVEN = { label: "Unproven", meaning: "Nothing is proven about this person yet." };

/** What a tier is called, and what it means, for an agent or for a person. */
export const tierWords = (score: number, of: Scored): { label: string; meaning: string } => {
  const { key, label } = tierOf(score);
  return of === "person" && key === "junk" ? UNPROVEN : { label, meaning: TIER_MEANINGS[key] };
};

/** SVG paths in a 12 by 12 box; `filled` chooses fill or stroke. */
export const SHAPES: Record<(typeof TIERS)[number]["key"], { path: string; filled: boolean }> = {
  preferred: { path: "M6 .6 7.6 4.3 11.6 4.7 8.6 7.4 9.4 11.4 6 9.3 2.6 11.4 3.4 7.4.4 4.7 4.4 4.3Z", filled: true },
  prime: { path: "M6 .8 11.2 6 6 11.2.8 6Z", filled: true },
  qualified: { path: "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Z", filled: true },
  marginal: { path: "M6 1.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8Z", filled: false },
  junk: { path: "M1.8 6h8.4", filled: false },
};
