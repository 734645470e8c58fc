/** What a tool takes and answers as JSON Schema, derived from its endpoint. */
import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { tidy } from "../openapi.ts";

type Json = Record<string, unknown>;
type ObjectSchema = {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
  [key: string]: unknown;
};

/** Parameters of path and query beside each other, or the fields of the body. */
export function inputSchemaOf({ params, query, body }: Endpoint): ObjectSchema {
  const parts = [params, query, body]
    .filter((schema) => schema !== undefined)
    .map((schema) => toSchema(schema, "input"));
  const all = <T>(pick: (part: Json) => T[] | undefined) => parts.flatMap((part) => pick(part) ?? []);
  const required = [
    // A parameter of the path is required whatever its schema says.
    ...Object.keys(params?.shape ?? {}),
    ...all((part) => part.required as string[] | undefined),
  ];
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(required)],
    additionalProperties: false,
  };
}

/** Of the 200. A tool's answer is an object, also where it is one of several. */
export const outputSchemaOf = ({ responses }: Endpoint): ObjectSchema => ({
  ...toSchema(responses[200]!.schema!, "output"),
  type: "object",
});

/** The names of everything an endpoint takes. */
export const argumentNames = ({ params, query, body }: Endpoint): { texts: Set<string>; fields: Set<string> } => ({
  texts: new Set([...Object.keys(params?.shape ?? {}), ...Object.keys(query?.shape ?? {})]),
  fields: new Set(body instanceof z.ZodObject ? Object.keys(body.shape) : []),
});

function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) =>
      tidy(jsonSchema as Json, z.globalRegistry.get(zodSchema as unknown as z.ZodType)),
  }) as Json;
  return rest;
}
