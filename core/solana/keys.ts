/** Solana keys and signatures as people send them: which texts are one, and whether a key signed a text, by the strict rules of ed25519. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58, base64 } from "@scure/base";
import { isTransaction } from "./transaction-shape.ts";

/** A Solana address in base58. Each 32 bytes have exactly one such text, so equal keys are equal texts. */
export type SolanaAddress = string;

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The 32 bytes of a Solana address of any kind, accounts without a key of their own included; null for other texts. */
export function addressBytes(text: string): Uint8Array | null {
  if (!ADDRESS.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === 32 ? bytes : null;
}

/**
 * The bytes of an address as they stand behind the arguments of the call that registers it: the contract reads no further,
 * and nothing else on the chain says whose registration it is.
 */
export const keyTail = (address: SolanaAddress): `0x${string}` => `0x${bytesToHex(addressBytes(address)!)}`;

/**
 * Whether an address is a public key that somebody can hold the secret of: a canonical encoding of a point of the curve,
 * outside the eight points of small order. For those, signatures of any text can be made up.
 */
export function isKey(text: string): boolean {
  const bytes = addressBytes(text);
  if (bytes === null) return false;
  try {
    return !ed25519.Point.fromBytes(bytes, false).isSmallOrder();
  } catch {
    return false;
  }
}

const HEX = /^(?:0x)?[0-9a-fA-F]{128}$/;
/** Base64 of 64 bytes ends in one character that carries two bits, and two that fill up. No base58 text looks like it. */
const BASE64 = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** The 64 bytes of a signature in base58, base64 or hex; null for anything else. */
export function signatureBytes(text: string): Uint8Array | null {
  if (HEX.test(text)) return hexToBytes(text.replace(/^0x/, ""));
  if (BASE64.test(text)) return base64.decode(text);
  if (!BASE58.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === 64 ? bytes : null;
}

/**
 * Whether the key signed the text (RFC 8032; Solana wallets sign its UTF-8 bytes as they are). Stricter than most: only
 * canonical encodings, no keys of small order, and no text whose bytes could be a transaction, for a wallet that was
 * asked to sign one has been asked for something else.
 */
export function isSignedBy(text: string, address: SolanaAddress, signature: Uint8Array): boolean {
  const message = utf8ToBytes(text);
  if (!isKey(address) || signature.length !== 64 || isTransaction(message)) return false;
  try {
    return ed25519.verify(signature, message, addressBytes(address)!, { zip215: false });
  } catch {
    return false;
  }
}
