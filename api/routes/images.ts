/** The pictures of an agent: its card as PNG or WebP, under two names, and its badge as SVG. */
import { z } from "zod";
import { credBadge } from "../../core/agents/badge.ts";
import type { Networks } from "../../core/callers/shares.ts";
import { cardFacts } from "../../core/card/facts.ts";
import { cardHash } from "../../core/card/hash.ts";
import { type Preview, previewHash } from "../../core/card/preview.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { IMAGE_TYPES } from "../../core/directory/embedded-image.ts";
import { terminalRow } from "../../core/directory/row.ts";
import { fail } from "../../core/errors.ts";
import { imageHash } from "../../core/views/agent.ts";
import {
  COLLECTION_SVG,
  contractMetadataSchema,
  contractMetadataView,
  metadataSchema,
  metadataView,
} from "../../core/views/metadata.ts";
import { agentPreview, PAGE_KEYS, pagePreview, versionOf } from "../../core/views/previews.ts";
import { embeddedImageOf } from "../../db/directory/registration.ts";
import { directoryRows, findDirectoryId } from "../../db/directory/rows.ts";
import { CACHE, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { accepts } from "../http/accept.ts";
import { choice, fileOf, tokenId } from "../parameters.ts";
import type { Reply } from "../reply.ts";
import { factsOf } from "../services/agent-facts.ts";
import { ofPlatform, ref, unknownAgent } from "./directory-agent.ts";

const endpoint = endpointsOf({ tag: "Images" });

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
    path: `/api/v2/${name}/{file}`,
    operationId,
    summary,
    description:
      "The same bytes for the same state of the agent, so that the ETag is a hash of that state. A client whose Accept names image/webp gets WebP: about half the bytes, with small differences of colour.",
    data: true,
    params: z.object({ file: fileOf("png") }),
    query: z.object({ size, v: version }),
    responses: { 200: { description: "The picture", type: ["image/png", "image/webp"] } },
    errors: ["not_found", "overloaded"],
    cache: CACHE.release,
    async handler({ deps, params, query, at, networks, header }) {
      const facts = await factsOf(deps.facts, { tokenId: params.file });
      const state = cardFacts(facts, { now: at, serviceName: deps.site.serviceName });
      const format = accepts(header("accept"), "image/webp") ? "webp" : "png";
      const current = query.v === imageHash(facts, deps.site, at);
      return {
        status: 200,
        type: `image/${format}`,
        content: {
          etag: `"${cardHash(state)}-${query.size}${format === "png" ? "" : `-${format}`}"`,
          make: () => deps.cards.picture(state, query.size, format, networks),
        },
        headers: { vary: "Accept", ...(current && { "cache-control": FOR_EVER }) },
      };
    },
  });

/** A preview as PNG; kept for ever at an address that names its present state. */
function previewAnswer(
  preview: Preview,
  {
    deps,
    query,
    networks,
  }: { deps: Pick<HandlerDeps, "cards">; query: { v?: string | undefined }; networks: Networks },
): Reply {
  return {
    status: 200,
    type: "image/png",
    content: {
      etag: `"${previewHash(preview)}"`,
      make: () => deps.cards.picture(preview, "og", "png", networks),
    },
    headers: query.v === versionOf(preview) ? { "cache-control": FOR_EVER } : {},
  };
}

export const agentPicture = endpoint({
  path: "/api/terminal/agent/{ref}/card.png",
  operationId: "getTerminalCard",
  summary: "The picture of a shared link to any agent of the directory, 1200×630",
  data: true,
  params: z.object({ ref }),
  query: z.object({ platform: ofPlatform, v: version }),
  responses: { 200: { description: "The picture", type: "image/png" } },
  errors: ["not_found", "overloaded"],
  cache: CACHE.release,
  async handler(call) {
    const { deps, params, query } = call;
    const { site } = deps;
    const id = await findDirectoryId(deps.db, params.ref, query.platform);
    const [row] = id === null ? [] : await directoryRows(deps.db, [id]);
    return row ? previewAnswer(agentPreview(terminalRow(row, site.publicUrl), site), call) : unknownAgent();
  },
});

/** Of a document nothing runs, nothing is loaded and no browser opens it; pages show it by `<img>`. */
const AS_PICTURE = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "content-disposition": "attachment",
};

export const agentImage = endpoint({
  method: "get",
  path: "/api/terminal/agent/{ref}/image",
  operationId: "getTerminalImage",
  summary: "The picture that an agent's ERC-8004 registration file has in itself",
  description:
    "PNG, JPEG, GIF, WebP, AVIF or SVG of at most 32 KiB, as its author wrote it. A picture behind a link is not served.",
  params: z.object({ ref }),
  query: z.object({ platform: ofPlatform }),
  responses: { 200: { description: "The picture", type: IMAGE_TYPES } },
  errors: ["not_found"],
  async handler({ deps: { db }, params, query }) {
    const id = await findDirectoryId(db, params.ref, query.platform);
    const image = id === null ? unknownAgent() : await embeddedImageOf(db, id);
    if (image === null) return fail("not_found", "The agent's registration file has no picture in itself.");
    return { status: 200, type: image.type, content: image.bytes, headers: AS_PICTURE };
  },
});

export const pagePicture = endpoint({
  path: "/api/v2/preview/{file}",
  operationId: "getPagePreview",
  summary: "The picture of a shared link to a page of the terminal, 1200×630",
  params: z.object({ file: z.enum(PAGE_KEYS.map((page) => `${page}.png`)) }),
  query: z.object({ v: version }),
  responses: { 200: { description: "The picture", type: "image/png" } },
  errors: ["overloaded"],
  cache: CACHE.release,
  handler(call) {
    const page = PAGE_KEYS.find((key) => call.params.file === `${key}.png`)!;
    return previewAnswer(pagePreview(page, call.deps.site), call);
  },
});

export const aura = card("aura", "getAura", "An agent's card, as the token's image names it");
export const cardImage = card("card", "getCard", "An agent's card");

export const collectionImage = endpoint({
  path: "/api/v2/collection.svg",
  operationId: "getCollectionImage",
  summary: "The picture of all identity tokens together, as the contract's metadata names it",
  responses: { 200: { description: "The picture", type: "image/svg+xml" } },
  cache: CACHE.release,
  handler: () => ({ status: 200, type: "image/svg+xml; charset=utf-8", content: COLLECTION_SVG }),
});

export const badge = endpoint({
  path: "/api/v2/badge/{file}",
  operationId: "getBadge",
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
  async handler({ deps, params, query, at }) {
    const facts = await factsOf(deps.facts, { tokenId: params.file });
    const { score } = shownCred(facts, at);
    return {
      status: 200,
      type: "image/svg+xml; charset=utf-8",
      content: credBadge({ score, ...(query.label !== undefined && { label: query.label }) }),
    };
  },
});

export const contractMetadata = endpoint({
  path: "/api/v2/metadata/contract",
  operationId: "getContractMetadata",
  tag: "Agents",
  summary: "ERC-7572 metadata of the identity contract",
  responses: { 200: { description: "The metadata", schema: contractMetadataSchema } },
  cache: CACHE.release,
  handler: ({ deps }, json) => json(contractMetadataView(deps.site)),
});

export const metadata = endpoint({
  path: "/api/v2/metadata/{id}",
  operationId: "getMetadata",
  tag: "Agents",
  summary: "ERC-721 metadata of an identity token",
  data: true,
  params: z.object({ id: tokenId }),
  responses: { 200: { description: "The metadata", schema: metadataSchema } },
  errors: ["not_found"],
  cache: CACHE.minute,
  async handler({ deps, params, at }, json) {
    const facts = await factsOf(deps.facts, { tokenId: params.id });
    return json(metadataView(facts, deps.site, at));
  },
});
