/** Token buckets in memory: how often something may be done, per key, in this process. */

export type TokenBuckets = {
  /** Takes one token of `key`'s bucket. @returns 0 when there was one, else the seconds until there is */
  take(key: string, now: number): number;
};

/**
 * @param rule.burst tokens of a full bucket
 * @param rule.perSecond tokens that flow in
 */
export function tokenBuckets(rule: { burst: number; perSecond: number }): TokenBuckets {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const level = (bucket: { tokens: number; at: number }, now: number) =>
    Math.min(rule.burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * rule.perSecond);

  return {
    take(key, now) {
      // A full bucket is the same as none; dropping those bounds the map by the rate of new keys.
      if (buckets.size > 10_000) for (const [k, b] of buckets) if (level(b, now) >= rule.burst) buckets.delete(k);
      const bucket = buckets.get(key) ?? { tokens: rule.burst, at: now };
      const tokens = level(bucket, now);
      const granted = tokens >= 1;
      buckets.set(key, { tokens: granted ? tokens - 1 : tokens, at: now });
      return granted ? 0 : (1 - tokens) / rule.perSecond;
    },
  };
}
