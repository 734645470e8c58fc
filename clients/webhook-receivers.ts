/** Delivers to the servers of webhooks: public https only, with a rate per host. Only the head of an answer is used. */
import { urlOf } from "../core/urls.ts";
import { isLoopback, publicUrl } from "./http/public-address.ts";
import { type RequestRate, requestRate } from "./http/request-rate.ts";
import { retryAfter } from "./http/retry-after.ts";
import type { WebhookReceivers, WebhookTargets } from "./ports.ts";
import { openPublicHttp, type PublicHttpOptions, RefusedTarget } from "./public-http.ts";

/** Time limits of an answer; a later answer counts as none. */
const LIMITS = { headersMs: 10_000, bodyMs: 1_000, totalMs: 10_000 };
/** Max bytes of a body that are read and discarded, so that the connection can be kept. */
const MAX_BYTES = 65_536;
/** Rate of requests to one host. Many webhooks may use the same host, which must not be overloaded. */
const PER_HOST = { burst: 100, perSecond: 50 };
/** Max concurrent requests to one host. The limit of connections is the same, so no request waits for another's connection. */
const REQUESTS_PER_HOST = 16;
/**
 * Max concurrent requests to one host for webhooks whose receiver was slow recently. Other webhooks may use the same host,
 * so slow ones must not take all places. For the same reason a failing host is not paused as a whole; each webhook pauses
 * by itself.
 */
const SLOW_REQUESTS_PER_HOST = 4;
/** When all places of a host are taken, the delay of the next try grows with the number of requests already waiting. */
const NO_ROOM = { burst: REQUESTS_PER_HOST, perSecond: PER_HOST.perSecond };
const NO_ROOM_SECONDS = { least: 0.25, most: 30 };
/** Max hosts in memory; the least recently used one is dropped. */
const MAX_HOSTS = 2_000;

/** Requests of a host: in flight (all, and to slow receivers), rate of sent ones, rate of postponed ones. */
type Host = { all: number; slow: number; sent: RequestRate; putOff: RequestRate };

export type WebhookReceiverOptions = Pick<PublicHttpOptions, "userAgent" | "proxies" | "resolve" | "limits"> & {
  /** Allows receivers on this machine, also over http; link-local and metadata addresses stay refused. */
  allowLoopback: boolean;
  /** Milliseconds since the epoch; used for a Retry-After with a date. */
  now?: () => number;
};

/** Checks the URL of a webhook. The addresses of its host name are checked at each delivery. */
export const webhookTargets = ({ allowLoopback }: Pick<WebhookReceiverOptions, "allowLoopback">): WebhookTargets => ({
  problem(url) {
    try {
      const { protocol, href } = publicUrl(url, { loopback: allowLoopback });
      return protocol === "https:" || isLoopback(href) ? null : "must be an https URL";
    } catch (error) {
      if (error instanceof RefusedTarget) return error.message;
      throw error;
    }
  },
});

/** Monotonic: with the wall clock, setting it back would block a host. */
const time = () => performance.now();

const newHost = (): Host => ({
  all: 0,
  slow: 0,
  sent: requestRate(PER_HOST, time),
  putOff: requestRate(NO_ROOM, time),
});

export function openWebhookReceivers(options: WebhookReceiverOptions): WebhookReceivers & { close(): Promise<void> } {
  const { allowLoopback, now = Date.now, limits, ...rest } = options;
  const http = openPublicHttp({
    ...rest,
    loopback: allowLoopback,
    limits: { ...LIMITS, ...limits },
    connections: REQUESTS_PER_HOST,
  });
  const targets = webhookTargets(options);
  const hosts = new Map<string, Host>();

  function hostOf(name: string): Host {
    const host = hosts.get(name) ?? newHost();
    hosts.delete(name);
    hosts.set(name, host);
    if (hosts.size > MAX_HOSTS) {
      for (const [oldest, { all }] of hosts) {
        if (all > 0) continue;
        hosts.delete(oldest);
        break;
      }
    }
    return host;
  }

  /**
   * Takes a place at a host.
   * Check then write: a place is free, then `post` takes it; no await.
   * @returns 0, or the seconds to wait when no place is free
   */
  function refusedBy(host: Host, slow: boolean): number {
    if (host.all < REQUESTS_PER_HOST && (!slow || host.slow < SLOW_REQUESTS_PER_HOST)) {
      if (host.sent.take() === 0) return 0;
      host.sent.giveBack();
    }
    const seconds = host.putOff.take() / 1000;
    if (seconds > NO_ROOM_SECONDS.most) host.putOff.giveBack();
    return Math.min(NO_ROOM_SECONDS.most, Math.max(NO_ROOM_SECONDS.least, seconds));
  }

  return {
    async post(url, headers, body, { slow = false } = {}) {
      const problem = targets.problem(url);
      if (problem !== null) return { kind: "refused", reason: problem };
      const host = hostOf(urlOf(url)!.host);
      const seconds = refusedBy(host, slow);
      if (seconds > 0) return { kind: "deferred", seconds };
      host.all++;
      if (slow) host.slow++;
      try {
        const answer = await http.request(url, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body,
          maxBytes: MAX_BYTES,
          headOnly: true,
        });
        const limited = answer.status === 429;
        return {
          kind: "answered",
          status: answer.status,
          retryAfterSeconds: answer.status < 300 ? null : retryAfter(answer.headers, { nowMs: now(), limited }),
        };
      } catch (error) {
        if (error instanceof RefusedTarget) return { kind: "refused", reason: error.message };
        return { kind: "unanswered", reason: reasonOf(error), timedOut: isTimeout(error) };
      } finally {
        host.all--;
        if (slow) host.slow--;
      }
    },
    close: () => http.close(),
  };
}

/** Reasons by error codes of undici, Node and the system. Their original texts may reveal the internal network. */
const REASONS: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: "no connection within 3 s",
  UND_ERR_HEADERS_TIMEOUT: "no answer within 10 s",
  UND_ERR_ABORTED: "no answer within 10 s",
  TimeoutError: "no answer within 10 s",
  ENOTFOUND: "the host's name is not known",
  ENODATA: "the host's name is not known",
  EAI_AGAIN: "the host's name could not be looked up",
  ESERVFAIL: "the host's name could not be looked up",
  ETIMEOUT: "the host's name could not be looked up",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before an answer",
  EPIPE: "the connection was closed before an answer",
  UND_ERR_SOCKET: "the connection was closed before an answer",
  HPE_INVALID_CONSTANT: "the answer is no HTTP",
};

const TIMEOUTS = new Set([
  "ETIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_ABORTED",
  "TimeoutError",
]);
const isTimeout = (error: unknown): boolean => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return TIMEOUTS.has(String(code)) || TIMEOUTS.has(String(name));
};

function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const reason = REASONS[String(code)] ?? REASONS[String(name)];
  if (reason) return reason;
  return /CERT|SSL|TLS|ALTNAME|SELF_SIGNED|ISSUER/.test(String(code)) ? "its certificate is not good" : "no answer";
}
