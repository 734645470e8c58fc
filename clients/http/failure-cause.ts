/** Why a request got no answer, by the codes of Node, its resolver and undici; `ours` where the fault is seen to be on this side. */
import type { FailureCause } from "../../core/offers/probe.ts";
import { isTimeout } from "./exchange.ts";

/**
 * No network or no socket of our own. Not what the host's own addresses may cause: without IPv6 here, those of one that has no
 * others are out of reach (ENETUNREACH, EADDRNOTAVAIL), and a rule may forbid them (EACCES, EPERM).
 */
const OURS = /^(ENETDOWN|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;
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
