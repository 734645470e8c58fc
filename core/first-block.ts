/** Binary search over blocks: where something begins to hold that holds from then on. */

/**
 * The first block of `[low, high]` for which `holds` is true, which must hold at `high`. At most 32 questions.
 * @param holds false for every block before the answer, true from it on
 */
export async function firstBlockWhere(
  low: number,
  high: number,
  holds: (block: number) => Promise<boolean>,
): Promise<number> {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
