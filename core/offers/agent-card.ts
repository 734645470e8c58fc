/** Reads A2A agent cards: the skills of an agent. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256, p384 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import { inVersion1 } from "../agent-card-signatures.ts";
import { canonicalBytes } from "../canonical-json.ts";
import { urlOf } from "../urls.ts";
import { parseDocument } from "./document.ts";
import { listOf, offersOf } from "./offer.ts";
import { type EndpointAnswer, type EndpointReading, type OfferReader, type Send, withoutContent } from "./reader.ts";

type Json = Record<string, unknown>;

/** What a signature claims, before its key is known. `jku`: where that is published. */
type ClaimedSignature = {
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
function signaturesOfHost(card: Json, cardUrl: string): ClaimedSignature[] {
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
function isSigned(card: Json, claimed: ClaimedSignature, keys: unknown): boolean {
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

/**
 * Where a card is, in the order in which it is looked for: at the address itself where that names a card; else below the
 * agent's own path before the root of its host, which several agents may share.
 */
function placesOf(endpoint: string): string[] {
  const url = urlOf(endpoint);
  if (url === null) return [];
  if (/\.json$/i.test(url.pathname) || url.pathname.includes("/.well-known/")) return [endpoint];
  const folder = `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
  return [
    ...new Set([
      `${folder}/.well-known/agent-card.json`,
      `${url.origin}/.well-known/agent-card.json`,
      `${url.origin}/.well-known/agent.json`,
    ]),
  ];
}

export const agentCard: OfferReader = {
  async read(endpoint, send, conditional) {
    let found: EndpointReading = { kind: "unreadable", why: "The address is no URL." };
    for (const url of placesOf(endpoint)) {
      const request = { url, headers: { accept: "application/json", ...conditional } };
      const { reading, signed } = await send(request, (answer) => ({
        reading: readAnswer(answer),
        // A redirect leads to another host's card, which its host has signed.
        signed: urlOf(answer.url)?.origin === urlOf(endpoint)?.origin ? signedIn(answer) : null,
      }));
      if (reading.kind === "offers") return { ...reading, isSigned: await isSignedByHost(signed, send) };
      if (reading.kind !== "unreadable" && reading.kind !== "needs_credentials") return reading;
      // The next address may answer without a credential; this one shows at least that the endpoint lives.
      if (found.kind !== "needs_credentials") found = reading;
    }
    return found;
  },
};

type SignedCard = { card: Record<string, unknown>; claimed: ClaimedSignature[] };

/** Max characters of a card whose signatures are checked: its canonical form is made several times. */
const MAX_SIGNED = 131_072;

/** The signatures that a card has by keys of its host; null for none. */
function signedIn({ status, text, url }: EndpointAnswer): SignedCard | null {
  if (status !== 200 || text.length > MAX_SIGNED || !text.includes('"signatures"')) return null;
  const card = parseDocument(text) as Record<string, unknown> | undefined;
  const claimed = card === undefined ? [] : signaturesOfHost(card, url);
  return claimed.length > 0 ? { card: card!, claimed } : null;
}

/** Reads the keys that the first signature names. A failure to read them does not affect the card's offers. */
async function isSignedByHost(signed: SignedCard | null, send: Send): Promise<boolean> {
  if (signed === null) return false;
  const [{ jku }] = signed.claimed as [ClaimedSignature];
  const request = { url: jku, headers: { accept: "application/json" } };
  const isOfHost = ({ status, url, text }: EndpointAnswer): boolean => {
    if (status !== 200 || text.length > MAX_SIGNED || urlOf(url)?.origin !== urlOf(jku)?.origin) return false;
    const keys = parseDocument(text);
    return signed.claimed.some((claimed) => claimed.jku === jku && isSigned(signed.card, claimed, keys));
  };
  return send(request, isOfHost).catch(() => false);
}

function readAnswer(answer: EndpointAnswer): EndpointReading {
  const { status } = answer;
  const known = withoutContent(status);
  if (known) return known;
  return status === 200 ? readCard(answer) : { kind: "unreadable", why: `The card is not there (${status}).` };
}

function readCard({ text, headers }: EndpointAnswer): EndpointReading {
  const card = parseDocument(text) as Record<string, unknown> | undefined;
  if (card === undefined) return { kind: "unreadable", why: "The card is not JSON." };
  if (typeof card.name !== "string" || !Array.isArray(card.skills))
    return { kind: "unreadable", why: "The document is no agent card." };
  const endpoint = endpointOf(card);
  const offers = offersOf(
    listOf(card.skills).map(({ id, name, description, tags }) => ({
      kind: "skill",
      name: name ?? id,
      description,
      tags,
      endpoint,
    })),
  );
  return { kind: "offers", offers, etag: headers.etag ?? null, lastModified: headers["last-modified"] ?? null };
}

/** The first address of a card that can be called by HTTP: other bindings have addresses of their own kind. */
const endpointOf = (card: Record<string, unknown>): unknown =>
  [card.url, ...[...listOf(card.supportedInterfaces), ...listOf(card.additionalInterfaces)].map(({ url }) => url)].find(
    (url) => typeof url === "string" && /^https?:\/\//i.test(url),
  );
