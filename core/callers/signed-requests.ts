/**
 * Requests that a wallet has signed itself, in place of a credential: ERC-8128, a draft, as of 2026-09-18
 * (github.com/slice-so/ERCs, commit 0f738bf3, ERCS/erc-8128.md). Of what the draft leaves to a service, this one takes
 * signatures that are bound to one request and good once, for at most 60 seconds, one to a request.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { parseDictionary } from "structured-headers";
import type { Address, Hex } from "../agents/facts.ts";
import { fail } from "../errors.ts";
import { type ReceivedRequest, type RequestSignature, signaturesOf, signedText } from "../http-signatures.ts";

/** The service to which requests are addressed, as its clients see it. @property scheme with its colon */
export type Addressed = { hosts: ReadonlySet<string>; scheme: string; chainId: number };

/** A signed request; neither its signature nor its content has been checked. */
export type SignedRequest = {
  address: Address;
  signature: Hex;
  text: string;
  /** When it was signed, milliseconds since the epoch. */
  createdAt: number;
  /** Names the request among all: the signer's account and its nonce. */
  id: string;
  /** The SHA-256 that the content has to have; null where nothing is said of it. */
  digest: Uint8Array | null;
};

const TAG = "erc8128";
/** Clocks of client and server may differ by this many seconds. */
export const CLOCK_SKEW_SECONDS = 30;
/** Max seconds from `created` to `expires`. */
export const MAX_SIGNED_SECONDS = 60;
/** Max characters of each of the two fields; signatures of contract wallets are long (ERC-6492). */
const MAX_FIELD_LENGTH = 8_192;
const [MAX_COMPONENTS, MAX_PARAMETERS, MAX_NONCE_LENGTH] = [32, 16, 128];
const BOUND = ["@scheme", "@authority", "@method", "@path", "@query"];
/** An account, in the canonical form of CAIP-10. */
const ACCOUNT = /^eip155:(0|[1-9]\d{0,15}):(0x[0-9a-f]{40})$/;
/** A key's signature: r‖s‖v with v 27 or 28. */
export const OF_KEY = /^0x[0-9a-f]{128}1[bc]$/;

/** The codes of the draft's section 6 that are answered here; the first two are of what cannot be read. */
const REFUSALS = {
  signature_input_invalid: "Signature and Signature-Input must be dictionaries (RFC 9651) with a label in common.",
  signature_too_large: `A request may carry one signature of a wallet, of ${MAX_COMPONENTS} components, ${MAX_PARAMETERS} parameters and ${MAX_FIELD_LENGTH} characters in each field.`,
  signature_missing: "The field Signature is missing.",
  unsupported_algorithm: "The signature must have no parameter alg.",
  invalid_keyid: "The signature's keyid must be eip155:{chain}:{address}, in lower case.",
  unsupported_chain: "The signature's keyid is not of this service's chain.",
  invalid_time: "The signature needs created and a later expires, both in whole seconds.",
  request_not_yet_valid: "The signature is dated in the future. Check the clock of the signer.",
  request_expired: "The signature has expired.",
  request_validity_too_long: `A signature may be good for ${MAX_SIGNED_SECONDS} seconds.`,
  nonce_required: "The signature needs a nonce.",
  invalid_nonce: `The signature's nonce must be a string of 1 to ${MAX_NONCE_LENGTH} characters.`,
  nonce_reused: "A request with this nonce has been accepted before.",
  insufficient_coverage: `The signature must cover ${BOUND.join(", ")}, with content content-digest, and content-type where it is sent; beyond these whole fields that the request has, each once.`,
  content_digest_required: "A signed request with content needs Content-Digest (RFC 9530).",
  bad_content_digest: "Content-Digest must have the sha-256 of this request's content (RFC 9530).",
  bad_signature: "The signature is not this wallet's signature of this request to this service.",
};

/** Refuses a signed request. @throws Failure unauthenticated; invalid_input for signatures that cannot be read */
export function refuseSigned(reason: keyof typeof REFUSALS): never {
  const isUnreadable = reason === "signature_input_invalid" || reason === "signature_too_large";
  fail(isUnreadable ? "invalid_input" : "unauthenticated", REFUSALS[reason], {
    hint: "Sign each request anew by ERC-8128: /docs/guide/signing-in has the components and parameters.",
    extra: { reason },
    ...(!isUnreadable && { headers: { "www-authenticate": `ERC8128 error="${reason}"` } }),
  });
}

/** Whether a request may have a signature of a wallet: no other can have the tag. Others, as of crawlers, are no credential. */
export const maySign = (input: string | undefined): boolean => input?.includes(TAG) === true;

/**
 * Reads the wallet's signature of a request, and checks everything but the signature itself and the content.
 * @param hasContent whether the request has content, which its signature must cover
 * @param now milliseconds since the epoch
 * @returns null for a request that no wallet has signed
 * @throws Failure unauthenticated, invalid_input
 */
export function readSignedRequest(
  request: ReceivedRequest,
  { hosts, chainId }: Addressed,
  hasContent: boolean,
  now: number,
): SignedRequest | null {
  const found = candidateOf(request);
  if (found === null) return null;
  const { parameters, signature } = found;
  if (parameters.has("alg")) refuseSigned("unsupported_algorithm");
  const keyid = parameters.get("keyid");
  const [, chain, address] = (typeof keyid === "string" && ACCOUNT.exec(keyid)) || [];
  if (address === undefined) refuseSigned("invalid_keyid");
  if (chain !== String(chainId)) refuseSigned("unsupported_chain");
  const createdAt = checkTimes(found, now / 1000);
  const nonce = parameters.get("nonce");
  if (nonce === undefined) refuseSigned("nonce_required");
  if (typeof nonce !== "string" || nonce === "" || nonce.length > MAX_NONCE_LENGTH) refuseSigned("invalid_nonce");
  const text = textOf(request, found, hasContent);
  if (!hosts.has(request.url.host)) refuseSigned("bad_signature");
  if (request.field("signature") === undefined) refuseSigned("signature_missing");
  if (signature === null) refuseSigned("signature_input_invalid");
  return {
    address: address as Address,
    signature: `0x${bytesToHex(signature)}`,
    text,
    createdAt,
    id: `${keyid}:${nonce}`,
    digest: digestOf(request.field("content-digest")),
  };
}

/** The one signature of a wallet; null without one. */
function candidateOf(request: ReceivedRequest): RequestSignature | null {
  const fields = [request.field("signature-input"), request.field("signature")];
  if (!maySign(fields[0])) return null;
  if (fields.some((field) => field !== undefined && field.length > MAX_FIELD_LENGTH))
    refuseSigned("signature_too_large");
  let all: RequestSignature[];
  try {
    all = signaturesOf(request, TAG);
  } catch {
    return refuseSigned("signature_input_invalid");
  }
  const [found = null] = all;
  if (all.length > 1 || (found && (found.components.length > MAX_COMPONENTS || found.parameters.size > MAX_PARAMETERS)))
    refuseSigned("signature_too_large");
  return found;
}

/** @param now seconds @returns when it was created, milliseconds since the epoch */
function checkTimes({ parameters }: RequestSignature, now: number): number {
  const [created, expires] = [parameters.get("created"), parameters.get("expires")];
  if (typeof created !== "number" || typeof expires !== "number") return refuseSigned("invalid_time");
  if (!Number.isInteger(created) || !Number.isInteger(expires) || expires <= created) refuseSigned("invalid_time");
  if (expires - created > MAX_SIGNED_SECONDS) refuseSigned("request_validity_too_long");
  if (now < created - CLOCK_SKEW_SECONDS) refuseSigned("request_not_yet_valid");
  if (now > expires + CLOCK_SKEW_SECONDS) refuseSigned("request_expired");
  return created * 1000;
}

function textOf(request: ReceivedRequest, found: RequestSignature, hasContent: boolean): string {
  const sent = ["content-digest", "content-type"].filter((name) => request.field(name) !== undefined);
  if (hasContent && !sent.includes("content-digest")) refuseSigned("content_digest_required");
  const covered = new Set(found.components.map(([name]) => name));
  const isBound = [...BOUND, ...sent].every((name) => covered.has(name));
  return (isBound && signedText(request, found)) || refuseSigned("insufficient_coverage");
}

/** The SHA-256 in a field; other algorithms are ignored, as the draft lets a service. */
function digestOf(field: string | undefined): Uint8Array | null {
  if (field === undefined) return null;
  try {
    const [value] = parseDictionary(field).get("sha-256") ?? [];
    if (value instanceof ArrayBuffer && value.byteLength === 32) return new Uint8Array(value);
  } catch {}
  return refuseSigned("bad_content_digest");
}
