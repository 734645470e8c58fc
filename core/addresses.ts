/** Addresses: lower case in code and database, checksummed (EIP-55) in output. */
import { keccakP } from "@noble/hashes/sha3.js";
import type { Address } from "./agents/facts.ts";

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** Address of Multicall3, the same on every chain that has it (https://www.multicall3.com). */
export const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Converts an address to lower case; null when the text is not an address. A wrong checksum is accepted. */
export const parseAddress = (input: string): Address | null =>
  ADDRESS.test(input) ? (input.toLowerCase() as Address) : null;

/** Cache of checksummed addresses by input, emptied as a whole at 1,000 entries: equal addresses mostly follow soon after each other. */
const cache = new Map<string, Address>();
const MAX_KNOWN = 1_000;

/** Keccak-256 of 40 bytes. @returns the hash, valid until the next call */
type Keccak = (digits: Uint8Array) => Uint8Array;

/** The state of Keccak-256, of which 136 bytes take input: the 40 digits fit into one block. */
const state = new Uint8Array(200);
const lanes = new Uint32Array(state.buffer);
const KECCAK_RATE_BYTES = 136;
const digits = new Uint8Array(40);

let keccak: Keccak = (block) => {
  lanes.fill(0);
  state.set(block);
  state[block.length] = 1;
  state[KECCAK_RATE_BYTES - 1] = 0x80;
  keccakP(lanes);
  return state;
};

/** From now on addresses are hashed by a faster function: WebAssembly takes a sixth of the time, but not every page may run it. */
export function hashAddressesBy(faster: Keccak): void {
  keccak = faster;
}

/**
 * The EIP-55 form, for people and for JSON: a letter is upper case where the hash of the lower-case digits has 8 or more.
 * Implemented here because every shown agent needs it three times: viem's function takes four times as long, and the
 * hash as an object of its own half as long again.
 * @param address in any case
 */
export function checksum(address: string): Address {
  const seen = cache.get(address);
  if (seen !== undefined) return seen;
  const lower = address.toLowerCase();
  for (let i = 0; i < 40; i++) digits[i] = lower.charCodeAt(i + 2);
  const hash = keccak(digits);
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15;
    if (digits[i]! >= LETTER_A && nibble >= 8) digits[i]! -= CASE;
  }
  const text = `0x${String.fromCharCode.apply(null, digits as never)}` as Address;
  if (cache.size >= MAX_KNOWN) cache.clear();
  cache.set(address, text);
  return text;
}

const LETTER_A = "a".charCodeAt(0);
const CASE = LETTER_A - "A".charCodeAt(0);
