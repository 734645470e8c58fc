/** The network of a client: limits of a client apply to its whole network. */
import ipaddr from "ipaddr.js";

/**
 * An IPv4 address is its own network, also in IPv6 notation (`::ffff:a.b.c.d`, in any spelling). The network of an IPv6
 * address is its first 64 bits, because one customer has all addresses of it.
 */
export const networkOf = (address: string): string => networksOf(address)[0]!;

/**
 * All networks of an address, the narrowest first: an IPv4 address itself; the first 64, 48 and 32 bits of an IPv6
 * address, because one customer may also have a /48, and a provider has a /32.
 */
export function networksOf(address: string): string[] {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return [address];
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return [parsed.toIPv4Address().toString()];
  const groups = parsed.parts.map((group) => group.toString(16));
  return [4, 3, 2].map((count) => `${groups.slice(0, count).join(":")}::/${count * 16}`);
}
