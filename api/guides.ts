/** The guides that are served beside the API: docs/use and the client library's page, as Markdown. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

/** `says`: the first sentence. */
export type Guide = { name: string; title: string; says: string; text: string };

/** The client library's page is a guide too, and lies where its package is. */
const SDK = "sdk/README.md";

let known: ReadonlyMap<string, Guide> | undefined;

/** Every guide by its name, read once. */
export function guides(): ReadonlyMap<string, Guide> {
  known ??= new Map(
    [...globSync("docs/use/*.md", { cwd: PROJECT_ROOT }).toSorted(), SDK].map((path) => {
      const name = path === SDK ? "sdk" : basename(path, ".md");
      const text = readFileSync(join(PROJECT_ROOT, path), "utf8").replaceAll(LINK, linked);
      const [, title = name, says = ""] = /^# (.+)\n+(.+)/.exec(text) ?? [];
      return [name, { name, title, says: firstSentence(says), text }];
    }),
  );
  return known;
}

const LINK = /(?<!!)\[([^[\]\n]+)\]\((?!https?:|#|\/)([^()\s]+)\)/g;
/** Links between guides lead to their pages; other files of the repository are not served, and are named only. */
function linked(_: string, text: string, href: string): string {
  if (href.endsWith(SDK)) return `[${text}](/docs/guide/sdk)`;
  const [, guide, place = ""] = /^(?:\.\/|(?:\.\.\/)*docs\/use\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return guide === undefined ? text : `[${text}](/docs/guide/${guide}${place})`;
}

/** Of a paragraph of Markdown, as plain text. */
const firstSentence = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^[\]\n]+)\]\([^()\s]+\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replace(/(?<=[.!?])\s.*$/, "");
