/** When an upstream wants to be asked again, as its headers tell it. */

export type AnswerHeaders = Record<string, string | undefined>;

/** Nobody is believed who asks for longer: the next request finds out. */
const LONGEST_SECONDS = 900;

/**
 * Seconds to wait that an answer asks for; null when it does not say. Understood are Retry-After (RFC 9110: seconds or a
 * date), and the moments at which the request windows of X (`x-rate-limit-reset`) and GitHub (`x-ratelimit-reset`) end.
 * @param limited whether the window is used up: both tell of its end with every answer
 */
export function retryAfter(
  headers: AnswerHeaders,
  { nowMs, limited }: { nowMs: number; limited: boolean },
): number | null {
  const stated = headers["retry-after"]?.trim();
  if (stated && /^\d{1,9}$/.test(stated)) return bounded(Number(stated));
  if (stated && !Number.isNaN(Date.parse(stated))) return bounded((Date.parse(stated) - nowMs) / 1000);
  const reset = limited && (headers["x-rate-limit-reset"] ?? headers["x-ratelimit-reset"]);
  if (reset && /^\d{10}$/.test(reset)) return bounded(Number(reset) - nowMs / 1000);
  return null;
}

/** The request was the last one of its window, successful or not. */
export const isSpent = (headers: AnswerHeaders): boolean =>
  (headers["x-rate-limit-remaining"] ?? headers["x-ratelimit-remaining"]) === "0";

const bounded = (seconds: number) => Math.min(LONGEST_SECONDS, Math.max(0, Math.ceil(seconds)));
