/** The pages of the terminal as Markdown, for programs of language models that ask for it by Accept. */
import {
  answerType,
  exampleOf,
  type OpenApi,
  type Operation,
  operationsOf,
  PAYMENTS,
  type Parameter,
} from "../../core/described-operations.ts";
import { type PriceList, priceUnits, shownPrice } from "../../core/payments/prices.ts";
import { plainMarkdown, quotedMarkdown } from "../../core/quoted.ts";
import { LANGUAGES } from "../../core/request-samples.ts";
import type { Endpoint } from "../endpoint.ts";
import { guides } from "../guides.ts";
import { toJsonSchema } from "../json-schema.ts";
import { type PageHead, summaryOf } from "./head.ts";
import type { DocTitles } from "./subjects.ts";

export const MARKDOWN = "text/markdown";

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

/** What the pages of the docs are made of: the page for language models, and document and prices of now. */
type DocSources = { overview(): string; document(): OpenApi; prices(): PriceList };

export function docsOf(endpoints: readonly Endpoint[], { overview, document, prices }: DocSources): Docs {
  const byId = new Map(endpoints.map((each) => [each.operationId, each]));
  const endpointAt = (path: string) => byId.get(/^\/docs\/([A-Za-z0-9]+)$/.exec(path)?.[1] ?? "");
  const guideAt = (path: string) => guides().get(/^\/docs\/guide\/([a-z0-9-]+)$/.exec(path)?.[1] ?? "");
  return {
    titles(path) {
      const endpoint = endpointAt(path);
      if (endpoint) {
        const { method, summary } = endpoint;
        return { title: `${summary} · API`, says: `${method.toUpperCase()} ${endpoint.path}: ${summary}.` };
      }
      const guide = guideAt(path);
      return guide ? { title: `${guide.title} · Guide`, says: guide.says } : null;
    },
    text(path) {
      if (path === "/" || path === "/docs") return overview();
      const endpoint = endpointAt(path);
      return endpoint ? operationText(endpoint, document(), prices()) : (guideAt(path)?.text ?? null);
    },
  };
}

/** An operation on one page: what it does, costs and needs, a call, and everything it takes and answers. */
function operationText({ operationId, path, body, guard }: Endpoint, document: OpenApi, prices: PriceList): string {
  const operation = operationsOf(document).find(
    ({ id, aliases }) => id === operationId || aliases.some((alias) => alias.id === operationId),
  )!;
  const { method, summary, description, parameters } = operation;
  const parts = [
    `# ${method.toUpperCase()} ${path}`,
    `${summary}.`,
    description,
    `${costOf(guard.price, prices)} ${signInOf(operation)}`,
    `## Call\n\n${fenced("sh", callOf(operation, document))}`,
    ...(parameters.length === 0 ? [] : [`## Parameters\n\n${parameters.map(parameterLine).join("\n")}`]),
    ...(body === undefined ? [] : [`## Body\n\n${fenced("json", written(toJsonSchema(body, "input")))}`]),
    `## Answers\n\n${operation.responses.map((outcome) => outcomeText(outcome, document)).join("\n")}`,
    FURTHER,
  ];
  return parts.join("\n\n");
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
const written = (value: unknown): string => JSON.stringify(value, null, 1);

const costOf = (price: Endpoint["guard"]["price"], list: PriceList): string =>
  price !== undefined && priceUnits(price, list) > 0n
    ? `It costs ${shownPrice(price, list)} USDC: [Payments](/docs/guide/payments).`
    : "It costs nothing.";

const signInOf = ({ signsIn, schemes }: Operation): string =>
  signsIn
    ? `It needs a credential, one of: ${[...schemes].filter((scheme) => !PAYMENTS.has(scheme)).join(", ")}. [Signing in](/docs/guide/signing-in) says how to make one.`
    : "It needs no credential.";

/** The operation called with the values that its document has as examples. */
function callOf(operation: Operation, document: OpenApi): string {
  const { method, path, parameters, body, schemes, signsIn } = operation;
  const given = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.required)
        .map(({ name, example, schema }) => [name, String(example ?? schema.enum?.[0] ?? schema.minimum ?? "")]),
    );
  return LANGUAGES.curl({
    ...{ method, path, places: given("path"), query: given("query"), baseUrl: document.servers[0].url },
    ...(body && { body: JSON.stringify(exampleOf(document, body)) }),
    credential: schemes.has("apiKey") ? "apiKey" : signsIn ? "wallet" : "none",
    isPriced: schemes.has("x402"),
    answersJson: answerType(operation)?.includes("json") ?? false,
  });
}

/** Of a success with the JSON it answers, made of the schema's examples. */
function outcomeText({ status, description, type, schema }: Operation["responses"][number], document: OpenApi): string {
  const line = `- ${status}: ${description}`;
  if (!status.startsWith("2") || type === null) return line;
  if (!type.includes("json") || schema === null) return `${line}, ${type}`;
  return `${line}, for example\n\n${fenced("json", written(exampleOf(document, schema)))}\n`;
}

const parameterLine = ({ name, in: place, required, description, schema }: Parameter): string =>
  [
    `- \`${name}\` (${place}${required ? ", required" : ""})`,
    ...(description === undefined ? [] : [description]),
    `\`${JSON.stringify(schema)}\``,
  ].join(": ");
