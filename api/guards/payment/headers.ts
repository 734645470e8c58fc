/** What a request brings as payment, read from its headers: one signed authorization or one transaction hash, never a guess. */
import { fail } from "../../../core/errors.ts";
import type { Hex } from "../../../core/facts.ts";
import { readVersion1, readVersion2, type SignedPayment } from "../../../core/payments/authorization.ts";
import { parseStrictJson } from "../../http/strict-json.ts";

/** A header by name, with every value it was sent with (Node's `headersDistinct`). */
export type HeaderValues = Record<string, string[] | undefined>;

export type GivenPayment = ({ kind: "signed" } & SignedPayment) | { kind: "transaction"; hash: Hex };

/** Headers that may carry a payment; the last three carry a transaction hash only. */
export const PAYMENT_HEADERS = [
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "X-Payment-Tx",
  "X-Payment-TxHash",
  "X-Payment-Proof",
] as const;

/** A payload is about 1400 characters for an account's key, and a few thousand for a contract wallet. */
const MOST_CHARACTERS = 8192;
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The payment of a request; null when it has none.
 * @throws Failure invalid_input for anything that is not exactly one well-formed payment
 */
export function readPayment(headers: HeaderValues): GivenPayment | null {
  const given = PAYMENT_HEADERS.flatMap((name) =>
    (headers[name.toLowerCase()] ?? []).map((value) => ({ name, value: value.trim() })),
  );
  const [first] = given;
  if (first === undefined) return null;
  for (const { name, value } of given)
    if (value.length > MOST_CHARACTERS) refuse(name, `must have at most ${MOST_CHARACTERS} characters`);
  if (given.every(({ value }) => TRANSACTION.test(value))) {
    const hashes = new Set(given.map(({ value }) => value.toLowerCase() as Hex));
    if (hashes.size > 1) refuse(first.name, "must not differ from the transaction hash in another payment header");
    return { kind: "transaction", hash: [...hashes][0]! };
  }
  if (given.length > 1) refuse(first.name, "must be the only payment of the request");
  return { kind: "signed", ...readSigned(first.name, first.value) };
}

function readSigned(name: (typeof PAYMENT_HEADERS)[number], value: string): SignedPayment {
  if (name !== "PAYMENT-SIGNATURE" && name !== "X-PAYMENT") return refuse(name, "must be 0x and 64 hex digits");
  if (!BASE64.test(value)) return refuse(name, "must be base64 of JSON, or a transaction hash");
  let json: unknown;
  try {
    json = parseStrictJson(Buffer.from(value, "base64"));
  } catch (error) {
    return refuse(name, "must be base64 of JSON, or a transaction hash", error);
  }
  const read = name === "PAYMENT-SIGNATURE" ? readVersion2(json) : readVersion1(json);
  const version = name === "PAYMENT-SIGNATURE" ? 2 : 1;
  return read ?? refuse(name, `must be a payment payload of x402 version ${version} for the scheme "exact"`);
}

function refuse(name: string, message: string, cause?: unknown): never {
  return fail("invalid_input", `The header ${name} ${message}.`, { details: [{ path: name, message }], cause });
}
