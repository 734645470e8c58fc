/** Distance between spellings, and which known word a misspelt one means. */

/** Number of letters added, left out, replaced or swapped with a neighbour. Both words are short. */
export function spellingDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}

/** Shorter words resemble too many others. */
export const MIN_CORRECTED = 4;

/** The words nearest to a misspelt one, at most two; those in more documents first. */
export function corrections(word: string, known: readonly { word: string; documents: number }[]): string[] {
  const most = word.length < 9 ? 1 : 2;
  const near = known
    .map((one) => ({ ...one, distance: spellingDistance(word, one.word) }))
    .filter(({ distance }) => distance > 0 && distance <= most);
  const least = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === least)
    .sort((a, b) => b.documents - a.documents)
    .slice(0, 2)
    .map((one) => one.word);
}
