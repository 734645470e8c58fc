/** What is said in short of an agent's evidence: the same words on its page, in Compare, in the directory and in its report. */
import type { Offering, RowBadges } from "../api/types.ts";
import { counted, decimals } from "../formats.ts";

/** A figure with what it is of; `figure` is null where nothing is known, and `words` say why. */
export type Short = { figure: string | null; words: string };

export function reviewsInShort(reviews: Offering["reviews"]): Short {
  if (reviews === null || reviews.reviewers === 0) return { figure: null, words: "nobody has reviewed it yet" };
  const { adjusted, reviewers, voices } = reviews;
  if (adjusted === null)
    return { figure: null, words: `${counted(reviewers, "reviewer", "reviewers")}, none with proof` };
  return {
    figure: decimals(adjusted, 0),
    words: `of 100 is their worth, by ${counted(voices, "independent voice", "independent voices")}`,
  };
}

/** Why a row has no reviews at all. @param own an agent of the own registry */
export const unreviewed = ({ feedback }: Pick<RowBadges, "feedback">, own: boolean): string =>
  feedback !== null
    ? "nobody has reviewed it yet"
    : own
      ? "it is not in the ERC-8004 registry, where reviews are"
      : "its registry takes no reviews";

/** The states of an agent's endpoints in a word. */
const endpointsWord = (value: number): "Answers" | "Partly" | "Silent" =>
  value === 1 ? "Answers" : value === 0 ? "Silent" : "Partly";

export function endpointsInShort(liveness: RowBadges["health"]): Short {
  if (liveness === null) return { figure: null, words: "its endpoints have not been asked" };
  if (liveness.named) return { figure: null, words: "only the agent itself names its endpoints" };
  return { figure: endpointsWord(liveness.value), words: liveness.says };
}
