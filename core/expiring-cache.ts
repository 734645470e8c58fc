/** A bounded cache whose entries may expire; when it is full, the least recently used entry is evicted. */

/** @param max entries kept. Times are milliseconds since the epoch. */
export function expiringCache<V>(max: number) {
  // A Map iterates in order of insertion: re-inserting on use keeps the oldest use first.
  const entries = new Map<string, { value: V; expiresAt: number }>();
  return {
    get(key: string, now = 0): V | undefined {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= now) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    /** Forgets a value, unless another is there by now. */
    drop(key: string, value: V): void {
      if (entries.get(key)?.value === value) entries.delete(key);
    },
    set(key: string, value: V, expiresAt = Number.POSITIVE_INFINITY): void {
      entries.delete(key);
      entries.set(key, { value, expiresAt });
      if (entries.size > max) for (const oldest of entries.keys()) return void entries.delete(oldest);
    },
  };
}
