/** Distance between spellings, and which known word a misspelt one means. */

/**
 * Number of letters added, left out, replaced or swapped with a neighbour (optimal string alignment). Both words are short.
 * @param most infinite is what is more
 */
export function spellingDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  if (a === b) return 0;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let nearest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
      nearest = Math.min(nearest, least);
    }
    if (nearest > most) return Number.POSITIVE_INFINITY;
    [before, above] = [above, row];
  }
  return above[b.length]! <= most ? above[b.length]! : Number.POSITIVE_INFINITY;
}

/** Shorter words resemble too many others. */
export const MIN_CORRECTED = 4;

/** Min letters of a word that is corrected where another word of the same name is known. */
export const MIN_CORRECTED_IN_NAME = 3;

/** Max known words that are read for each misspelt one. */
const MAX_NEAR = 12;

type KnownWord = { word: string; documents: number };

/** Words that a misspelt one may mean, those in more documents first. */
export const nearTo = <K extends KnownWord>(word: string, known: readonly K[]): K[] =>
  known
    .filter((one) => isNear(spellingDistance(word, one.word), word))
    .sort((a, b) => b.documents - a.documents)
    .slice(0, MAX_NEAR);

const isNear = (distance: number, word: string) => distance > 0 && distance <= (word.length < 9 ? 1 : 2);

/** Of words from `nearTo` those that are the nearest, at most two. */
export function corrections<K extends KnownWord>(word: string, near: readonly K[]): K[] {
  const distances = near.map((one) => spellingDistance(word, one.word));
  const least = Math.min(...distances);
  return near.filter((_, i) => distances[i] === least).slice(0, 2);
}
