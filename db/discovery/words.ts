/** Looks words of a query up: stems, numbers of documents, words that begin alike, words that are spelt alike. */
import { verifiedMark } from "../../core/discovery/marks.ts";
import { array, int4, int8, nullable, statement, text } from "../statement.ts";
import type { Queryable } from "../transaction.ts";

const LOOKUP = statement({
  name: "discovery-lookup",
  params: { words: array(text) },
  text: `
    select w as word, s.stem, coalesce(a.documents, 0) as documents, coalesce(b.documents, 0) as "ofStem"
    from unnest($words::text[]) w
      cross join lateral (select coalesce((ts_lexize('pg_catalog.english_stem', w))[1], w) as stem) s
      left join offchain.discovery_word a on a.word = w
      left join offchain.discovery_word b on b.word = s.stem`,
  columns: { word: text, stem: nullable(text), documents: int4, ofStem: int4 },
  prepared: true,
});

const BEGIN_ALIKE = statement({
  name: "discovery-begin-alike",
  params: { from: text, to: text, most: int8 },
  text: `
    select word, documents from offchain.discovery_word
    where word collate "C" >= $from and word collate "C" < $to and written order by documents desc, word limit $most`,
  columns: { word: text, documents: int4 },
  prepared: true,
});

/** Min similarity is pg_trgm's own, 0.3. */
const SPELT_ALIKE = statement({
  name: "discovery-spelt-alike",
  params: { word: text, shortest: int4, longest: int4 },
  text: `
    select word, documents from offchain.discovery_word
    where written and word operator(offchain.%) $word and length(word) between $shortest and $longest
    order by offchain.similarity(word, $word) desc limit 40`,
  columns: { word: text, documents: int4 },
  prepared: true,
});

export type Looked = { stem: string; documents: number };

/** Stem and number of documents of each word, and the number of all documents. */
export async function lookUp(
  db: Queryable,
  words: readonly string[],
): Promise<{ found: Map<string, Looked>; total: number }> {
  const marks = [verifiedMark(true), verifiedMark(false)];
  const rows = await LOOKUP.rows(db, { words: [...new Set([...words, ...marks])] });
  const found = new Map(
    rows.map(({ word, stem, documents, ofStem }) => [
      word,
      { stem: stem ?? word, documents: Math.max(documents, ofStem) },
    ]),
  );
  const total = marks.reduce((sum, mark) => sum + (found.get(mark)?.documents ?? 0), 0);
  return { found, total };
}

/** Completions of a few letters, which are asked for all the time and found among thousands of words. */
const completions = new Map<string, { words: Promise<{ word: string; documents: number }[]>; at: number }>();
const CACHED_LETTERS = 3;
const CACHED_MS = 60_000;
const MAX_CACHED = 2_000;

/** Words that begin with letters, in most documents first. */
export function beginAlike(db: Queryable, letters: string, most: number) {
  const read = () => BEGIN_ALIKE.rows(db, { from: letters, to: `${letters}\u{10ffff}`, most });
  if (letters.length > CACHED_LETTERS) return read();
  const known = completions.get(letters);
  if (known && performance.now() - known.at < CACHED_MS) return known.words;
  if (completions.size >= MAX_CACHED) completions.clear();
  const words = read();
  completions.set(letters, { words, at: performance.now() });
  words.catch(() => completions.delete(letters));
  return words;
}

/** Words that share many groups of three letters with a word, the most similar first. */
export const speltAlike = (db: Queryable, word: string) =>
  SPELT_ALIKE.rows(db, { word, shortest: word.length - 2, longest: word.length + 2 });
