/** The bloom of a block's header: which addresses and topics its logs have, and perhaps more. */
import { type Hex, hexToBytes, keccak256 } from "viem";

const BLOOM_BYTES = 256;

/** What a log puts into its block's bloom. */
export type BloomedLog = { address: Hex; topics: readonly Hex[] };

/**
 * The bloom of exactly these logs, as a header with them has it.
 * @returns 256 bytes; a header's bloom with more bits belongs to a block with more logs
 */
export function bloomOf(logs: Iterable<BloomedLog>): Uint8Array {
  const items = new Set<Hex>();
  for (const { address, topics } of logs) {
    items.add(address);
    for (const topic of topics) items.add(topic);
  }
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const item of items) {
    const hash = keccak256(item, "bytes");
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff;
      bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return bloom;
}

/** A header's bloom as bytes; null for what is no bloom. */
export function readBloom(value: unknown): Uint8Array | null {
  return typeof value === "string" && /^0x[0-9a-f]{512}$/i.test(value) ? hexToBytes(value as Hex) : null;
}
