/** Reads A2A agent cards: the skills of an agent. */
import { urlOf } from "../urls.ts";
import { type ClaimedSignature, isSigned, signaturesOfHost } from "./card-signatures.ts";
import { parseDocument } from "./document.ts";
import { listOf, offersOf } from "./offer.ts";
import { type EndpointAnswer, type EndpointReading, type OfferReader, type Send, withoutContent } from "./reader.ts";

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
