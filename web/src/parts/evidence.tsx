/** What is said in short of an agent's evidence, and its amounts: the same words on its page, in Compare, in the directory and in its report. */
import type { Offering, RowBadges } from "../api/types.ts";
import { count, counted, decimals, LOCALES } from "../formats.ts";

const exact = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const cents = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(LOCALES, { notation: "compact", maximumFractionDigits: 1 });

/** All digits: `1,234.5605`. As text: a number would round large amounts. */
export const usdcExact = (decimal: string): string => exact.format(decimal as `${number}`);
/** Few digits: cents above a dollar, `12.3K` above ten thousand. */
export const usdcShort = (decimal: string): string =>
  Number(decimal) < 1 ? usdcExact(decimal) : (Number(decimal) < 10_000 ? cents : compact).format(Number(decimal));

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

export function paymentsInShort(window: Offering["payments"]): Short {
  if (window === null || window.raw.payments === 0) return { figure: null, words: "no payment to its wallet is known" };
  const { days, raw, organic } = window;
  const by = counted(organic.payers, "payer", "payers");
  if (organic.payments > 0)
    return { figure: `${usdcShort(organic.usdc)} USDC`, words: `organic, by ${by} in ${count(days)} days` };
  return { figure: `${usdcShort("0")} USDC`, words: `organic of ${usdcShort(raw.usdc)} paid in ${count(days)} days` };
}

export function jobsInShort(window: Offering["jobs"]): Short {
  if (window === null || window.raw.funded === 0) return { figure: null, words: "no job of it is known" };
  const { days, organic } = window;
  return {
    figure: counted(organic.completed, "job", "jobs"),
    words: `completed for ${counted(organic.clients, "client", "clients")} in ${count(days)} days, organic`,
  };
}

/** A fact in one line: the figure, then its words. */
export const InShort = ({ of: { figure, words } }: { of: Short }) => (
  <>
    {figure !== null && <b>{figure} </b>}
    {words}
  </>
);
