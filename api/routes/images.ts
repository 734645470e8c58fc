/** The pictures of an agent: its card as PNG or WebP, under two names, and its badge as SVG. */
import { z } from "zod";
import { credBadge } from "../../core/badge.ts";
import { cardFacts } from "../../core/card/facts.ts";
import { cardHash } from "../../core/card/hash.ts";
import { shownCred } from "../../core/cred.ts";
import { COLLECTION_SVG } from "../../core/views/contract-metadata.ts";
import { imageHash } from "../../core/views/image.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { accepts } from "../http/accept.ts";
import { networkOf } from "../http/client-network.ts";
import { choice, fileOf } from "../parameters.ts";
import { factsOf, siteOf } from "../services/agent-facts.ts";

/** For an address that names the state it shows. */
const FOR_EVER = "public, max-age=31536000, immutable";

const size = choice(["square", "og"], {
  default: "square",
  what: "square: 1000×1000, the token's image; og: 1200×630, for links that are shared",
});
const version = z
  .string()
  .optional()
  .meta({
    documented: { type: "string" },
    description: "Hash of the state, as in `image` of the agent: the current one makes the answer keepable for ever",
  });

const card = (name: string, operationId: string, summary: string) =>
  endpoint({
    method: "get",
    path: `/api/v2/${name}/{file}`,
    operationId,
    tag: "Images",
    summary,
    description:
      "The same bytes for the same state of the agent, so that the ETag is a hash of that state. A client whose Accept names image/webp gets WebP: about half the bytes, with small differences of colour.",
    data: true,
    params: z.object({ file: fileOf("png") }),
    query: z.object({ size, v: version }),
    responses: { 200: { description: "The picture", type: ["image/png", "image/webp"] } },
    errors: ["not_found", "overloaded"],
    cache: CACHE.release,
    async handler({ deps, params, query, now, clientAddress, header }) {
      const at = new Date(now);
      const site = siteOf(deps.config);
      const facts = await factsOf(deps.facts, { tokenId: params.file });
      const state = cardFacts(facts, { now: at, serviceName: site.serviceName });
      const format = accepts(header("accept"), "image/webp") ? "webp" : "png";
      const current = query.v === imageHash(facts, site, at);
      return {
        status: 200,
        type: `image/${format}`,
        content: {
          etag: `"${cardHash(state)}-${query.size}${format === "png" ? "" : `-${format}`}"`,
          make: () => deps.cards.picture(state, query.size, format, networkOf(clientAddress)),
        },
        headers: { vary: "Accept", ...(current && { "cache-control": FOR_EVER }) },
      };
    },
  });

export const aura = card("aura", "getAura", "An agent's card, as the token's image names it");
export const cardImage = card("card", "getCard", "An agent's card");

export const collectionImage = endpoint({
  method: "get",
  path: "/api/v2/collection.svg",
  operationId: "getCollectionImage",
  tag: "Images",
  summary: "The picture of all identity tokens together, as the contract's metadata names it",
  responses: { 200: { description: "The picture", type: "image/svg+xml" } },
  cache: CACHE.release,
  handler: () => ({ status: 200, type: "image/svg+xml; charset=utf-8", content: COLLECTION_SVG }),
});

export const badge = endpoint({
  method: "get",
  path: "/api/v2/badge/{file}",
  operationId: "getBadge",
  tag: "Images",
  summary: "An agent's score as a badge for README files and web pages",
  data: true,
  params: z.object({ file: fileOf("svg") }),
  query: z.object({
    label: z
      .string()
      .optional()
      .meta({ documented: { type: "string" }, description: "Left half of the badge; `cred` by default" }),
  }),
  responses: { 200: { description: "The badge", type: "image/svg+xml" } },
  errors: ["not_found"],
  cache: CACHE.release,
  async handler({ deps, params, query, now }) {
    const facts = await factsOf(deps.facts, { tokenId: params.file });
    const { score } = shownCred(facts, new Date(now));
    return {
      status: 200,
      type: "image/svg+xml; charset=utf-8",
      content: credBadge({ score, ...(query.label !== undefined && { label: query.label }) }),
    };
  },
});
