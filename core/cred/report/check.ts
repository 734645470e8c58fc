/**
 * The check of a receipt, by the service and without it: what was signed is hashed again (EIP-712), and the key that signed
 * it is recovered. Small, so that a browser can load it.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { Point, recoverPublicKey, Signature } from "@noble/secp256k1";
import type { Address, Hex } from "../../agents/facts.ts";
import type { CredReportView } from "./cred-report.ts";
import { RECEIPT_TYPES, type ReceiptDomain, type ReceiptMessage, readPayload, receiptMessage } from "./receipt.ts";

/** A receipt as a report carries it: no field is checked yet. */
export type GivenReceipt = {
  payload: string;
  signature: Hex;
  signer?: unknown;
  domain: ReceiptDomain;
  message?: unknown;
};

/** What the check found. `report` is what was signed; null when the payload is no report. */
export type ReceiptFindings = {
  report: CredReportView | null;
  /** The address whose key signed exactly this report; null when the signature is not sound. */
  signer: Address | null;
  /** The message sent with the signature says what the payload says. */
  messageFits: boolean;
  /** The fields around the receipt are those of the payload; null when the receipt came alone. */
  shownFits: boolean | null;
  /** The parts of the score add up to it. */
  addsUp: boolean;
};

const DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

const textHash = (text: string): Uint8Array => keccak_256(utf8ToBytes(text));
/** A whole number, or a value in hex, as a word of 32 bytes. @throws Error above 32 bytes */
const word = (value: bigint | Hex): Uint8Array =>
  hexToBytes((typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0").toLowerCase());

type Fields = readonly { name: string; type: string }[];
/**
 * The bytes that a key signs for a message of EIP-712.
 * @param types the message's only type: `string`, `bytes32`, `address` and `uint*`, integers as numbers or decimal texts
 * @throws Error for values that are not of their types
 */
export function typedDigest(types: Record<string, Fields>, domain: ReceiptDomain, message: object): Uint8Array {
  const [primary, fields] = Object.entries(types)[0]!;
  const separator = keccak_256(
    concatBytes(
      ...[textHash(DOMAIN_TYPE), textHash(domain.name), textHash(domain.version)],
      ...[word(BigInt(domain.chainId)), word(domain.verifyingContract)],
    ),
  );
  const values = fields.map(({ name, type }) => {
    const value = (message as Record<string, string | number>)[name]!;
    if (type === "string") return textHash(String(value));
    return type === "bytes32" ? word(value as Hex) : word(BigInt(value));
  });
  const typeText = `${primary}(${fields.map(({ name, type }) => `${type} ${name}`).join(",")})`;
  const struct = keccak_256(concatBytes(textHash(typeText), ...values));
  return keccak_256(concatBytes(new Uint8Array([0x19, 0x01]), separator, struct));
}

/** The bytes that a receipt's key signs. @throws Error for values that are not of their types */
export const receiptDigest = (domain: ReceiptDomain, message: ReceiptMessage): Uint8Array =>
  typedDigest(RECEIPT_TYPES, domain, message);

/** The address whose key made a 65-byte signature r‖s‖v; null when none did, or for the twin of a signature (EIP-2). */
export function signerOf(digest: Uint8Array, signature: string): Address | null {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return null;
  const bytes = hexToBytes(signature.slice(2).toLowerCase());
  const v = bytes[64]!;
  const recovery = v >= 27 ? v - 27 : v;
  if (recovery > 1) return null;
  try {
    const parsed = Signature.fromBytes(bytes.subarray(0, 64), "compact");
    if (parsed.hasHighS()) return null;
    const signed = parsed.addRecoveryBit(recovery).toBytes("recovered");
    const key = Point.fromBytes(recoverPublicKey(signed, digest, { prehash: false }));
    return `0x${bytesToHex(keccak_256(key.toBytes(false).subarray(1)).subarray(12))}`;
  } catch {
    return null;
  }
}

/**
 * Checks a receipt by what it carries.
 * @param shown the fields around the receipt; null when it came alone
 */
export function checkReceipt(receipt: GivenReceipt, shown: object | null): ReceiptFindings {
  const report = readPayload(receipt.payload);
  if (!report) return { report, signer: null, messageFits: false, shownFits: shown && false, addsUp: false };
  const message = receiptMessage(receipt.payload, report);
  let signer: Address | null;
  try {
    signer = signerOf(receiptDigest(receipt.domain, message), receipt.signature);
  } catch {
    signer = null;
  }
  return {
    report,
    signer,
    messageFits: receipt.message === undefined || sameJson(receipt.message, message),
    shownFits: shown && sameJson(shown, report),
    addsUp: addsUp(report),
  };
}

/** Equal as JSON, in any order of keys. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key as never], b[key as never]))
  );
}

/** Σ weight · raw, rounded half up, is the score; in hundredths of points, so that .5 is exact. */
function addsUp({ scoreBreakdown, credScore }: CredReportView): boolean {
  const parts = Object.values(scoreBreakdown ?? {});
  const hundredths = parts.reduce((sum, part) => sum + Math.round(part?.weight * 100) * part?.rawScore, 0);
  return parts.length > 0 && Math.floor((hundredths + 50) / 100) === credScore.score;
}
