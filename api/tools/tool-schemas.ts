/** The input and output of a tool as JSON Schema, derived from its endpoint. */
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Endpoint, queryOf } from "../endpoint.ts";
import { type Json, toJsonSchema } from "../json-schema.ts";

type ObjectSchema = Tool["inputSchema"];

/** The parameters of path and query in one object, or the fields of the body. Others are allowed, and ignored: hosts add their own. */
export function inputSchemaOf(endpoint: Endpoint): ObjectSchema {
  const { params, body } = endpoint;
  const parts = [params, queryOf(endpoint), body]
    .filter((schema) => schema !== undefined)
    .map((schema) => toJsonSchema(schema, "input"));
  const all = <T>(pick: (part: Json) => T[] | undefined) => parts.flatMap((part) => pick(part) ?? []);
  const required = [
    // A path parameter is always required, even if its schema is optional.
    ...Object.keys(params?.shape ?? {}),
    ...all((part) => part.required as string[] | undefined),
  ];
  const definitions = Object.assign({}, ...parts.map(({ $defs }) => $defs));
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(required)],
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

/** The schema of the 200 answer. It is always an object; a union of objects also declares `type: "object"`. */
export const outputSchemaOf = ({ responses }: Endpoint): ObjectSchema => ({
  ...toJsonSchema(responses[200]!.schema!, "output"),
  type: "object",
});

/** The inputs of an endpoint: the schema of its query, and the names of its parameters (strings) and of its body's fields. */
export type EndpointInputs = { query: z.ZodObject | undefined; texts: Set<string>; fields: Set<string> };

const taken = new WeakMap<Endpoint, EndpointInputs>();

/** The inputs of an endpoint, computed once for each endpoint. */
export function takenBy(endpoint: Endpoint): EndpointInputs {
  const known = taken.get(endpoint);
  if (known) return known;
  const query = queryOf(endpoint);
  const texts = new Set([...Object.keys(endpoint.params?.shape ?? {}), ...Object.keys(query?.shape ?? {})]);
  const fields = new Set(endpoint.body instanceof z.ZodObject ? Object.keys(endpoint.body.shape) : []);
  taken.set(endpoint, { query, texts, fields });
  return { query, texts, fields };
}
