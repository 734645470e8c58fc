/** Why a request got no answer, by the codes of Node, its resolver and undici; `ours` where the fault is seen to be on this side. */
import type { FailureCause } from "../../core/offers/probe.ts";
import { isTimeout } from "./exchange.ts";

/** No network, no address or no socket of our own to send from, or not allowed to. */
const OURS = /^(ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS|ENOMEM|EACCES|EPERM)$/;
const CAUSES: readonly [RegExp, FailureCause][] = [
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH)$/, "timeout"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "closed"],
  [/TLS|SSL|CERT|DEPTH_ZERO/, "tls"],
];

export function causeOf(error: unknown): FailureCause | "ours" {
  const { code = "", syscall = "" } = (error ?? {}) as { code?: string; syscall?: string };
  // The resolver itself does not take our question.
  if (/^query/.test(syscall)) return code === "ECONNREFUSED" ? "ours" : "dns";
  if (OURS.test(code)) return "ours";
  if (isTimeout(error)) return "timeout";
  return CAUSES.find(([codes]) => codes.test(code))?.[1] ?? "other";
}
