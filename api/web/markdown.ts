/** The pages of the terminal as Markdown, for programs of language models that ask for it by Accept. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plainMarkdown, quotedMarkdown } from "../../core/quoted.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import type { Endpoint } from "../endpoint.ts";
import { toJsonSchema } from "../json-schema.ts";
import { parameters } from "../openapi/parameters.ts";
import { type PageHead, summaryOf } from "./head.ts";
import type { DocTitles } from "./subjects.ts";

export const MARKDOWN = "text/markdown";

const GUIDES = join(PROJECT_ROOT, "docs/use");

/** What every page leads to. */
const FURTHER = `## Further

- [This service for language models](/llms.txt)
- [Skills](/.well-known/agent-skills/index.json)
- [The API](/openapi.json)
`;

/** A page about a subject: what the service says of it, then its own words, and where the same is as JSON. */
export function markdownOf(head: PageHead): string {
  const { heading, says, ownWords, source } = summaryOf(head);
  // In angle brackets, because an id that an agent chose may have parentheses.
  const links = [
    ...(source === null ? [] : [`- [The same as JSON, and more](<${source}>)`]),
    ...(head.canonical === null ? [] : [`- [The page](<${head.canonical}>)`]),
  ];
  return [
    `# ${plainMarkdown(heading)}`,
    plainMarkdown(says),
    ...(ownWords === null ? [] : [quotedMarkdown(ownWords)]),
    ...(links.length > 0 ? [links.join("\n")] : []),
    FURTHER,
  ].join("\n\n");
}

/** The pages of the docs: the name of each and, as Markdown, its text. */
export type Docs = { titles: DocTitles; text(path: string): string | null };

/** @param overview the page for language models */
export function docsOf(endpoints: readonly Endpoint[], overview: () => string): Docs {
  const operations = new Map(endpoints.map((each) => [each.operationId, each]));
  const operationAt = (path: string) => operations.get(/^\/docs\/([A-Za-z0-9]+)$/.exec(path)?.[1] ?? "");
  const guideAt = (path: string) => {
    const [, name] = /^\/docs\/guide\/([a-z0-9-]+)$/.exec(path) ?? [];
    return name === undefined ? null : guideText(name);
  };
  return {
    titles(path) {
      const operation = operationAt(path);
      if (operation) {
        const { method, summary } = operation;
        return { title: `${summary} · API`, says: `${method.toUpperCase()} ${operation.path}: ${summary}.` };
      }
      const [, title, says] = /^# (.+)\n+(.+)/.exec(guideAt(path) ?? "") ?? [];
      return title && says ? { title: `${title} · Guide`, says: withoutMarkup(says) } : null;
    },
    text(path) {
      if (path === "/" || path === "/docs") return overview();
      const operation = operationAt(path);
      return operation ? operationText(operation) : guideAt(path);
    },
  };
}

/** The first sentence of a paragraph of Markdown, as plain text. */
const withoutMarkup = (markdown: string): string =>
  markdown
    .replaceAll(LINK, "$1")
    .replaceAll(/[`*]/g, "")
    .replace(/(?<=[.!?])\s.*$/, "");

const guides = new Map<string, string | null>();
/** @returns null where there is no such guide */
function guideText(name: string): string | null {
  let text = guides.get(name);
  if (text === undefined) {
    try {
      text = readFileSync(join(GUIDES, `${name}.md`), "utf8").replaceAll(LINK, linked);
    } catch {
      return null;
    }
    guides.set(name, text);
  }
  return text;
}

const LINK = /(?<!!)\[([^[\]\n]+)\]\((?!https?:|#|\/)([^()\s]+)\)/g;
/** Links between guides lead to their pages; other files of the repository are not served, and are named only. */
function linked(_: string, text: string, href: string): string {
  const [, guide, place = ""] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return guide === undefined ? text : `[${text}](/docs/guide/${guide}${place})`;
}

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: object };

function operationText(endpoint: Endpoint): string {
  const { method, path, summary, description, body, responses } = endpoint;
  const taken = parameters(endpoint, {}) as Parameter[];
  const parts = [
    `# ${method.toUpperCase()} ${path}`,
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(taken.length === 0 ? [] : [`## Parameters\n\n${taken.map(parameterLine).join("\n")}`]),
    ...(body === undefined
      ? []
      : [`## Body\n\n\`\`\`json\n${JSON.stringify(toJsonSchema(body, "input"), null, 1)}\n\`\`\``]),
    `## Answers\n\n${Object.entries(responses)
      .map(([status, answer]) => `- ${status}: ${answer.description}`)
      .join("\n")}`,
    FURTHER,
  ];
  return parts.join("\n\n");
}

const parameterLine = ({ name, in: place, required, description, schema }: Parameter): string =>
  [
    `- \`${name}\` (${place}${required ? ", required" : ""})`,
    ...(description === undefined ? [] : [description]),
    `\`${JSON.stringify(schema)}\``,
  ].join(": ");
