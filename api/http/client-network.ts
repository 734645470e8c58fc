/** The networks of a client: limits of a client apply to each of them. */
import ipaddr from "ipaddr.js";
import type { Networks } from "../../core/callers/shares.ts";

/**
 * The number of clients that a wider network may use as much as. One customer may have a /48, so it counts little more
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
export const siteOf = (networks: Networks): string =>
  networks.find(({ clients }) => clients === CLIENTS["/48"])?.name ?? networks[0].name;
