/**
 * Where a request comes from: the client's address, the peer's or the one that a trusted proxy names, and its networks.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Networks } from "../../core/callers/shares.ts";

/**
 * How many clients' worth a wider network may use. One customer may have a /48, so it counts little more
 * than one; the others are a provider's, and lower numbers would let a few customers use up what is their neighbours'.
 */
const CLIENTS = { "/48": 4, "/32": 256, "IPv4 /24": 64 };

/**
 * The networks of an address, narrow to wide. An IPv4 address is a network of its own, also in IPv6 notation
 * (`::ffff:a.b.c.d`, in any spelling), and part of a /24. One customer has a /64 of IPv6, many have a /48 with its 65,536
 * of them, and a provider has a /32.
 */
export function networksOf(address: string): Networks {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return ofIPv4(address);
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return ofIPv4(parsed.toIPv4Address().toString());
  const first = (groups: number) =>
    `${parsed.parts
      .slice(0, groups)
      .map((group) => group.toString(16))
      .join(":")}::/${16 * groups}`;
  return [
    { name: first(4), clients: 1 },
    { name: first(3), clients: CLIENTS["/48"] },
    { name: first(2), clients: CLIENTS["/32"] },
  ];
}

function ofIPv4(address: string): Networks {
  const own = { name: address, clients: 1 };
  const end = address.lastIndexOf(".");
  return end < 0 ? [own] : [own, { name: `${address.slice(0, end)}.0/24`, clients: CLIENTS["IPv4 /24"] }];
}

/** The name of an address's own network: an IPv4 address, or an IPv6 /64. */
export const networkOf = (address: string): string => networksOf(address)[0].name;

/** The name of the network that one customer may have: an IPv4 address, or an IPv6 /48. */
export const customerOf = (networks: Networks): string =>
  networks.find(({ name }) => name.endsWith("/48"))?.name ?? networks[0].name;

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
    for (const hop of forwarded.map((part) => plain(part.trim().replace(PORT, "$1$2"))).reverse()) {
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
    if (isIP(address) === 0 || (prefix !== undefined && !ipaddr.isValidCIDR(entry)))
      throw new Error(`TRUSTED_PROXIES: "${entry}" is neither an address nor a CIDR range`);
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  return (address) => proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

type ConnectedRequest = { socket: { remoteAddress?: string | undefined } };

/** The address at the other end of a connection. */
export const peerOf = ({ socket }: ConnectedRequest) => plain(socket.remoteAddress ?? "unknown");

/** Some proxies name the port beside the address: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const PORT = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** `::ffff:10.0.0.1` is 10.0.0.1. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
