/** English stems of words, by the database's own stemmer, and the table of known words. */
import { array, statement, text } from "../statement.ts";
import type { Queryable } from "../transaction.ts";

/** Stems by word; one map for the life of the process, emptied when it is full. */
const known = new Map<string, string>();
const MAX_KNOWN = 300_000;

const STEMS = statement({
  name: "discovery-stems",
  params: { words: array(text) },
  text: `select w as word, coalesce((ts_lexize('pg_catalog.english_stem', w))[1], w) as stem from unnest($words::text[]) w`,
  columns: { word: text, stem: text },
});

/** Adds words that no document had; the count of documents is made by `countWords`. */
const ADD = statement({
  name: "discovery-words-add",
  params: { words: array(text) },
  text: `
    insert into offchain.discovery_word (word, written, documents)
    select w, true, 1 from unnest($words::text[]) w where w <> '' order by w
    on conflict (word) do update set written = true where not discovery_word.written`,
});

/** Stems of words. */
export async function stemsFor(db: Queryable, words: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (known.size > MAX_KNOWN) known.clear();
  const unknown = [...new Set(words)].filter((word) => !known.has(word));
  if (unknown.length > 0) for (const { word, stem } of await STEMS.rows(db, { words: unknown })) known.set(word, stem);
  return known;
}

/** Words that are in the table for certain. */
const added = new Set<string>();

/** Adds words of documents to the table of words. @returns what to call once that is committed */
export async function addWords(tx: Queryable, words: readonly string[]): Promise<() => void> {
  const unknown = [...new Set(words)].filter((word) => !added.has(word));
  if (unknown.length > 0) await ADD.run(tx, { words: unknown });
  return () => {
    if (added.size > MAX_KNOWN) added.clear();
    for (const word of unknown) added.add(word);
  };
}
