/** How near to each other a document has the words of a query: words of one phrase are about one thing. */

/** Positions of the words of each need in a document, ascending. */
export type Positions = readonly (readonly number[])[];

/** Words between those of the query at which half of the nearness is lost. */
const HALF_NEARNESS_WORDS = 8;
/** A pair of words in another order than the query's counts as this many words between them. */
const SWAPPED_WORDS = 2;

/** @returns 1 where all words that it has are next to each other in the query's order, less the further apart they are; 1 for one word */
export function nearness(positions: Positions): number {
  const needs = positions.filter((places) => places.length > 0);
  if (needs.length < 2) return 1;
  const events = needs
    .flatMap((places, need) => places.map((place) => ({ place, need })))
    .sort((a, b) => a.place - b.place);
  const last: number[] = needs.map(() => Number.NEGATIVE_INFINITY);
  let least = Number.POSITIVE_INFINITY;
  for (const { place, need } of events) {
    last[need] = place;
    const first = Math.min(...last);
    if (first === Number.NEGATIVE_INFINITY) continue;
    const swapped = last.filter((at, i) => i > 0 && at < last[i - 1]!).length;
    least = Math.min(least, Math.max(0, place - first + 1 - needs.length) + SWAPPED_WORDS * swapped);
  }
  return 1 / (1 + least / HALF_NEARNESS_WORDS);
}
