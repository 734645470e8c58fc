/** Waiting for a condition, bounded, without guessing how long it takes. */

/**
 * Polls until `probe` gives something truthy.
 * @throws Error naming `what` when it has not happened within `timeoutMs`
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T> | T,
  { timeoutMs = 30_000, everyMs = 25 } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value as NonNullable<T>;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${timeoutMs} ms (last: ${String(last)})`, { cause: last });
    await new Promise((done) => setTimeout(done, everyMs));
  }
}
