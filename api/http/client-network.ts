/** The network a client belongs to: what is counted against it is counted against its whole network. */
import ipaddr from "ipaddr.js";

/** An IPv4 address stands for itself; of an IPv6 address the first 64 bits, for one customer has all of the rest. */
export function networkOf(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
