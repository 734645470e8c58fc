/** Parses untrusted JSON into values that can be stored. Every foreign document passes here before other code reads it. */

/** Max depth; deeper values become null. PostgreSQL and `JSON.stringify` recurse, and no format read here has half this depth. */
const MAX_DEPTH = 64;

/**
 * Makes a text storable in PostgreSQL and JSON: NUL and lone surrogates become the replacement character. Removing them
 * could make two different texts equal.
 */
const storableText = (text: string): string =>
  isStorable(text) ? text : text.toWellFormed().replaceAll("\0", "\ufffd");

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/**
 * Parses JSON into values that can be stored and read safely: well-formed texts without NUL, finite numbers, bounded
 * depth, no field named `__proto__` (assigning it would change an object's prototype).
 * @throws SyntaxError when the text is not JSON
 */
export const parseForeignJson = (text: string): unknown => storable(JSON.parse(text), 0);

/** Changes the value in place: most documents need no change, and a copy costs as much as parsing does. */
function storable(value: unknown, depth: number): unknown {
  if (typeof value === "string") return storableText(value);
  // JSON.parse reads 1e999 as Infinity, which JSON cannot hold.
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== "object") return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const after = storable(value[i], depth + 1);
      if (after !== value[i]) value[i] = after;
    }
    return value;
  }
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields);
  if (names.some((name) => name === "__proto__" || !isStorable(name))) {
    const kept = names.filter((name) => name !== "__proto__");
    return Object.fromEntries(kept.map((name) => [storableText(name), storable(fields[name], depth + 1)]));
  }
  for (const name of names) {
    const before = fields[name];
    const after = storable(before, depth + 1);
    if (after !== before) fields[name] = after;
  }
  return value;
}
