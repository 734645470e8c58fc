/** The check of an SQL query before Ponder's own: one plain SELECT over the index, with a bounded answer. */

/** Max rows of an answer. */
export const MAX_ROWS = 1_000;
/** Max characters of a query. Ponder itself accepts 5,000. */
const MAX_LENGTH = 4_000;

/**
 * Ponder parses each query and allows a list of harmless nodes and functions over tables without a schema name. These
 * words are refused here as well, because Ponder caches its verdicts under a short hash: safety must not depend on that
 * cache alone.
 */
const REFUSED_WORDS: [RegExp, string][] = [
  [/\b(pg|lo)_/i, "a system table or function"],
  [/\binformation_schema\b/i, "a system table"],
  [/\b(offchain|onchain|ponder_sync|index_[0-9a-z_]+)"?\s*\./i, "a table of another schema"],
  [/\b(set_config|current_setting|dblink\w*|nextval|setval|generate_series|repeat|\w+_to_xml\w*)\b/i, "this function"],
  [
    /\b(insert|update|delete|merge|truncate|drop|alter|create|grant|copy|call|execute|into|for\s+(update|share))\b/i,
    "anything but reading",
  ],
];

/** Marks that make it uncertain where a statement or a literal ends; refused in literals too. */
const REFUSED_MARKS: [RegExp, string][] = [
  [/;/, "a semicolon"],
  [/--|\/\*|\*\//, "a comment"],
  [/\0/, "a NUL character"],
  [/(^|[^a-z0-9_])(e|u&)\s*["']/i, "an escaped text"],
  [/\$[^0-9]/, "a text between dollar signs"],
];

/** A quoted name or a string literal; both may contain any word. */
const QUOTED = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g;

/** A query is refused; the message is the sentence for the client. */
export class Refusal extends Error {}

/**
 * The query that runs in place of `sql`: the same rows, at most `MAX_ROWS` of them.
 * @param secret known to this process only, so that no client can predict the hash of a query
 * @throws Refusal when the query is not allowed
 */
export function guarded(sql: unknown, secret: string): string {
  if (typeof sql !== "string" || sql.trim() === "") throw new Refusal("The query is missing.");
  if (sql.length > MAX_LENGTH) throw new Refusal(`A query has at most ${MAX_LENGTH} characters.`);
  const words = sql.replace(QUOTED, (quoted) => (quoted.startsWith('"') ? quoted : "''"));
  if (!/^\s*(select|with)\b/i.test(words)) throw new Refusal("Only SELECT is understood.");
  for (const [pattern, what] of REFUSED_MARKS)
    if (pattern.test(sql)) throw new Refusal(`A query must not contain ${what}; pass texts as parameters.`);
  for (const [pattern, what] of REFUSED_WORDS)
    if (pattern.test(words)) throw new Refusal(`A query must not contain ${what}.`);
  return `select * from (\n${sql}\n) as answer limit ${MAX_ROWS} /* ${secret} */`;
}

/**
 * The query parameter `sql` of Ponder's wire format (superjson of {sql, params, typings}) with its query guarded.
 * @param request number of the request, which makes the parameter unique
 * @throws Refusal when it is not a query, or not an allowed one
 */
export function guardedParameter(text: string | undefined, secret: string, request: number): string {
  const sent = parse(text);
  const query = sent?.json;
  if (typeof query !== "object" || query === null) throw new Refusal("The parameter sql is missing or no query.");
  const { params = [] } = query;
  const plain = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value);
  if (!Array.isArray(params) || params.length > 100 || !params.every(plain))
    throw new Refusal("The parameters of a query are at most 100 texts, numbers and booleans.");
  return JSON.stringify({ ...sent, asked: request, json: { ...query, params, sql: guarded(query.sql, secret) } });
}

type SentQuery = { json?: { sql?: unknown; params?: unknown } | null };

function parse(text: string | undefined): SentQuery | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as SentQuery);
  } catch {
    return undefined;
  }
}
