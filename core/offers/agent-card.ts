/** Reads A2A agent cards: the skills of an agent. */
import { urlOf } from "../urls.ts";
import { parseDocument } from "./document.ts";
import { listOf, offersOf } from "./offer.ts";
import { type EndpointAnswer, type OfferReader, type Reading, withoutContent } from "./reader.ts";

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
    let found: Reading = { kind: "unreadable", why: "The address is no URL." };
    for (const url of placesOf(endpoint)) {
      const reading = await send({ url, headers: { accept: "application/json", ...conditional } }, readAnswer);
      if (reading.kind !== "unreadable" && reading.kind !== "needs_credentials") return reading;
      // A place that asks for a credential tells nothing of the next one; it tells that somebody is there.
      if (found.kind !== "needs_credentials") found = reading;
    }
    return found;
  },
};

function readAnswer(answer: EndpointAnswer): Reading {
  const { status } = answer;
  const known = withoutContent(status);
  if (known) return known;
  return status === 200 ? readCard(answer) : { kind: "unreadable", why: `The card is not there (${status}).` };
}

function readCard({ text, headers }: EndpointAnswer): Reading {
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
