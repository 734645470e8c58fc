/** The servers that webhooks lead to: public https only, each host at its own pace, and nothing of an answer but its head. */
import { hostPaces } from "./http/host-paces.ts";
import { isLoopback, publicUrl } from "./http/public-address.ts";
import { retryAfter } from "./http/retry-after.ts";
import type { WebhookReceivers, WebhookTargets } from "./ports.ts";
import { openPublicHttp, type PublicHttpOptions, RefusedTarget } from "./public-http.ts";

/** A receiver answers within this time, or it has not answered. */
const LIMITS = { headersMs: 10_000, bodyMs: 1_000, totalMs: 10_000 };
/** Of the body so much is read, to keep the connection, and thrown away. */
const MAX_BYTES = 65_536;
/** Many webhooks lead to one host, which is not to suffer for it, nor let one of them use all of it up. */
const PER_HOST = { rate: { burst: 100, perSecond: 50 }, breaker: { failures: 20, openMs: 5_000, longestMs: 60_000 } };
/** Under way at one host at once. As many connections are open to it at most: no request waits inside for another. */
const TOGETHER = 16;
/** When a host has no room, it is tried again after so long. */
const NO_ROOM_SECONDS = 0.25;

export type WebhookReceiverOptions = Pick<PublicHttpOptions, "userAgent" | "resolve" | "limits"> & {
  /** Lets receivers on this machine through, over http too; never link-local or metadata addresses. */
  allowLoopback: boolean;
  /** Milliseconds since the epoch, for a Retry-After that names a date. */
  now?: () => number;
};

/** Which URLs may be webhooks at all; what is behind a name is looked at when it is dialled. */
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

export function openWebhookReceivers(options: WebhookReceiverOptions): WebhookReceivers & { close(): Promise<void> } {
  const { allowLoopback, now = Date.now, limits, ...rest } = options;
  const http = openPublicHttp({
    ...rest,
    loopback: allowLoopback,
    limits: { ...LIMITS, ...limits },
    connections: TOGETHER,
  });
  const targets = webhookTargets(options);
  // Times that are only compared with each other: a clock that is set back must not close a host.
  const paces = hostPaces(PER_HOST, () => performance.now());
  const busy = new Map<string, number>();

  return {
    async post(url, headers, body) {
      const problem = targets.problem(url);
      if (problem !== null) return { kind: "refused", reason: problem };
      const { host } = new URL(url);
      const under = busy.get(host) ?? 0;
      if (under >= TOGETHER) return { kind: "deferred", seconds: NO_ROOM_SECONDS };
      const pace = paces(host);
      const turn = pace.take(0);
      if (turn.seconds > 0) return { kind: "deferred", seconds: turn.seconds };
      busy.set(host, under + 1);
      try {
        const answer = await http.request(url, {
          ...{ method: "POST", headers: { ...headers, "content-type": "application/json" }, body },
          ...{ maxBytes: MAX_BYTES, headOnly: true },
        });
        pace.succeeded();
        const limited = answer.status === 429;
        return {
          kind: "answered",
          status: answer.status,
          retryAfterSeconds: answer.status < 300 ? null : retryAfter(answer.headers, { nowMs: now(), limited }),
        };
      } catch (error) {
        if (error instanceof RefusedTarget) {
          pace.succeeded();
          return { kind: "refused", reason: error.message };
        }
        pace.failed();
        return { kind: "unanswered", reason: reasonOf(error) };
      } finally {
        const left = busy.get(host)! - 1;
        if (left > 0) busy.set(host, left);
        else busy.delete(host);
      }
    },
    close: () => http.close(),
  };
}

/** By the codes of undici, Node and the system; the texts behind them may tell of the network we are in. */
const REASONS: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: "no connection within 3 s",
  UND_ERR_HEADERS_TIMEOUT: "no answer within 10 s",
  UND_ERR_ABORTED: "no answer within 10 s",
  TimeoutError: "no answer within 10 s",
  ENOTFOUND: "the host's name is not known",
  EAI_AGAIN: "the host's name could not be looked up",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before an answer",
  EPIPE: "the connection was closed before an answer",
  UND_ERR_SOCKET: "the connection was closed before an answer",
  HPE_INVALID_CONSTANT: "the answer is no HTTP",
};

function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const known = REASONS[String(code)] ?? REASONS[String(name)];
  if (known) return known;
  return /CERT|SSL|TLS|ALTNAME|SELF_SIGNED|ISSUER/.test(String(code)) ? "its certificate is not good" : "no answer";
}
