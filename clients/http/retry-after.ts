/** Reads from an answer's headers when an upstream accepts the next request. */

export type AnswerHeaders = Record<string, string | undefined>;

/** Max seconds to wait. A longer request for a pause is cut to this; the next request then shows whether it still applies. */
const MAX_RETRY_SECONDS = 900;

/**
 * Seconds to wait as the headers state them; null when they do not. Supported are Retry-After (RFC 9110: seconds or a
 * date) and the end of the request window of X (`x-rate-limit-reset`) and GitHub (`x-ratelimit-reset`).
 * @param limited whether the window is used up; X and GitHub send its end with every answer
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

/** Whether the request was the last one of its window. */
export const isSpent = (headers: AnswerHeaders): boolean =>
  (headers["x-rate-limit-remaining"] ?? headers["x-ratelimit-remaining"]) === "0";

const bounded = (seconds: number) => Math.min(MAX_RETRY_SECONDS, Math.max(0, Math.ceil(seconds)));
