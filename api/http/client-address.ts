/** Who is on the other end: the peer's address, or what a trusted proxy says it is. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

export type ClientAddress = (incoming: IncomingMessage) => string;

/**
 * @param trusted addresses and CIDR ranges of our own proxies; only they are believed, and X-Forwarded-For is read from
 *   the right, up to the first address that is not one of them.
 * @throws Error naming a malformed entry
 */
export function clientAddressBehind(trusted: string[]): ClientAddress {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
      throw new Error(`TRUSTED_PROXIES: "${entry}" is neither an address nor a CIDR range`);
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return (incoming) => {
    const peer = plain(incoming.socket.remoteAddress ?? "unknown");
    if (trusted.length === 0 || isIP(peer) === 0 || !isProxy(peer)) return peer;
    const forwarded = [incoming.headers["x-forwarded-for"] ?? ""].flat().join(",").split(",");
    let client = peer;
    for (const hop of forwarded.map((part) => plain(part.trim())).reverse()) {
      if (isIP(hop) === 0) break;
      client = hop;
      if (!isProxy(hop)) break;
    }
    return client;
  };
}

/** `::ffff:10.0.0.1` is 10.0.0.1. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
