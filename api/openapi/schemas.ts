/** Zod schemas as the schemas of OpenAPI 3.0. */
import { z } from "zod";
import { tidy } from "../json-schema.ts";

export type Json = Record<string, unknown>;

/** A zod schema as an OpenAPI 3.0 schema; named ones (`meta({ id })`) move to the components. */
export function toSchema(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const {
    $schema: _,
    definitions = {},
    ...root
  } = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) =>
      tidy(jsonSchema as Json, z.globalRegistry.get(zodSchema as unknown as z.ZodType)),
  }) as Json & { definitions?: Json };
  for (const [name, definition] of Object.entries(definitions)) schemas[name] ??= toComponents(definition);
  return toComponents(root) as Json;
}

const toComponents = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/'), (_, value) =>
    value?.nullable === true ? withNull(value) : isReference(value) ? value.allOf[0] : value,
  );

/** An `allOf` of one reference, and no other key. */
const isReference = (schema: Json & { allOf?: Json[] }): schema is { allOf: [Json] } =>
  schema?.allOf?.length === 1 && Object.keys(schema).length === 1;

const NULL = { type: "string", nullable: true, enum: [null] };

/** `nullable` as in OpenAPI 3.0.3: it adds null only to the `type` of the same schema. */
function withNull(schema: Json & { enum?: unknown[]; allOf?: Json[]; anyOf?: Json[] }): Json {
  if (schema.type) return schema.enum ? { ...schema, enum: [...new Set([...schema.enum, null])] } : schema;
  const { nullable: _, allOf, anyOf, ...rest } = schema;
  // An `allOf` of one reference becomes that reference. A schema without a type, `allOf` or `anyOf` accepts null already.
  const shapes = anyOf ?? (allOf && (allOf.length === 1 ? allOf : [{ allOf }]));
  return shapes ? { ...rest, anyOf: [...shapes, NULL] } : rest;
}
