/** An input that an offer takes: the example of its schema, or what the schema requires, each part by its own example or its kind. */
import { isRecord } from "../json.ts";

type Json = Record<string, unknown>;

/** Max parts of an example, at all its levels together, and max levels: a schema is a stranger's, and pages build the example while they render. */
const MAX_PARTS = 200;
const MAX_LEVELS = 8;

/** @param schema as strangers wrote it @returns null where the schema asks for nothing */
export const exampleInput = (schema: unknown): Json | null => inputOf(schema, { parts: MAX_PARTS }, MAX_LEVELS);

/** How many parts an example may still have, shared by all its levels. */
type Room = { parts: number };

function inputOf(schema: unknown, room: Room, levels: number): Json | null {
  if (!isRecord(schema)) return null;
  const given = [...(Array.isArray(schema.examples) ? schema.examples : []), schema.example].find(isRecord);
  if (given) return given;
  if (!isRecord(schema.properties) || !Array.isArray(schema.required) || levels === 0) return null;
  const input: [name: string, value: unknown][] = [];
  for (const name of new Set(schema.required)) {
    if (typeof name !== "string") continue;
    if (room.parts === 0) break;
    room.parts -= 1;
    input.push([name, exampleOf(name, schema.properties[name], room, levels - 1)]);
  }
  return input.length > 0 ? Object.fromEntries(input) : null;
}

/** A text stands for itself by its name in brackets. */
function exampleOf(name: string, property: unknown, room: Room, levels: number): unknown {
  const { examples, example, enum: choices, type, minimum, ...rest } = isRecord(property) ? property : ({} as Json);
  const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
  const given = first(examples) ?? example ?? rest.default ?? rest.const ?? first(choices);
  if (given !== undefined) return given;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  if (type === "object") return inputOf(property, room, levels) ?? {};
  return `<${name}>`;
}
