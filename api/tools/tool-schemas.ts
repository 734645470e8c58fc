/** The input of a tool as JSON Schema, and the inputs of its endpoint. */
import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Endpoint, queryOf } from "../endpoint.ts";
import { type Json, toJsonSchema } from "../json-schema.ts";
import type { Tool } from "./tools.ts";

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
export type EndpointInputs = {
  query: z.ZodObject | undefined;
  texts: Set<string>;
  fields: Set<string>;
  example: string | null;
};

const taken = new WeakMap<Endpoint, EndpointInputs>();

/** The inputs of an endpoint, computed once for each endpoint. */
export function takenBy(endpoint: Endpoint): EndpointInputs {
  const known = taken.get(endpoint);
  if (known) return known;
  const query = queryOf(endpoint);
  const texts = new Set([...Object.keys(endpoint.params?.shape ?? {}), ...Object.keys(query?.shape ?? {})]);
  const fields = new Set(endpoint.body instanceof z.ZodObject ? Object.keys(endpoint.body.shape) : []);
  const inputs = { query, texts, fields, example: exampleCallOf(endpoint) };
  taken.set(endpoint, inputs);
  return inputs;
}
