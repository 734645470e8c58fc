/** Which addresses and URLs of strangers may be dialled: public ones, and loopback where the operator allows it. */
import ipaddr from "ipaddr.js";
import { urlOf } from "../../core/urls.ts";

/** What a dialler may reach beside the public internet. */
export type Allowance = {
  /** Loopback addresses, on any port: for a development machine. Never link-local or metadata addresses. */
  loopback: boolean;
  /** When given, nothing but these origins (`https://host[:port]`), redirects included. */
  origins?: readonly string[];
};

/** A target that must not be dialled, whoever asks. The message is a half-sentence that may be shown ("must …"). */
export class RefusedTarget extends Error {}

/** Reached by public addresses, and yet inside of somebody's cloud. */
const INSIDE = new Set(["168.63.129.16"]);
/** All of the IPv6 internet is in here; transition ranges that wrap an IPv4 address are told apart by name. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Whether an IP address may be dialled. Mapped IPv4 counts as what it maps; what cannot be read is refused. */
export function isDiallable(address: string, { loopback }: Pick<Allowance, "loopback">): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (range === "loopback") return loopback;
  if (range !== "unicast" || INSIDE.has(ip.toString())) return false;
  return ip.kind() === "ipv4" || (ip as ipaddr.IPv6).match(GLOBAL_V6);
}

/** Host of a URL as an address or name, without the brackets and the root's dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

/** Names that never leave a machine or its network. */
const INNER = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/**
 * Reads a URL that a stranger named. The URL standard has already turned `127.1`, `0x7f000001`, octal parts and
 * full-width digits into the address they mean.
 * @throws RefusedTarget when it must not be dialled; a name's addresses are checked when it is dialled
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
    throw new RefusedTarget("must use the usual port of http or https");
  if (literal && !isDiallable(host, allowance)) throw new RefusedTarget("must be on a public address");
  if (!literal && !local && (INNER.test(host) || !host.includes(".")))
    throw new RefusedTarget("must be on a public host");
  return url;
}

/** Whether a URL of the operator's own names this machine. */
export function isLoopback(url: string): boolean {
  const host = hostOf(new URL(url));
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
}
