/** Waiting for a condition, bounded, without guessing how long it takes. */
import { LONG } from "./patience.ts";

/** Between two looks, milliseconds: what comes soon is seen soon, and waiting long costs little. */
const FIRST_PAUSE = 10;
const MAX_PAUSE_MS = 100;

/** Asks until nothing is wrong any more, or time is over. @returns what was wrong in the end, a sentence each */
export async function leftWrong(
  ask: () => Promise<string[]>,
  { timeoutMs, everyMs }: { timeoutMs: number; everyMs: number },
): Promise<string[]> {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    const wrong = await ask().catch((error) => [`it could not be asked: ${error.message}`]);
    if (wrong.length === 0 || Date.now() > deadline) return wrong;
    await new Promise((done) => setTimeout(done, everyMs));
  }
}

/**
 * Polls until `probe` gives something truthy.
 * @param options.everyMs pauses of one length instead of growing ones
 * @throws Error naming `what` when it has not happened within `timeoutMs`
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T> | T,
  { timeoutMs = LONG, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  let pause = FIRST_PAUSE;
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
    await new Promise((done) => setTimeout(done, everyMs ?? pause));
    pause = Math.min(pause * 1.25, MAX_PAUSE_MS);
  }
}
