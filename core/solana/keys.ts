/** Solana keys and signatures: parses the texts that clients send, and checks whether a key signed a text by the strict rules of ed25519. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58, base64 } from "@scure/base";

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** First bit of the version byte. A message without a version begins with a number below 128. */
const VERSIONED = 0x80;

/** Thrown by the reader when the bytes end too early or a number is out of its bounds. */
class NotOne extends Error {}

class Reader {
  private readonly bytes: Uint8Array;
  private at = 0;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new NotOne();
    return value;
  }
  skip(count: number): void {
    this.at += count;
    if (this.at > this.bytes.length) throw new NotOne();
  }
  /** Reads a compact-u16: seven bits per byte, the lowest first, max three bytes. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value > 0xffff || (byte === 0 && shift > 0)) throw new NotOne();
        return value;
      }
    }
    throw new NotOne();
  }
  peek(): number {
    return this.bytes[this.at] ?? 0;
  }
  atEnd(): boolean {
    return this.at === this.bytes.length;
  }
}

/** Whether the bytes as a whole are a message that validators accept signatures for, or such a message with its signatures. */
export const isTransaction = (bytes: Uint8Array): boolean =>
  isWhole(bytes, message) ||
  isWhole(bytes, (reader) => {
    reader.skip(reader.length() * SIGNATURE_BYTES);
    message(reader);
  });

function isWhole(bytes: Uint8Array, read: (reader: Reader) => void): boolean {
  const reader = new Reader(bytes);
  try {
    read(reader);
    return reader.atEnd();
  } catch (error) {
    if (error instanceof NotOne) return false;
    throw error;
  }
}

/** Reads a message: header, account keys, blockhash, instructions, and address tables when it has a version. */
function message(reader: Reader): void {
  const versioned = reader.peek() >= VERSIONED;
  if (versioned) reader.skip(1);
  const signers = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const keys = reader.length();
  if (signers === 0 || readonlySigners >= signers || signers + readonlyOthers > keys) throw new NotOne();
  reader.skip(keys * HASH_BYTES + HASH_BYTES);
  list(reader, () => {
    reader.skip(1);
    reader.skip(reader.length());
    reader.skip(reader.length());
  });
  if (!versioned) return;
  list(reader, () => {
    reader.skip(HASH_BYTES);
    reader.skip(reader.length());
    reader.skip(reader.length());
  });
}

function list(reader: Reader, item: () => void): void {
  for (let left = reader.length(); left > 0; left--) item();
}

/** A Solana address in base58. Each 32 bytes have exactly one such text, so equal keys are equal texts. */
export type SolanaAddress = string;

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The 32 bytes of a Solana address of any kind, including accounts without a private key; null for other texts. */
export function addressBytes(text: string): Uint8Array | null {
  if (!ADDRESS.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === 32 ? bytes : null;
}

/**
 * The bytes of an address that are appended to the arguments of the call that registers it. The contract ignores them;
 * nothing else on the chain records the registrant.
 */
export const keyTail = (address: SolanaAddress): `0x${string}` => `0x${bytesToHex(addressBytes(address)!)}`;

/**
 * Whether an address is a public key that can have a private key: a canonical encoding of a point of the curve, outside
 * the eight points of small order. For those eight, a signature of any text can be forged.
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
/** Base64 of 64 bytes: the 86th character carries two bits, then two characters of padding. No base58 text matches. */
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
 * Whether the key signed the text (RFC 8032; Solana wallets sign its UTF-8 bytes unchanged). Stricter than most checks:
 * only canonical encodings, no keys of small order, and no text whose bytes could be a transaction, because a signature
 * of such bytes may have been given for the transaction.
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
