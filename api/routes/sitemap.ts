/** Sitemaps (sitemaps.org 0.9) for crawlers: the pages of the terminal, and every agent of the directory in parts. */
import { z } from "zod";
import { directoryLink } from "../../core/directory/link.ts";
import { isSpam } from "../../core/spam.ts";
import { PAGE_KEYS, PAGES } from "../../core/views/previews.ts";
import { sitemapPart, sitemapParts } from "../../db/directory/sitemap.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { documented } from "../parameters.ts";
import type { Reply } from "../reply.ts";
import { siteOf } from "../services/agent-facts.ts";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
const escaped = (url: string): string => url.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter]!);

/** @param list the root element @param item its members */
function xml(list: "urlset" | "sitemapindex", item: "url" | "sitemap", urls: readonly string[]): Reply {
  const items = urls.map((url) => `<${item}><loc>${escaped(url)}</loc></${item}>\n`).join("");
  const content = `<?xml version="1.0" encoding="UTF-8"?>\n<${list} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items}</${list}>\n`;
  return { status: 200, type: "application/xml; charset=utf-8", content };
}

export const sitemap = endpoint({
  path: "/sitemap.xml",
  operationId: "getSitemap",
  tag: "Service",
  summary: "The sitemaps of the terminal",
  responses: { 200: { description: "Their list", type: "application/xml" } },
  cache: CACHE.release,
  unlisted: true,
  async handler({ deps }) {
    const { webUrl } = siteOf(deps.config);
    const parts = Array.from({ length: await sitemapParts(deps.db) }, (_, part) => `agents-${part}`);
    return xml(
      "sitemapindex",
      "sitemap",
      ["pages", ...parts].map((name) => `${webUrl}/sitemap/${name}.xml`),
    );
  },
});

/** null: the pages. */
const file = documented(
  z.string().transform((text, ctx): { part: number | null } => {
    const named = /^(?:pages|agents-(0|[1-9]\d{0,6}))\.xml$/.exec(text);
    if (named === null) ctx.addIssue("must be pages.xml or agents-<part>.xml");
    return { part: named?.[1] === undefined ? null : Number(named[1]) };
  }),
  {
    documented: { type: "string", pattern: "^(pages|agents-(0|[1-9][0-9]{0,6}))\\.xml$" },
    description: "pages.xml, or a part of the agents",
    examples: ["pages.xml"],
  },
);

export const sitemapFile = endpoint({
  path: "/sitemap/{file}",
  operationId: "getSitemapFile",
  tag: "Service",
  summary: "One sitemap: the pages of the terminal, or a part of the directory's agents without those of spam names",
  params: z.object({ file }),
  responses: { 200: { description: "The addresses", type: "application/xml" } },
  cache: CACHE.release,
  unlisted: true,
  async handler({ deps, params }) {
    const { webUrl } = siteOf(deps.config);
    const { part } = params.file;
    if (part === null)
      return xml(
        "urlset",
        "url",
        PAGE_KEYS.map((key) => webUrl + PAGES[key][0]),
      );
    const agents = (await sitemapPart(deps.db, part)).filter(({ name }) => !isSpam(name));
    return xml(
      "urlset",
      "url",
      agents.map((agent) => directoryLink(webUrl, agent)),
    );
  },
});
