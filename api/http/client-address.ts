/** The client's address: the peer's, or the one that a trusted proxy names. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

export type ClientAddress = (incoming: IncomingMessage) => string;

/**
 * @param trusted addresses and CIDR ranges of our own proxies; only their X-Forwarded-For counts, and it is read from
 *   the right, up to the first address that is not one of them.
 * @throws Error naming a malformed entry
 */
export function clientAddressBehind(trusted: string[]): ClientAddress {
  const isProxy = proxiesOf(trusted);

  return (incoming) => {
    const peer = peerOf(incoming);
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

/** Whether a connection comes from a proxy of our own. @throws Error naming a malformed entry */
export function comesFrom(trusted: string[]): (incoming: ConnectedRequest) => boolean {
  const isProxy = proxiesOf(trusted);
  return (incoming) => {
    const peer = peerOf(incoming);
    return isIP(peer) !== 0 && isProxy(peer);
  };
}

function proxiesOf(trusted: string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
      throw new Error(`TRUSTED_PROXIES: "${entry}" is neither an address nor a CIDR range`);
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  return (address) => proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

type ConnectedRequest = { socket: { remoteAddress?: string | undefined } };

/** The address at the other end of a connection. */
export const peerOf = ({ socket }: ConnectedRequest) => plain(socket.remoteAddress ?? "unknown");

/** `::ffff:10.0.0.1` is 10.0.0.1. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
