/** Retries: which requests may be repeated, after which answers, after which delay. */
import { ConnectionError, retryAfterMs, type SentPayment } from "./errors.ts";
import type { Time } from "./time.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type RetryRules = {
  /** Max attempts, the first one included. */
  attempts: number;
  /** Max milliseconds of one wait; when the service demands more, its answer is returned at once. */
  maxWaitMs: number;
  /** Max milliseconds until the head of an answer arrives. */
  timeoutMs: number;
};

export const RETRY_RULES: RetryRules = { attempts: 5, maxWaitMs: 60_000, timeoutMs: 60_000 };

/** First wait is random up to this many milliseconds; the bound doubles each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 16_000;
/** Jitter added to a Retry-After, as a share of the wait: clients with the same Retry-After spread. */
const SPREAD = 0.2;

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
/** A payment buys one thing once: with it, a request may be sent any number of times. */
const PAYMENT_HEADERS = [
  "payment-signature",
  "x-payment",
  "x-payment-tx",
  "x-payment-txhash",
  "x-payment-proof",
  "payment-authorization",
];

const payments = new WeakMap<Response, SentPayment>();

/** The payment headers of the request behind this answer. */
export const paymentOf = (response: Response): SentPayment | null => payments.get(response) ?? null;

/**
 * A fetch that sends what may be repeated again: after a lost connection, after a gateway's error, and whenever the service
 * says when to come back. The payer wraps it, so that a repeated request carries the same payment.
 * @throws ConnectionError when there is no answer; the signal's reason when it is aborted
 */
export function retrying(fetch: Fetch, rules: RetryRules, time: Time): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // A response header that x402 clients set on requests; there it only causes a CORS preflight.
    request.headers.delete("access-control-expose-headers");
    const payment = paymentIn(request.headers);
    const repeatable = SAFE.has(request.method) || request.headers.has("idempotency-key") || payment !== null;
    for (let attempt = 1; ; attempt++) {
      let response: Response | null = null;
      let problem: unknown;
      try {
        response = await answerWithin(fetch, request.clone(), rules.timeoutMs);
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        problem = error;
      }
      const wait = repeatable && attempt < rules.attempts ? waitBefore(attempt, response, rules, time) : null;
      if (wait === null) {
        if (response === null) throw new ConnectionError(problem, payment);
        if (payment) payments.set(response, payment);
        return response;
      }
      await response?.body?.cancel();
      await time.sleep(wait, request.signal);
    }
  };
}

function paymentIn(headers: Headers): SentPayment | null {
  const found = PAYMENT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : null;
}

/** Milliseconds to wait before the next attempt; null = this answer is final. */
function waitBefore(attempt: number, response: Response | null, rules: RetryRules, time: Time): number | null {
  if (response !== null && ![409, 429, 502, 503, 504].includes(response.status)) return null;
  const delay = response && retryAfterMs(response.headers, time.now());
  if (delay !== null) return delay > rules.maxWaitMs ? null : delay + time.random() * SPREAD * Math.max(delay, 1000);
  // The service sends Retry-After where a retry makes sense; an answer without it is final, as "not ready" of /ready.
  if (response && (response.status === 409 || response.headers.has("x-request-id"))) return null;
  return backoffMs(attempt, time);
}

/** A random wait whose bound doubles, so that many clients do not return at once. */
export const backoffMs = (attempt: number, time: Pick<Time, "random">): number =>
  time.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));

/** Sends the request; times out on the head of the answer, never on its body. */
async function answerWithin(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error(`nothing came within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, giveUp.signal]) });
  } finally {
    clearTimeout(timer);
  }
}
