/** Addresses: lower case in code and database, checksummed (EIP-55) in output. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Address } from "./facts.ts";

/** Address of Multicall3, the same on every chain that has it (https://www.multicall3.com). */
export const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Converts an address to lower case; null when the text is not an address. A wrong checksum is accepted. */
export const parseAddress = (input: string): Address | null =>
  ADDRESS.test(input) ? (input.toLowerCase() as Address) : null;

/** Cache of checksummed addresses by input, emptied as a whole at 50,000 entries: equal addresses mostly follow soon after each other. */
const known = new Map<Address, Address>();
const MAX_KNOWN = 50_000;
const digits = new Uint8Array(40);

/**
 * The EIP-55 form, for people and for JSON: a letter is upper case where the hash of the lower-case digits has 8 or more.
 * Implemented here because every shown agent needs it three times, and viem's function takes four times as long.
 * @param address in any case
 */
export function checksum(address: Address): Address {
  const seen = known.get(address);
  if (seen !== undefined) return seen;
  const lower = address.toLowerCase();
  for (let i = 0; i < 40; i++) digits[i] = lower.charCodeAt(i + 2);
  const hash = keccak_256(digits);
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15;
    if (digits[i]! >= 97 && nibble >= 8) digits[i]! -= 32;
  }
  const text = `0x${String.fromCharCode.apply(null, digits as never)}`;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(address, text as Address);
  return text as Address;
}
