/** Stored form of addresses of any chain: those of EVM chains in 21 bytes instead of 42, each kind in the order of its texts. */
import type { Condition } from "./filter-cache.ts";
import { decodeHex } from "./hex-bytes.ts";

const EVM_LENGTH = 42;
const PACKED_LENGTH = 21;

/**
 * A byte 0 marks 20 bytes of an EVM address; no text begins with byte 0. Any other text stays as it is.
 * @param text UTF-8; EVM addresses in lower case
 */
export function packAddress(text: Uint8Array | null): Uint8Array | null {
  if (text === null || text.length !== EVM_LENGTH || text[0] !== 0x30 || text[1] !== 0x78) return text;
  const packed = new Uint8Array(PACKED_LENGTH);
  return decodeHex(text, 2, packed, 1) ? packed : text;
}

/** Conditions of which an address that begins with a text meets at least one. @param prefix in lower case */
export function addressesFrom(column: string, prefix: string): Condition[] {
  const texts = { column, from: utf8(prefix), to: utf8(`${prefix}\u{10ffff}`) };
  if (!/^0x[0-9a-f]{0,40}$/.test(prefix)) return [texts];
  const packed = (fill: string) => packAddress(utf8(prefix.padEnd(EVM_LENGTH, fill)))!;
  // An address of another chain may begin with the same text.
  return [{ column, from: packed("0"), to: packed("f") }, texts];
}

const utf8 = (text: string) => new TextEncoder().encode(text);
