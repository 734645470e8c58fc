/** The network a client belongs to: what is counted against it is counted against its whole network. */
import ipaddr from "ipaddr.js";

/**
 * An IPv4 address stands for itself, in IPv6 notation too (`::ffff:a.b.c.d`, however it is written); of an IPv6 address
 * the first 64 bits, for one customer has all of the rest.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const groups = parsed.parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
