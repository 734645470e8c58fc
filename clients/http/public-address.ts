/** Decides which untrusted addresses and URLs may be dialled: public ones, and loopback if the operator allows it. */
import ipaddr from "ipaddr.js";
import { urlOf } from "../../core/urls.ts";

/** Exceptions to the rule that only public addresses are dialled. */
export type Allowance = {
  /** Allows loopback addresses on any port, for a development machine. Link-local and metadata addresses stay refused. */
  loopback: boolean;
  /** Allows only these origins (`https://host[:port]`), also for redirects. */
  origins?: readonly string[];
};

/** Thrown for a target that must not be dialled. The message is a half-sentence that may be shown ("must …"). */
export class RefusedTarget extends Error {}
/** A target that others reach, and that is refused here for its port: who dials any port can be sent to any service. */
export class UnusualPort extends RefusedTarget {}

/** Public addresses that lead to a cloud's internal services (Azure's wire server). */
const INSIDE = new Set(["168.63.129.16"]);
/** The range of all public IPv6 addresses. Transition ranges, which contain an IPv4 address, are recognised by name. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Whether an IP address may be dialled. A mapped IPv4 address is judged as IPv4; an unreadable text is refused. */
export function isDiallable(address: string, { loopback }: Pick<Allowance, "loopback">): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (range === "loopback") return loopback;
  if (range !== "unicast" || INSIDE.has(ip.toString())) return false;
  return ip.kind() === "ipv4" || (ip as ipaddr.IPv6).match(GLOBAL_V6);
}

/** Host of a URL as an address or name, without brackets and trailing dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

/** Names that resolve within a machine or its network only. */
const INNER = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/**
 * Parses an untrusted URL. `URL` already converts `127.1`, `0x7f000001`, octal parts and full-width digits to the address
 * they mean.
 * @throws RefusedTarget when it must not be dialled; the addresses of a name are checked at the time of dialling
 */
export function publicUrl(text: string, allowance: Allowance): URL {
  const url = /[\s\\\p{Cc}]/u.test(text) ? null : urlOf(text);
  if (url === null) throw new RefusedTarget("must be a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new RefusedTarget("must be an http or https URL");
  if (url.username !== "" || url.password !== "") throw new RefusedTarget("must not carry credentials");
  const host = hostOf(url);
  const literal = ipaddr.isValid(host);
  const local = allowance.loopback && (literal ? ipaddr.process(host).range() === "loopback" : host === "localhost");
  if (allowance.origins && !allowance.origins.includes(url.origin)) throw new RefusedTarget("must be on a known host");
  if (!local && url.port !== "" && url.port !== "443" && url.port !== "80")
    throw new UnusualPort("must use the usual port of http or https");
  if (literal && !isDiallable(host, allowance)) throw new RefusedTarget("must be on a public address");
  if (!literal && !local && (INNER.test(host) || !host.includes(".")))
    throw new RefusedTarget("must be on a public host");
  return url;
}

/** Whether an untrusted URL may be dialled as far as its text says; no name is resolved. */
export function isPublicUrl(text: string, allowance: Allowance): boolean {
  try {
    publicUrl(text, allowance);
    return true;
  } catch (error) {
    if (error instanceof RefusedTarget) return false;
    throw error;
  }
}

/** Whether a URL of the configuration names this machine. */
export function isLoopback(url: string): boolean {
  const host = hostOf(new URL(url));
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
}
