/** Reciprocal rank fusion: one order out of several, by places only, because their values have no common scale. */

/** A large constant lets agreement of two orders count more than the first place of one (Cormack, Clarke, Büttcher 2009). */
const DAMPING = 60;

/**
 * Ids, best first, and what a place of theirs counts compared with one of another order; of an id that it has twice, the better
 * place counts. It has passed the filters and has trust in it already: fusion adds neither.
 */
export type Order = { ids: readonly number[]; weight: number };

/** The ids of all orders, best first, then the lower id. @returns `share`: the sum of weight / (60 + place) over the orders that have the id, compared with that of an id that is first in each */
export function fused(orders: readonly Order[]): { id: number; share: number }[] {
  const most = orders.reduce((sum, { weight }) => sum + weight, 0) / (DAMPING + 1);
  const sums = new Map<number, number>();
  for (const { ids, weight } of orders)
    [...new Set(ids)].forEach((id, place) => {
      sums.set(id, (sums.get(id) ?? 0) + weight / (DAMPING + 1 + place));
    });
  return [...sums]
    .map(([id, sum]) => ({ id, share: Math.min(1, sum / most) }))
    .sort((a, b) => b.share - a.share || a.id - b.id);
}
