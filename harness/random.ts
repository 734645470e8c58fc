/** Seeded chance: the same numbers for the same seed, on every machine. */

/** Numbers in [0, 1). @see https://github.com/bryc/code/blob/master/jshash/PRNGs.md (mulberry32) */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of some choices, each as likely as its weight. */
export function weighted<T>(random: () => number, choices: readonly (readonly [T, number])[]): T {
  let at = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    at -= weight;
    if (at < 0) return choice;
  }
  return choices[0]![0];
}

/** One of some names, each as likely as its weight. */
export const weightedName = <Name extends string>(
  random: () => number,
  weights: Readonly<Record<Name, number>>,
): Name => weighted(random, Object.entries(weights) as [Name, number][]);

/** One of some, all equally likely. */
export const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** A whole number from `least` to `most`, both included. */
export const between = (random: () => number, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));
