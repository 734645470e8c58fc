/** JSON of strangers, made fit to store: the gate that every foreign document passes before anything reads it. */

/** Values nested deeper are null. PostgreSQL and `JSON.stringify` recurse, and no format read here goes to half of it. */
const MOST_DEPTH = 64;

/**
 * A text as PostgreSQL and JSON can hold it: NUL and lone surrogates become the replacement character. Dropping them
 * would let two different texts become one.
 */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/**
 * Parses JSON into values that can be stored and read safely: well-formed texts without NUL, finite numbers, bounded
 * depth, no field named `__proto__` (assigning it would change an object's prototype).
 * @throws SyntaxError when it is no JSON
 */
export const parseForeignJson = (text: string): unknown => storable(JSON.parse(text), 0);

function storable(value: unknown, depth: number): unknown {
  if (typeof value === "string") return storableText(value);
  // 1e999 is read as Infinity, which JSON cannot hold.
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== "object") return value;
  if (depth === MOST_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storable(each, depth + 1));
  const fields: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value))
    if (name !== "__proto__") fields.push([storableText(name), storable(each, depth + 1)]);
  return Object.fromEntries(fields);
}
