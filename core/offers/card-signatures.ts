/**
 * Whether an A2A agent card is signed by a key of the host it was read from: a JWS each (RFC 7515) with detached payload over
 * the card's canonical form without `signatures`. It says who served the card, and nothing about whether it is true.
 * @see https://a2a-protocol.org/latest/specification/#84-agent-card-signing
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256, p384 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import { inVersion1 } from "../agent-card-signatures.ts";
import { canonicalBytes } from "../canonical-json.ts";
import { urlOf } from "../urls.ts";
import { listOf } from "./offer.ts";

type Json = Record<string, unknown>;

/** What a signature claims, before its key is known. `jku`: where that is published. */
export type ClaimedSignature = {
  protected: string;
  signature: Uint8Array;
  alg: string;
  kid: string | null;
  jku: string;
};

/** Max signatures of a card that are checked. */
const MAX_SIGNATURES = 2;
const MAX_TEXT = 2_000;

/**
 * Whether only the owner of a host can put a file at a URL (RFC 8615): elsewhere a host that many people use, such as one of
 * files, may serve anybody's files.
 */
const isOwners = ({ pathname }: URL): boolean => /^\/\.well-known\/[^%\\]+$/.test(pathname);

/**
 * The signatures of a card that name a key of its host: at the `jku` of their header, or where a host publishes its keys.
 * The keys or the card that names them must be in `/.well-known/`, or they say nothing of the host.
 */
export function signaturesOfHost(card: Json, cardUrl: string): ClaimedSignature[] {
  const host = urlOf(cardUrl);
  if (host === null) return [];
  return listOf(card.signatures)
    .slice(0, MAX_SIGNATURES)
    .flatMap(({ protected: header, signature }) => {
      const said = headerOf(header);
      const bytes = decoded(signature);
      if (said === null || bytes === null || typeof said.alg !== "string" || !Object.hasOwn(VERIFY, said.alg))
        return [];
      // A header that must be understood is not understood here.
      if (said.crit !== undefined || said.b64 !== undefined) return [];
      const jku = urlOf(typeof said.jku === "string" ? said.jku : "/.well-known/jwks.json", host);
      if (jku?.origin !== host.origin || !(isOwners(jku) || isOwners(host))) return [];
      const kid = typeof said.kid === "string" ? said.kid : null;
      return [{ protected: header as string, signature: bytes, alg: said.alg, kid, jku: jku.href }];
    });
}

/** Whether a signature of a card holds by a key of a set of keys. @param keys a JWK set, as it was published */
export function isSigned(card: Json, claimed: ClaimedSignature, keys: unknown): boolean {
  const all = listOf((keys as Json | null)?.keys);
  const key = claimed.kid === null ? all[0] : all.find(({ kid }) => kid === claimed.kid);
  if (!key || (key.alg !== undefined && key.alg !== claimed.alg)) return false;
  const verify = VERIFY[claimed.alg]!;
  return formsOf(card).some((form) => {
    try {
      return verify(claimed.signature, utf8ToBytes(`${claimed.protected}.${base64urlnopad.encode(form)}`), key);
    } catch {
      return false;
    }
  });
}

/**
 * What signers canonicalize: the card as it was sent, what a typed writer of it has (no empty members), and the members
 * of version 1.0 alone.
 */
function formsOf({ signatures: _, ...card }: Json): Uint8Array[] {
  const forms = [card, withoutEmpty(card) as Json, inVersion1(card)];
  return [...new Map(forms.map(canonicalBytes).map((bytes) => [base64urlnopad.encode(bytes), bytes])).values()];
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((each) => !isEmpty(each));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, withoutEmpty(each)] as const)
      .filter(([, each]) => !isEmpty(each)),
  );
}
const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

type Verify = (signature: Uint8Array, signed: Uint8Array, key: Json) => boolean;
const ofCurve =
  (crv: string, curve: typeof p256): Verify =>
  (signature, signed, { crv: named, x, y }) =>
    named === crv &&
    curve.verify(signature, signed, concatBytes(new Uint8Array([4]), decoded(x)!, decoded(y)!), { lowS: false });

const VERIFY: Record<string, Verify> = {
  ES256: ofCurve("P-256", p256),
  ES384: ofCurve("P-384", p384),
  ES256K: ofCurve("secp256k1", secp256k1),
  EdDSA: (signature, signed, { crv, x }) => crv === "Ed25519" && ed25519.verify(signature, signed, decoded(x)!),
};

function decoded(raw: unknown): Uint8Array | null {
  if (typeof raw !== "string" || raw.length > MAX_TEXT) return null;
  try {
    return base64urlnopad.decode(raw.replace(/={1,2}$/, ""));
  } catch {
    return null;
  }
}

function headerOf(raw: unknown): Json | null {
  const bytes = decoded(raw);
  if (bytes === null) return null;
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return header !== null && typeof header === "object" && !Array.isArray(header) ? (header as Json) : null;
  } catch {
    return null;
  }
}
