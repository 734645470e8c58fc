/** Schemas of endpoints as JSON Schema of draft 2020-12, for readers that are not OpenAPI clients, and as schemas of OpenAPI 3.0 for those. */
import { z } from "zod";

export type Json = Record<string, unknown>;

/** A schema with its root inlined: some readers look for `properties` there and do not follow a reference. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const {
    $schema: _,
    $ref,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      tidy(jsonSchema as Json, z.globalRegistry.get(zodSchema as unknown as z.ZodType));
      // A keyword of OpenAPI 3.0: readers that are strict about JSON Schema refuse what it does not define.
      const { example } = jsonSchema as Json;
      delete (jsonSchema as Json).example;
      if (example !== undefined) jsonSchema.examples = [example];
    },
  }) as Json & { $ref?: string; $defs?: Record<string, Json> };
  const name = $ref?.replace("#/$defs/", "");
  const root = name === undefined ? rest : { ...$defs[name], ...rest };
  const isReferred = (other: string) => other !== name || JSON.stringify($defs).includes(`"${$ref}"`);
  const others = Object.fromEntries(Object.entries($defs).filter(([other]) => isReferred(other)));
  return { ...root, ...(Object.keys(others).length > 0 && { $defs: others }) };
}

/** Max length of an enum that an outline repeats. */
const MAX_WORDS = 8;

/**
 * A schema in short, for places with little room: names, types, and the required members of an input. Every value that
 * fits the schema fits its outline.
 * @param depth how many levels of properties are named
 */
export function outlineOf(schema: z.ZodType, io: "input" | "output", depth: number): Json {
  const { $defs = {}, ...root } = toJsonSchema(schema, io) as Json & { $defs?: Record<string, Json> };
  return outline(root, $defs, io === "input", depth);
}

function outline(schema: Json, definitions: Record<string, Json>, listsRequired: boolean, depth: number): Json {
  const { $ref, type, properties, ...rest } = schema as {
    $ref?: string;
    type?: string;
    properties?: Record<string, Json>;
    required?: string[];
    const?: unknown;
    enum?: unknown[];
    anyOf?: Json[];
  };
  if ($ref !== undefined)
    return outline(definitions[$ref.replace("#/$defs/", "")] ?? {}, definitions, listsRequired, depth);
  // One of several types: only what is true of each of them is written.
  if (type === undefined) return rest.const === undefined ? {} : { const: rest.const };
  return {
    type,
    ...(rest.const !== undefined && { const: rest.const }),
    ...(rest.enum && rest.enum.length <= MAX_WORDS && { enum: rest.enum }),
    ...(properties &&
      depth > 0 && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            outline(property, definitions, listsRequired, depth - 1),
          ]),
        ),
        ...(listsRequired && rest.required && rest.required.length > 0 && { required: rest.required }),
      }),
  };
}

/** Shows a parameter by its meaning (`documented`), and removes what OpenAPI 3.0 does not define or readers do not need. */
function tidy(schema: Json, meta: Json | undefined): void {
  if (meta?.documented) {
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, meta.documented, { description: meta.description, examples: meta.examples });
  }
  // zod leaves the examples of an input out where a part of it is transformed: they might be outputs. These are requests.
  const examples = schema.examples ?? meta?.examples;
  if (Array.isArray(examples)) schema.example = examples[0];
  delete schema.examples;
  delete schema.id;
  if (schema.format) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** A zod schema as an OpenAPI 3.0 schema; named ones (`meta({ id })`) move to the components. */
export function toOpenApiSchema(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
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
