/** A bounded cache whose entries expire; when it is full, the least recently used entry is evicted. */

export type ExpiringCache<V> = {
  get(key: string, now: number): V | undefined;
  set(key: string, value: V, expiresAt: number): void;
};

/** @param max entries kept. Times are milliseconds since the epoch. */
export function expiringCache<V>(max: number): ExpiringCache<V> {
  // A Map iterates in order of insertion: re-inserting on use keeps the oldest use first.
  const entries = new Map<string, { value: V; expiresAt: number }>();
  return {
    get(key, now) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= now) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, expiresAt) {
      entries.delete(key);
      entries.set(key, { value, expiresAt });
      if (entries.size > max) for (const oldest of entries.keys()) return void entries.delete(oldest);
    },
  };
}
