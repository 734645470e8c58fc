/** Reciprocal rank fusion: one order out of several, by places only, because their values have no common scale. */

/** A large constant lets agreement of two lists count more than the first place of one (Cormack, Clarke, Büttcher 2009). */
const DAMPING = 60;

/** The score of an id that stands first in each of some lists. */
export const mostFused = (lists: number): number => lists / (DAMPING + 1);

/**
 * The ids of all lists, best first: the sum of 1 / (60 + place) over the lists that have it, then the lower id.
 * @param lists ids, best first; of an id that a list has twice, the better place counts. Each list has passed the filters
 * and has trust in its order already: fusion adds neither.
 */
export function fused(lists: readonly (readonly number[])[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    [...new Set(list)].forEach((id, place) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (DAMPING + 1 + place));
    });
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id);
}
