/** Addresses: lower case everywhere inside, checksummed (EIP-55) on the way out. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Address } from "./facts.ts";

/** Multicall3 has the same address on every chain that has it (https://www.multicall3.com). */
export const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** An address in any case → its lower-case form; null when it is none. A wrong checksum is no reason to refuse. */
export const parseAddress = (input: string): Address | null =>
  ADDRESS.test(input) ? (input.toLowerCase() as Address) : null;

/** Checksummed addresses by what they were made of, forgotten all at once when they are many: most come in crowds. */
const known = new Map<Address, Address>();
const MOST_KNOWN = 50_000;
const digits = new Uint8Array(40);

/**
 * The EIP-55 form, for people and for JSON: a letter is upper case where the hash of the lower-case digits has 8 or more.
 * Written out because every agent shown needs it three times, and viem's takes four times as long.
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
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(address, text as Address);
  return text as Address;
}
