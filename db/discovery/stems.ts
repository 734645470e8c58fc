/** English stems of words, by the database's own stemmer, and the table of known words. */
import { lockText } from "../sql/locks.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Stems by word, for the life of the process; emptied when it is full. */
const cache = new Map<string, string>();
const MAX_CACHED = 300_000;

const STEMS = statement({
  name: "discovery-stems",
  params: { words: t.array(t.text) },
  text: `select w as word, coalesce((ts_lexize('pg_catalog.english_stem', w))[1], w) as stem from unnest($words::text[]) w`,
  columns: { word: t.text, stem: t.text },
});

/** Known words are not written again: a row that is left as it is would be locked all the same. */
const ADD = statement({
  name: "discovery-words-add",
  params: { words: t.array(t.text), stems: t.array(t.text) },
  text: `
    insert into offchain.discovery_word (word, written, documents)
    select w, bool_or(written), 1
    from (select w, true as written from unnest($words::text[]) w union all select w, false from unnest($stems::text[]) w) a
    where w <> '' and not exists (select from offchain.discovery_word k where k.word = w and (k.written or not a.written))
    group by w order by w
    on conflict (word) do update set written = true where not discovery_word.written and excluded.written`,
});

/** The stem of each of these words: a map of the caller's own, for the cache may be emptied while it is used. */
export async function stemsFor(db: Queryable, words: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const stems = new Map<string, string>();
  for (const word of words) if (cache.has(word)) stems.set(word, cache.get(word)!);
  const unknown = [...new Set(words)].filter((word) => !stems.has(word));
  if (unknown.length === 0) return stems;
  if (cache.size > MAX_CACHED) cache.clear();
  for (const { word, stem } of await STEMS.rows(db, { words: unknown })) {
    stems.set(word, stem);
    cache.set(word, stem);
  }
  return stems;
}

/** Until a transaction ends that adds words of documents, or removes those that no document has, no other one does. */
export const lockWords = (tx: Queryable): Promise<void> => lockText(tx, "discovery-words");

/**
 * Adds words of documents, and the stem of each, to the table of words; their documents are counted by `countWords`. Part
 * of the caller's transaction.
 * Check then write: the word is there, then the document; it may be removed: both take one lock until they commit, and
 * look once they have it (`lockWords`), so a removed word is added again.
 */
export async function addWords(tx: Queryable, stems: ReadonlyMap<string, string>): Promise<void> {
  if (stems.size === 0) return;
  await lockWords(tx);
  await ADD.run(tx, { words: [...stems.keys()], stems: [...new Set(stems.values())] });
}
