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
  /** What the content has to hash to; none for a request without content. */
  digests: readonly { algorithm: "sha256" | "sha512"; value: Uint8Array }[];
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
const ALGORITHMS = { "sha-256": ["sha256", 32], "sha-512": ["sha512", 64] } as const;

/** The codes of the draft's section 6 that are answered here; the first two are of what cannot be read. */
type Reason =
  | "signature_input_invalid"
  | "signature_too_large"
  | "signature_missing"
  | "invalid_keyid"
  | "unsupported_chain"
  | "invalid_time"
  | "request_not_yet_valid"
  | "request_expired"
  | "request_validity_too_long"
  | "invalid_nonce"
  | "insufficient_coverage"
  | "content_digest_required"
  | "bad_content_digest"
  | "nonce_required"
  | "nonce_reused"
  | "unsupported_algorithm"
  | "bad_signature";

/** Refuses a signed request. @throws Failure unauthenticated; invalid_input for signatures that cannot be read */
export function refuseSigned(reason: Reason, sentence: string): never {
  const isUnreadable = reason === "signature_input_invalid" || reason === "signature_too_large";
  fail(isUnreadable ? "invalid_input" : "unauthenticated", sentence, {
    hint: "Sign each request anew by ERC-8128: docs/guide/signing-in has the components and parameters.",
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
  if (parameters.has("alg")) refuseSigned("unsupported_algorithm", "The signature must have no parameter alg.");
  const keyid = parameters.get("keyid");
  const [, chain, address] = (typeof keyid === "string" && ACCOUNT.exec(keyid)) || [];
  if (address === undefined)
    refuseSigned("invalid_keyid", `The signature's keyid must be eip155:${chainId}:{address}, in lower case.`);
  if (chain !== String(chainId))
    refuseSigned("unsupported_chain", `The signature's keyid must be of chain ${chainId}.`);
  const createdAt = checkTimes(found, now);
  const nonce = parameters.get("nonce");
  if (nonce === undefined) refuseSigned("nonce_required", "The signature needs a nonce.");
  if (typeof nonce !== "string" || nonce === "" || nonce.length > MAX_NONCE_LENGTH)
    refuseSigned("invalid_nonce", `The signature's nonce must be a string of 1 to ${MAX_NONCE_LENGTH} characters.`);
  const text = textOf(request, found, hasContent);
  if (!hosts.has(request.url.host))
    refuseSigned("bad_signature", "The request is signed for a host that is not this service's.");
  if (request.field("signature") === undefined) refuseSigned("signature_missing", "The field Signature is missing.");
  if (signature === null) refuseSigned("signature_input_invalid", "Signature has no bytes of the label.");
  return {
    address: address as Address,
    signature: `0x${bytesToHex(signature)}`,
    text,
    createdAt,
    id: `${keyid}:${nonce}`,
    digests: digestsOf(request.field("content-digest")),
  };
}

/** The one signature of a wallet; null without one. */
function candidateOf(request: ReceivedRequest): RequestSignature | null {
  const fields = [request.field("signature-input"), request.field("signature")];
  if (!maySign(fields[0])) return null;
  if (fields.some((field) => field !== undefined && field.length > MAX_FIELD_LENGTH))
    refuseSigned("signature_too_large", `Signature and Signature-Input may have ${MAX_FIELD_LENGTH} characters each.`);
  let all: RequestSignature[];
  try {
    all = signaturesOf(request, TAG);
  } catch {
    return refuseSigned("signature_input_invalid", "Signature or Signature-Input is no dictionary (RFC 9651).");
  }
  const [found = null, ...others] = all;
  if (others.length > 0) refuseSigned("signature_too_large", "A request may carry one signature of a wallet.");
  if (found && (found.components.length > MAX_COMPONENTS || found.parameters.size > MAX_PARAMETERS))
    refuseSigned(
      "signature_too_large",
      `A signature may have ${MAX_COMPONENTS} components and ${MAX_PARAMETERS} parameters.`,
    );
  return found;
}

/** @returns when it was created, milliseconds since the epoch */
function checkTimes({ parameters }: RequestSignature, now: number): number {
  const [created, expires] = [parameters.get("created"), parameters.get("expires")];
  if (!Number.isInteger(created) || !Number.isInteger(expires) || expires! <= created!)
    return refuseSigned("invalid_time", "The signature needs created and a later expires, both in whole seconds.");
  const [from, to] = [created as number, expires as number];
  if (to - from > MAX_SIGNED_SECONDS)
    refuseSigned("request_validity_too_long", `A signature may be good for ${MAX_SIGNED_SECONDS} seconds.`);
  if (now / 1000 < from - CLOCK_SKEW_SECONDS)
    refuseSigned("request_not_yet_valid", "The signature is dated in the future. Check the clock of the signer.");
  if (now / 1000 > to + CLOCK_SKEW_SECONDS) refuseSigned("request_expired", "The signature has expired.");
  return from * 1000;
}

/** The text that was signed, which binds the signature to this request. */
function textOf(request: ReceivedRequest, found: RequestSignature, hasContent: boolean): string {
  const sent = ["content-digest", "content-type"].filter((name) => request.field(name) !== undefined);
  if (hasContent && !sent.includes("content-digest"))
    refuseSigned("content_digest_required", "A signed request with content needs Content-Digest (RFC 9530).");
  const covered = new Set(found.components.map(([name]) => name));
  const missing = [...BOUND, ...sent].filter((name) => !covered.has(name));
  if (missing.length > 0) refuseSigned("insufficient_coverage", `The signature must cover ${missing.join(", ")} too.`);
  const text = signedText(request, found);
  if (text !== null) return text;
  return refuseSigned(
    "insufficient_coverage",
    `The signature may cover ${BOUND.join(", ")} and fields that the request has, each once and without parameters.`,
  );
}

/** The digests in a field that are of a known algorithm. */
function digestsOf(field: string | undefined): SignedRequest["digests"] {
  if (field === undefined) return [];
  const digests: SignedRequest["digests"][number][] = [];
  try {
    for (const [name, [value]] of parseDictionary(field)) {
      if (!Object.hasOwn(ALGORITHMS, name)) continue;
      const [algorithm, length] = ALGORITHMS[name as keyof typeof ALGORITHMS];
      if (!(value instanceof ArrayBuffer) || value.byteLength !== length) throw new Error("no digest");
      digests.push({ algorithm, value: new Uint8Array(value) });
    }
  } catch {
    digests.length = 0;
  }
  if (digests.length === 0) refuseSigned("bad_content_digest", "Content-Digest must have a sha-256 (RFC 9530).");
  return digests;
}
