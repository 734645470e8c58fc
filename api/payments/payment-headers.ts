/** The payment in a request's headers: exactly one signed authorization, transaction hash or answer to a challenge. */
import type { ChallengeAnswer, Mpp } from "../../clients/ports.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { readVersion1, readVersion2, type SignedPayment } from "../../core/payments/authorization.ts";
import { readIdentifier } from "../../core/payments/payment-identifier.ts";
import { parseStrictJson } from "../../core/strict-json.ts";

/** A header by name, with every value it was sent with (Node's `headersDistinct`). */
export type HeaderValues = Record<string, string[] | undefined>;

export type GivenPayment =
  /** `identifier` is the client's name for the payment. */
  | ({ kind: "x402"; identifier: string | null } & SignedPayment)
  | { kind: "transfer"; hash: Hex }
  /** Null where the answered challenge was not made by this service. */
  | { kind: "mpp"; answer: ChallengeAnswer | null };

/** Headers that may carry a payment, each of the same one; the last three carry a transaction hash only. */
export const PAYMENT_HEADERS = [
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "X-Payment-Tx",
  "X-Payment-TxHash",
  "X-Payment-Proof",
] as const;
/** The header of MPP credentials, which are also accepted in a list in Authorization. */
export const CREDENTIAL_HEADER = "Payment-Authorization";

/** A payload has about 1,400 characters for an account's key and a few thousand for a contract wallet, and as many again for the declaration (bazaar.ts), which clients send back. */
const MAX_HEADER_CHARS = 16_384;
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;
/** With either alphabet (RFC 4648, sections 4 and 5). */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Headers that may carry a signed payment. */
const SIGNED_HEADERS = new Set<string>(["PAYMENT-SIGNATURE", "X-PAYMENT"]);

/**
 * The payment of a request; null when it has none.
 * @param mpp reads credentials of MPP; null where they are not accepted
 * @throws Failure invalid_input for anything that is not exactly one well-formed payment
 */
export async function readPayment(headers: HeaderValues, mpp: Mpp | null): Promise<GivenPayment | null> {
  const given = PAYMENT_HEADERS.flatMap((name) =>
    // Proxies join the values of a header that came twice.
    (headers[name.toLowerCase()] ?? [])
      .flatMap((value) => value.split(","))
      .map((value) => ({ name, value: value.trim() })),
  );
  const credential = readCredential(headers);
  const [first] = given;
  if (first === undefined) return credential === null ? null : readMpp(credential, mpp);
  if (credential !== null) refuse(first.name, "must be the only payment of the request");
  for (const { name, value } of given)
    if (value.length > MAX_HEADER_CHARS) refuse(name, `must have at most ${MAX_HEADER_CHARS} characters`);
  if (given.every(({ value }) => TRANSACTION.test(value))) {
    const hashes = new Set(given.map(({ value }) => value.toLowerCase() as Hex));
    if (hashes.size > 1) refuse(first.name, "must not differ from the transaction hash in another payment header");
    return { kind: "transfer", hash: [...hashes][0]! };
  }
  if (given.some(({ value }) => value !== first.value)) refuse(first.name, "must be the only payment of the request");
  for (const { name } of given) if (!SIGNED_HEADERS.has(name)) refuse(name, "must be 0x and 64 hex digits");
  return { kind: "x402", ...readSigned(first.name, first.value) };
}

const PAYMENT_SCHEME = /^\s*payment\s+/i;

/** The credential of MPP without its scheme; null without one. Authorization may have a sign-in as well. */
function readCredential(headers: HeaderValues): string | null {
  const listed = (headers.authorization ?? []).flatMap((value) => value.split(",")).filter(isPayment);
  const own = headers[CREDENTIAL_HEADER.toLowerCase()] ?? [];
  const found = new Set([...own, ...listed].map((value) => value.replace(PAYMENT_SCHEME, "").trim()));
  if (found.size === 0) return null;
  if (found.size > 1 || !own.every(isPayment)) refuse(CREDENTIAL_HEADER, "must be one credential, Payment {base64url}");
  const [credential] = found;
  if (credential!.length > MAX_HEADER_CHARS)
    refuse(CREDENTIAL_HEADER, `must have at most ${MAX_HEADER_CHARS} characters`);
  return credential!;
}

const isPayment = (value: string) => PAYMENT_SCHEME.test(value);

async function readMpp(credential: string, mpp: Mpp | null): Promise<GivenPayment> {
  if (mpp === null) return refuse(CREDENTIAL_HEADER, "cannot be used: payments by MPP are not taken here");
  const read = await mpp.read(credential);
  if (read.kind === "malformed") return refuse(CREDENTIAL_HEADER, read.problem);
  return { kind: "mpp", answer: read.kind === "answer" ? read.answer : null };
}

/** The payload decides its version, whatever the header is called: clients send either in both. */
function readSigned(name: string, value: string): SignedPayment & { identifier: string | null } {
  const json = payloadOf(name, value);
  const version = (json as { x402Version?: unknown } | null)?.x402Version;
  if (version !== 1 && version !== 2) return refuse(name, "must have an x402Version of 1 or 2");
  const read = version === 2 ? readVersion2(json) : readVersion1(json);
  if (!read) return refuse(name, `must be a payment payload of x402 version ${version} for the scheme "exact"`);
  const identifier = version === 2 ? readIdentifier(json) : null;
  if (identifier === undefined)
    return refuse(name, "must have a payment-identifier of 16 to 128 letters, digits, - and _, or none");
  return { ...read, identifier };
}

function payloadOf(name: string, value: string): unknown {
  if (!BASE64.test(value)) return refuse(name, "must be base64 of JSON, or a transaction hash");
  try {
    return parseStrictJson(Buffer.from(value, "base64"));
  } catch (error) {
    return refuse(name, "must be base64 of JSON, or a transaction hash", error);
  }
}

function refuse(name: string, message: string, cause?: unknown): never {
  return fail("invalid_input", `The header ${name} ${message}.`, { details: [{ path: name, message }], cause });
}
