/** Fetches documents at foreign URIs: from public addresses only, with small limits of size and time, and a rate per host. */
import { urlOf } from "../core/urls.ts";
import { OversizeAnswer } from "./http/exchange.ts";
import { hostPaces } from "./http/host-paces.ts";
import { retryAfter } from "./http/retry-after.ts";
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "./http/validators.ts";
import type { Documents, UpstreamMeter } from "./ports.ts";
import { type PublicHttp, RefusedTarget } from "./public-http.ts";

const MAX_BYTES = 1_048_576;
/** Rate and circuit breaker of one host. Many agents keep their files on the same host, which must not be overloaded. */
const PER_HOST = { rate: { burst: 20, perSecond: 5 }, breaker: { failures: 5, openMs: 5_000, longestMs: 600_000 } };
/** Max milliseconds to wait for the rate of a host; otherwise the document is fetched later. */
const PATIENCE_MS = 5_000;

/** All hosts are one upstream in metrics, because untrusted documents name them. */
const METERED_AS = "documents";

/** @param now milliseconds since the epoch */
export function foreignDocuments(
  http: PublicHttp,
  { now = Date.now, meter }: { now?: () => number; meter?: UpstreamMeter | undefined } = {},
): Documents {
  const paces = hostPaces(PER_HOST, now);
  return { get: meter ? metered : get };

  async function metered(...asked: Parameters<Documents["get"]>): ReturnType<Documents["get"]> {
    const startedAt = performance.now();
    const found = await get(...asked);
    const outcome = found.kind === "deferred" ? "refused" : found.kind === "failed" ? "trouble" : "answered";
    meter?.asked(METERED_AS, outcome, performance.now() - startedAt);
    return found;
  }

  async function get(...[url, known]: Parameters<Documents["get"]>): ReturnType<Documents["get"]> {
    const target = urlOf(url);
    if (target === null) return { kind: "failed", reason: "The address must be a URL.", final: true };
    const pace = paces(target.host);
    const wait = pace.take(PATIENCE_MS);
    if (wait.seconds > 0) return { kind: "deferred", seconds: wait.seconds };
    if (wait.ms > 0) await new Promise((done) => setTimeout(done, wait.ms));
    try {
      const { status, headers, text } = await http.request(url, {
        headers: { accept: "application/json", ...conditionalHeaders(known) },
        maxBytes: MAX_BYTES,
        redirects: 3,
      });
      const limited = status === 429 || status === 503;
      const seconds = retryAfter(headers, { nowMs: now(), limited });
      if (limited) {
        pace.away(seconds ?? DEFAULT_AWAY_SECONDS);
        return { kind: "deferred", seconds: seconds || DEFAULT_AWAY_SECONDS };
      }
      if (status < 500) pace.succeeded();
      else pace.failed();
      if (status === NOT_MODIFIED && known) return { kind: "unchanged" };
      if (status === 200) return { kind: "fetched", text, validators: validatorsOf(headers) };
      return {
        kind: "failed",
        reason: `The server answers with status ${status}.`,
        final: status === 404 || status === 410,
      };
    } catch (error) {
      if (error instanceof RefusedTarget || error instanceof OversizeAnswer) pace.succeeded();
      else pace.failed();
      if (error instanceof RefusedTarget)
        return { kind: "failed", reason: `The address ${error.message}.`, final: true };
      if (error instanceof OversizeAnswer)
        return { kind: "failed", reason: "The file is larger than 1 MiB.", final: true };
      return { kind: "failed", reason: "The server does not answer.", final: false };
    }
  }
}

/** Pause in seconds after a 429 without Retry-After. */
const DEFAULT_AWAY_SECONDS = 60;
