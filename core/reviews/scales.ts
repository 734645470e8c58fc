/** What the value of a rating is at its best, by its first tag: values of other tags have units that say nothing of good or bad. */
export const SCALES: Readonly<Record<string, 1 | 100>> = {
  "": 100,
  starred: 100,
  uptime: 100,
  successRate: 100,
  reachable: 1,
  ownerVerified: 1,
};

/** A value as it was written, from 0 to 100; null where its tag has no scale. */
export function scaledValue(value: bigint, decimals: number, tag: string): number | null {
  if (!Object.hasOwn(SCALES, tag)) return null;
  const written = Number(value) / 10 ** Math.min(Math.max(decimals, 0), 30);
  return 100 * Math.min(1, Math.max(0, written / SCALES[tag]!));
}
