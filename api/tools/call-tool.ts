/**
 * Calls a tool: the endpoint's own schemas check the arguments, and the endpoint's own handler answers, in full or in short.
 * What a model is told of the arguments follows from the same schemas.
 */
import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Failure, fail } from "../../core/errors.ts";
import { quoted } from "../../core/quoted.ts";
import { FREE_CHECKOUT } from "../../payments/checkout.ts";
import { madeOnce } from "../../runtime/once.ts";
import { type Call, type Endpoint, queryOf } from "../endpoint.ts";
import { handled, showIndexedBlock } from "../handled.ts";
import { toFailure } from "../http/error-answer.ts";
import { type Json, toJsonSchema } from "../json-schema.ts";
import type { Reply } from "../reply.ts";
import { check } from "../request-input.ts";
import { shortened } from "./short-form.ts";
import { TOOLS, type Tool } from "./tools.ts";

/** The request in which the call arrived. */
export type Carrier = Call<unknown, unknown, unknown, undefined>;

/**
 * `whole`: the same rows with every member, for programs; as `json` where the call says which of the two it wants.
 * `isCut`: a text or list of the answer is not whole. `ignored`: names of arguments that the tool does not take. Hosts of
 * models add some to every call.
 */
type ToolAnswer = { json: string; whole: string; isCut: boolean; ignored: readonly string[] };
export type ToolOutcome = ({ kind: "answer" } & ToolAnswer) | { kind: "failure"; failure: Failure };

/** Ignored arguments that are named, and characters of each. */
const [MAX_IGNORED, MAX_NAME] = [20, 64];

export const toolNamed = (name: string): Tool | undefined => TOOLS.find((tool) => tool.name === name);

/**
 * Calls a tool.
 * @param given the arguments by name; null counts as left out. `full` says whether the answer is the endpoint's own.
 * @param isFull what it is where `full` is not given
 * @returns its answer, a JSON object as text, or the failure. Never throws.
 */
export async function callTool(
  tool: Tool,
  { full, ...given }: Record<string, unknown>,
  carrier: Carrier,
  isFull: boolean,
): Promise<ToolOutcome> {
  try {
    const wantsFull = /^(?:true|1)$/i.test(String(full ?? isFull));
    const answer = await answerOf(tool, given, carrier, wantsFull);
    return { kind: "answer", ...answer, ...(isGiven(full) && { whole: answer.json }) };
  } catch (error) {
    return { kind: "failure", failure: withCall(tool, toFailure(error, carrier.deps.log, carrier.requestId)) };
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

async function answerOf(
  { endpoint, limit: usual, short }: Tool,
  given: Record<string, unknown>,
  carrier: Carrier,
  isFull: boolean,
): Promise<ToolAnswer> {
  const { query: querySchema, texts, fields } = takenBy(endpoint);
  const ignored: string[] = [];
  const parts = { texts: {} as Record<string, string>, fields: {} as Record<string, unknown> };
  if (usual !== undefined && !isFull) parts.texts.limit = String(usual);
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const taken = takenName(name, given, (each) => fields.has(each) || texts.has(each));
    if (taken === undefined) ignored.push(name.slice(0, MAX_NAME));
    else if (fields.has(taken)) parts.fields[taken] = value;
    else parts.texts[taken] = textOf(taken, value);
  }
  const params = check(endpoint.params, only(parts.texts, endpoint.params?.shape), "arguments");
  const query = check(querySchema, only(parts.texts, querySchema?.shape), "arguments") as
    | { minBlock?: number; limit?: number }
    | undefined;
  const body = endpoint.body ? check(endpoint.body, parts.fields, "arguments") : undefined;
  const { deps, response, reader } = carrier;
  if (query?.minBlock !== undefined) deps.minBlockReads.acquire(response, [reader]);
  if (endpoint.data) await showIndexedBlock(deps, NO_HEADERS, query?.minBlock);
  const call = { ...carrier, params, query, body, idempotencyKey: undefined, payment: FREE_CHECKOUT };
  const { content } = await handled(endpoint, call);
  const whole = textOfJson(content);
  const answer = { json: whole, whole, isCut: false, ignored: ignored.slice(0, MAX_IGNORED) };
  if (isFull || short === undefined) return answer;
  const times = query?.limit !== undefined && usual !== undefined ? query.limit / usual : 1;
  const { short: inShort, isCut } = shortened(JSON.parse(whole), short, times);
  return { ...answer, json: JSON.stringify(inShort), isCut };
}

/** A failure of the arguments, with a call that has those that are required. */
function withCall({ name, endpoint }: Tool, failure: Failure): Failure {
  const { example } = takenBy(endpoint);
  if (failure.code !== "invalid_input" || example === null) return failure;
  return new Failure(failure.code, failure.message, { ...failure.options, hint: `For example: ${name} ${example}` });
}

/** Words that models write for an argument: in place of `q` what is searched for, in place of `ref` or `id` the agent. */
const NEAR_NAMES: Record<string, readonly string[]> = {
  q: ["query", "question", "search", "text"],
  ref: ["agent", "agentId", "tokenId", "address", "id"],
  id: ["agent", "agentId", "tokenId", "ref"],
};

/** The argument of a tool that a name means: itself, or one that is not given and that the name is near to. */
function takenName(name: string, given: object, takes: (name: string) => boolean): string | undefined {
  if (takes(name)) return name;
  return Object.keys(NEAR_NAMES).find(
    (near) => takes(near) && !Object.hasOwn(given, near) && NEAR_NAMES[near]!.includes(name),
  );
}

/** What an answer in short says of itself. */
export const CUT = "Texts or lists are cut: the argument full, true, answers all.";

/** What an answer says to its reader of arguments that were ignored; null for none. */
export const ignoredSentence = (ignored: readonly string[]): string | null =>
  ignored.length === 0
    ? null
    : `Ignored, because this tool has no such arguments: ${ignored.map((name) => quoted(name)).join(", ")}.`;

/** JSON of an answer as text; the handler may have built it as bytes. */
function textOfJson(content: Reply["content"]): string {
  if (typeof content === "string") return content;
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  throw new Error("a tool's endpoint answers no JSON");
}

/** A parameter as text of a URL; language models send numbers as JSON numbers. */
function textOf(name: string, value: unknown): string {
  if (typeof value === "object") return refuse(name, "must be a text, a number or a boolean");
  return String(value);
}

const only = (texts: Record<string, string>, shape: object = {}) =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => Object.hasOwn(shape, name)));

function refuse(path: string, message: string): never {
  return fail("invalid_input", `The request is not valid: ${path} ${message}.`, { details: [{ path, message }] });
}

/** Discards headers: a tool's answer has none, and its body has the indexed block. */
const NO_HEADERS = { setHeader() {}, getHeader: () => undefined };

/** What a model is told of an argument: its texts are checked when they come. */
const TOLD = ["type", "enum", "minimum", "maximum", "default"];

/**
 * The arguments that a tool shows, each with the first clause of its description, and `full`. Others are allowed: those
 * of the endpoint that are not shown are taken, and what hosts add is ignored.
 */
export function inputSchemaOf({ endpoint, takes, limit, short }: Tool): ToolDescription["inputSchema"] {
  const properties = propertiesOf(endpoint);
  const shown = takes.map((name) => {
    const { description, ...schema } = properties[name]!;
    const told = Object.entries(schema).filter(([key]) => TOLD.includes(key));
    const usual = name === "limit" && limit !== undefined ? { default: limit } : {};
    return [name, { ...Object.fromEntries(told), ...usual, description: firstClause(description as string) }];
  });
  const required = requiredBy(endpoint);
  return {
    type: "object",
    properties: { ...Object.fromEntries(shown), ...(short && { full: FULL }) },
    ...(required.length > 0 && { required }),
  };
}

/** The argument that a tool with a short form takes in addition to its endpoint's. */
const FULL = { type: "boolean", description: "true: every field, whole texts" };

const firstClause = (description: string): string => description.split(/; |\. /, 1)[0]!;

function propertiesOf(endpoint: Endpoint): Record<string, Json> {
  const schemas = [endpoint.params, queryOf(endpoint), endpoint.body].filter((schema) => schema !== undefined);
  return Object.assign({}, ...schemas.map((schema) => toJsonSchema(schema, "input").properties));
}

/** A path parameter is required even if its schema is optional. */
const requiredBy = ({ params, body }: Endpoint): string[] => [
  ...Object.keys(params?.shape ?? {}),
  ...((body && (toJsonSchema(body, "input").required as string[] | undefined)) ?? []),
];

/** The required arguments of a tool as JSON, each with an example; null where none is required. */
function exampleCallOf(endpoint: Endpoint): string | null {
  const required = requiredBy(endpoint);
  if (required.length === 0) return null;
  const properties = propertiesOf(endpoint);
  const exampleOf = (name: string) => (properties[name]!.examples as unknown[] | undefined)?.[0] ?? "…";
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, exampleOf(name)])));
}

/**
 * The inputs of an endpoint: the schema of its query, the names of its parameters (strings) and of its body's fields, and
 * an example of those that are required.
 */
type EndpointInputs = {
  query: z.ZodObject | undefined;
  texts: Set<string>;
  fields: Set<string>;
  example: string | null;
};

/** The inputs of an endpoint. */
const takenBy = madeOnce((endpoint: Endpoint): EndpointInputs => {
  const query = queryOf(endpoint);
  const texts = new Set([...Object.keys(endpoint.params?.shape ?? {}), ...Object.keys(query?.shape ?? {})]);
  const fields = new Set(endpoint.body instanceof z.ZodObject ? Object.keys(endpoint.body.shape) : []);
  return { query, texts, fields, example: exampleCallOf(endpoint) };
});
