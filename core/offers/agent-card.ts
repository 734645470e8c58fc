/** Reads A2A agent cards: the skills of an agent. */
import { parseForeignJson } from "../foreign-json.ts";
import { urlOf } from "../urls.ts";
import { listOf, offersOf } from "./offer.ts";
import { type EndpointAnswer, type OfferReader, type Reading, withoutContent } from "./reader.ts";

/** Where a card is, in the order in which it is looked for: at the address itself where that names a card. */
function placesOf(endpoint: string): string[] {
  const url = urlOf(endpoint);
  if (url === null) return [];
  if (/\.json$/i.test(url.pathname) || url.pathname.includes("/.well-known/")) return [endpoint];
  const folder = `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
  return [
    ...new Set([
      `${url.origin}/.well-known/agent-card.json`,
      `${url.origin}/.well-known/agent.json`,
      `${folder}/.well-known/agent-card.json`,
    ]),
  ];
}

export const agentCard: OfferReader = {
  kind: "agent_card",
  protocol: "A2A",
  async read(endpoint, send, conditional) {
    let last: Reading = { kind: "unreadable", why: "The address is no URL." };
    for (const url of placesOf(endpoint)) {
      last = await send({ url, headers: { accept: "application/json", ...conditional } }, readAnswer);
      if (last.kind !== "unreadable") return last;
    }
    return last;
  },
};

function readAnswer(answer: EndpointAnswer): Reading {
  const { status } = answer;
  const known = withoutContent(status);
  if (known) return known;
  return status === 200 ? readCard(answer) : { kind: "unreadable", why: `The card is not there (${status}).` };
}

function readCard({ text, headers }: EndpointAnswer): Reading {
  let card: Record<string, unknown>;
  try {
    card = parseForeignJson(text) as Record<string, unknown>;
  } catch {
    return { kind: "unreadable", why: "The card is not JSON." };
  }
  if (card === null || typeof card !== "object" || typeof card.name !== "string" || !Array.isArray(card.skills))
    return { kind: "unreadable", why: "The document is no agent card." };
  const endpoint = card.url ?? listOf(card.supportedInterfaces)[0]?.url;
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
