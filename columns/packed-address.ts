/** Addresses of any chain as they are kept: those of EVM chains in 21 bytes instead of 42, all of them in the order of their texts. */

import { unhex } from "./hex-bytes.ts";
import type { Condition } from "./matches.ts";

const EVM_LENGTH = 42;
const PACKED_LENGTH = 21;

/** A byte 0 says that 20 bytes of an address follow; no text begins with it. @param text as UTF-8, EVM addresses in lower case; what is no such address stays as it is */
export function packAddress(text: Uint8Array | null): Uint8Array | null {
  if (text === null || text.length !== EVM_LENGTH || text[0] !== 0x30 || text[1] !== 0x78) return text;
  const packed = new Uint8Array(PACKED_LENGTH);
  return unhex(text, 2, packed, 1) ? packed : text;
}

/** The addresses that begin with a text. @param prefix in lower case */
export function addressesFrom(column: string, prefix: string): Condition[] {
  const texts = { column, from: utf8(prefix), to: utf8(`${prefix}\u{10ffff}`) };
  if (!/^0x[0-9a-f]{0,40}$/.test(prefix)) return [texts];
  const packed = (fill: string) => packAddress(utf8(prefix.padEnd(EVM_LENGTH, fill)))!;
  // An address of another chain may begin in the same way.
  return [{ column, from: packed("0"), to: packed("f") }, texts];
}

const utf8 = (text: string) => new TextEncoder().encode(text);
