/** Asking again: which requests may be repeated, after which answers, and how long to wait before. */
import { ConnectionError, retryAfterMs, type SentPayment } from "./errors.ts";
import type { Time } from "./time.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type RetryRules = {
  /** How often a request is sent, the first time included. */
  attempts: number;
  /** The longest a single wait may be; when the service asks for more, its answer is given back at once. */
  maxWaitMs: number;
  /** How long to wait for the head of an answer. */
  timeoutMs: number;
};

export const RETRY_RULES: RetryRules = { attempts: 5, maxWaitMs: 60_000, timeoutMs: 60_000 };

/** The first wait is up to this, each further one up to twice as much. */
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 16_000;
/** Whoever was told the same moment comes back within this share of the wait after it. */
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

/** What the request of this answer was paid with. */
export const paymentOf = (response: Response): SentPayment | null => payments.get(response) ?? null;

/**
 * A fetch that sends what may be repeated again: after a lost line, after a gateway's trouble, and whenever the service
 * says when to come back. What pays stands above it, so that a repeated request carries the same payment.
 * @throws ConnectionError when there is no answer; the signal's reason when it is aborted
 */
export function retrying(fetch: Fetch, rules: RetryRules, time: Time): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // Meant for answers; in a request it only makes browsers ask for permission. Clients of x402 set it.
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
  const asked = response && retryAfterMs(response.headers, time.now());
  if (asked !== null) return asked > rules.maxWaitMs ? null : asked + time.random() * SPREAD * Math.max(asked, 1000);
  // The service itself says when to come back; what it answers without is meant to stand, as "not ready" of /ready.
  if (response && (response.status === 409 || response.headers.has("x-request-id"))) return null;
  return backoffMs(attempt, time);
}

/** A random wait, longer from time to time, so that many clients do not come back at once. */
export const backoffMs = (attempt: number, time: Pick<Time, "random">): number =>
  time.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));

/** Sends it, and gives up when the head of the answer does not come; its body may take as long as it likes. */
async function answerWithin(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error(`nothing came within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, giveUp.signal]) });
  } finally {
    clearTimeout(timer);
  }
}
