/** An input that an offer takes: the example of its schema, or what the schema requires, each part by its own example or its kind. */

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param schema as strangers wrote it @returns null where the schema asks for nothing */
export function exampleInput(schema: unknown): Json | null {
  if (!isRecord(schema)) return null;
  const given = [...(Array.isArray(schema.examples) ? schema.examples : []), schema.example].find(isRecord);
  if (given) return given;
  if (!isRecord(schema.properties) || !Array.isArray(schema.required)) return null;
  const { properties, required } = schema;
  const input = required
    .filter((name): name is string => typeof name === "string")
    .map((name) => [name, exampleOf(name, properties[name])] as const);
  return input.length > 0 ? Object.fromEntries(input) : null;
}

/** A text stands for itself by its name in brackets. */
function exampleOf(name: string, property: unknown): unknown {
  const { examples, example, enum: choices, type, minimum, ...rest } = isRecord(property) ? property : ({} as Json);
  const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
  const given = first(examples) ?? example ?? rest.default ?? rest.const ?? first(choices);
  if (given !== undefined) return given;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  if (type === "object") return exampleInput(property) ?? {};
  return `<${name}>`;
}
