/** The guides of docs/use and sdk/README.md as pages of the terminal: Markdown is read at build time, and the page makes elements of what was read. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { marked, type Token, type Tokens } from "marked";
import type { Plugin } from "vite";

/** What a page needs of a Markdown token: `raw`, and what follows from the other parts, is left out. */
type Spare = Record<string, unknown> & { type: string };

const LIST_OF_TOKENS = new Set(["tokens", "items"]);
const KEPT = new Set(["type", "text", "depth", "lang", "href", "ordered", "start", "header", "rows", "align", "id"]);

/** Where the files of the repository are served, by their path; the others are named without a link. */
function hrefOf(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = "", place] = href.split("#");
  if (path.endsWith("sdk/README.md")) return "/docs/guide/sdk";
  const guide = /^(?:\.\/|(?:\.\.\/)*docs\/use\/)?([\w-]+)\.md$/.exec(path)?.[1];
  if (guide) return `/docs/guide/${guide}${place ? `#${place}` : ""}`;
  return path.endsWith("openapi.json") ? "/api/v2/openapi.json" : null;
}

/** The name of a heading as links use it. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

function spare(token: Token): Spare {
  const own = Object.entries(token as Tokens.Generic)
    .filter(([name]) => KEPT.has(name))
    // Of a token with parts the text is said by them.
    .filter(([name]) => name !== "text" || !("tokens" in token) || token.type === "heading");
  const result: Spare = { type: token.type, ...Object.fromEntries(own) };
  if (token.type === "heading") result.id = idOf(token.text as string);
  if (token.type === "link") result.href = hrefOf((token as Tokens.Link).href);
  for (const name of LIST_OF_TOKENS)
    if (name in token) result[name] = ((token as Tokens.Generic)[name] as Token[]).map(spare);
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    const cell = ({ tokens }: Tokens.TableCell) => tokens.map(spare);
    result.header = header.map(cell);
    result.rows = rows.map((row) => row.map(cell));
  }
  return result;
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? "";

/** `guide.md` is the list of its tokens, and `guide.md?title` its title. */
export const guides: Plugin = {
  name: "guides",
  enforce: "pre",
  load(id) {
    const [path = "", query] = id.split("?");
    if (!path.endsWith(".md")) return;
    const markdown = readFileSync(path, "utf8");
    if (titleOf(markdown) === "") throw new Error(`${basename(path)} has no title`);
    const tokens = marked.lexer(markdown).filter(({ type }) => type !== "space");
    const value = query === "title" ? titleOf(markdown) : tokens.map(spare);
    return { code: `export default ${JSON.stringify(value)};`, map: null };
  },
};
