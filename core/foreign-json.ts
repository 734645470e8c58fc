/** Parses untrusted JSON into values that can be stored. Every foreign document passes here before other code reads it. */

/** Max depth; deeper values become null. PostgreSQL and `JSON.stringify` recurse, and no format read here has half this depth. */
const MAX_DEPTH = 64;

/**
 * Makes a text storable in PostgreSQL and JSON: NUL and lone surrogates become the replacement character. Removing them
 * could make two different texts equal.
 */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/**
 * Parses JSON into values that can be stored and read safely: well-formed texts without NUL, finite numbers, bounded
 * depth, no field named `__proto__` (assigning it would change an object's prototype).
 * @throws SyntaxError when the text is not JSON
 */
export const parseForeignJson = (text: string): unknown => storable(JSON.parse(text), 0);

function storable(value: unknown, depth: number): unknown {
  if (typeof value === "string") return storableText(value);
  // JSON.parse reads 1e999 as Infinity, which JSON cannot hold.
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== "object") return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storable(each, depth + 1));
  const fields: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value))
    if (name !== "__proto__") fields.push([storableText(name), storable(each, depth + 1)]);
  return Object.fromEntries(fields);
}
