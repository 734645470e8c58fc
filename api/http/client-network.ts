/** The network of a client: limits of a client apply to its whole network. */
import ipaddr from "ipaddr.js";

/**
 * An IPv4 address is its own network, also in IPv6 notation (`::ffff:a.b.c.d`, in any spelling). The network of an IPv6
 * address is its first 64 bits, because one customer has all addresses of it.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const groups = parsed.parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
