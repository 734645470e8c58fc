/** Looks words of a query up: stems, numbers of documents, words that begin alike, words that are spelt alike. */
import { verifiedLexeme } from "../../core/discovery/filter-lexemes.ts";
import { MIN_TRUSTED, TRUST_RANGES } from "../../core/discovery/levels.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Of each word its stem, and the documents that have the word or its stem. */
const LOOKED = `
  q.word, coalesce(s.stem, q.word) as stem, greatest(coalesce(a.documents, 0), coalesce(b.documents, 0)) as documents`;
const STEM_OF_WORD = `
  cross join lateral (select coalesce((ts_lexize('pg_catalog.english_stem', q.word))[1], q.word) as stem) s
  left join offchain.discovery_word a on a.word = q.word
  left join offchain.discovery_word b on b.word = s.stem`;

/**
 * A word may be a name's own where no more documents of trusted agents have it: those of newcomers cost a cent each. Numbers of
 * documents are counted in a sample (count-words.ts), in which a word of one document may be one of seventeen, and one of ten
 * one of hundreds: of words that the sample says are in a few documents the documents themselves are counted, up to here.
 */
const RARE_NAME_UP_TO = 20;
const SURELY_FREQUENT_FROM = 2_000;

/** Documents of a stem `s` in some ranges of trust, counted up to one more than `RARE_NAME_UP_TO`. */
const counted = (ranges: readonly number[]): string => `(
  select count(*)::int4 from (select array_to_tsvector(array[s.stem])::text::tsquery as has) q
  cross join lateral (${ranges
    .map(
      (range) =>
        `(select from offchain.discovery_document where trust_range = ${range} and words @@ q.has limit ${RARE_NAME_UP_TO + 1})`,
    )
    .join(" union all ")} limit ${RARE_NAME_UP_TO + 1}) d)`;
const TRUSTED_RANGES = TRUST_RANGES.filter((range) => range >= MIN_TRUSTED);

/** Words, and the most frequent of those between `from` and `to`. */
const LOOKUP = statement({
  name: "discovery-lookup",
  params: { words: t.array(t.text), from: t.nullable(t.text), to: t.nullable(t.text), most: t.int8 },
  text: `
    select ${LOOKED}, q.completes,
      c.counted, case when c.counted > ${RARE_NAME_UP_TO} then ${counted(TRUSTED_RANGES)} end as trusted
    from (
      select w as word, false as completes from unnest($words::text[]) w
      union all
      (select word, true from offchain.discovery_word
       where word collate "C" >= $from and word collate "C" < $to and written order by documents desc, word limit $most)
    ) q ${STEM_OF_WORD}
    cross join lateral (select
      case when greatest(a.documents, b.documents) between 2 and ${SURELY_FREQUENT_FROM - 1}
        then ${counted(TRUST_RANGES)} end as counted) c`,
  columns: {
    word: t.text,
    stem: t.text,
    documents: t.int4,
    completes: t.bool,
    counted: t.nullable(t.int4),
    trusted: t.nullable(t.int4),
  },
  prepared: true,
});

/**
 * Min similarity is pg_trgm's own, 0.3. Words of one document, of 2 to 9, of 10 to 99 and so on have places of their own: one
 * agent can have any number of words, and two agents can share them.
 */
const SPELT_ALIKE = statement({
  name: "discovery-spelt-alike",
  params: { words: t.array(t.text) },
  text: `
    select w as "of", ${LOOKED}
    from unnest($words::text[]) w cross join lateral (
      select word from (
        select word, row_number() over (partition by documents > 1, length(documents::text) order by offchain.similarity(word, w) desc, word) as place
        from offchain.discovery_word
        where written and word operator(offchain.%) w and length(word) between length(w) - 2 and length(w) + 2) a
      where place <= 40) q ${STEM_OF_WORD}`,
  columns: { of: t.text, word: t.text, stem: t.text, documents: t.int4 },
  prepared: true,
});

/** Max documents of a word that are read to find its owners. */
const ASKED_OWNERS = 50;

/** Of words, by the most trusted documents that have them: whether those are of several owners, and whether it is in a name. */
const VOUCHED = statement({
  name: "discovery-vouched-words",
  params: { words: t.array(t.text) },
  text: `
    select w as word, o.owners > 1 as shared, o.named
    from unnest($words::text[]) w
    cross join lateral (select array_to_tsvector(array[w])::text as quoted) q
    cross join lateral (
      select count(distinct coalesce(owner, id::text)) as owners, coalesce(bool_or(words @@ (q.quoted || ':A')::tsquery), false) as named
      from (${TRUST_RANGES.map(
        (range) => `(select owner, directory_id as id, words from offchain.discovery_document
          where trust_range = ${range} and words @@ q.quoted::tsquery limit ${ASKED_OWNERS})`,
      ).join(" union all ")} limit ${ASKED_OWNERS}) d) o`,
  columns: { word: t.text, shared: t.filtered(t.bool), named: t.filtered(t.bool) },
  prepared: true,
});

/** Agents whose names are read for one word: no more trusted ones have a rare word, so that newcomers put none of them out. */
const ASKED_NAMES = RARE_NAME_UP_TO;

/** The other words of names with a word, of the most trusted agents, with the documents that have them. */
export const namedWith = statement({
  name: "discovery-named-with",
  params: { words: t.array(t.text) },
  unlessEmpty: "words",
  text: `
    select l.lexeme as word, l.lexeme as stem, max(coalesce(c.documents, 0)) as documents
    from unnest($words::text[]) w
    cross join lateral (select (array_to_tsvector(array[w])::text || ':A')::tsquery as named) q
    cross join lateral (${TRUST_RANGES.map(
      (range) =>
        `(select words from offchain.discovery_document where trust_range = ${range} and words @@ q.named limit ${ASKED_NAMES})`,
    ).join(" union all ")} limit ${ASKED_NAMES}) d
    cross join lateral unnest(d.words) l
    left join offchain.discovery_word c on c.word = l.lexeme
    where 'A' = any(l.weights) and l.lexeme <> w group by l.lexeme`,
  columns: { word: t.text, stem: t.text, documents: t.int4 },
  prepared: true,
}).rows;

/** `rare`: it may be a name's own; by `documents` where that is not given. */
export type WordStem = { stem: string; documents: number; rare?: boolean };
export type WordFound = WordStem & { word: string };
export const isRare = (of: WordStem | undefined): boolean => of?.rare ?? (of?.documents ?? 0) <= RARE_NAME_UP_TO;

/** What one connection or pool has read lately: numbers of documents change slowly. Words that no document has are not kept. */
type KeptLookups = { words: Map<string, WordStem>; completions: Map<string, WordFound[]>; until: number };
const kept = new WeakMap<Queryable, KeptLookups>();
const KEPT_MS = 60_000;
const MAX_KEPT_WORDS = 20_000;
/** Max letters of words whose completions are kept: they are needed all the time, and found among thousands of words. */
const KEPT_LETTERS = 3;

function keptOf(db: Queryable): KeptLookups {
  const entry = kept.get(db);
  if (entry && performance.now() < entry.until && entry.words.size < MAX_KEPT_WORDS) return entry;
  const fresh = { words: new Map(), completions: new Map(), until: performance.now() + KEPT_MS };
  kept.set(db, fresh);
  return fresh;
}

const VERIFIED_LEXEMES = [verifiedLexeme(true), verifiedLexeme(false)];

export type LookedUp = {
  found: Map<string, WordStem>;
  /** Words that begin with the letters, in most documents first. */
  completions: WordFound[];
  total: number;
};

/** @param begun letters whose completions are wanted, at most `most`; null for none */
export async function lookUp(
  db: Queryable,
  words: readonly string[],
  begun: string | null = null,
  most = 0,
): Promise<LookedUp> {
  const known = keptOf(db);
  const lexemes = new Set([...words, ...VERIFIED_LEXEMES]);
  const missing = [...lexemes].filter((word) => !known.words.has(word));
  const completed = begun === null ? [] : known.completions.get(begun);
  const rows =
    missing.length === 0 && completed
      ? []
      : await LOOKUP.rows(db, {
          words: missing,
          ...(completed || begun === null ? { from: null, to: null } : { from: begun, to: `${begun}\u{10ffff}` }),
          most,
        });
  const stems = new Map<string, WordStem>();
  for (const word of lexemes) {
    const one = known.words.get(word);
    if (one) stems.set(word, one);
  }
  const looked = rows.map(({ completes, counted, trusted, ...of }) => {
    const isFew = counted !== null && counted > 0 && counted <= RARE_NAME_UP_TO;
    const documents = isFew ? counted : of.documents;
    return { completes, one: { ...of, documents, rare: (trusted ?? documents) <= RARE_NAME_UP_TO } };
  });
  for (const { one } of looked) if (one.documents > 0) known.words.set(one.word, one);
  const completions = completed ?? looked.filter(({ completes }) => completes).map(({ one }) => one);
  if (begun !== null && [...begun].length <= KEPT_LETTERS) known.completions.set(begun, completions);
  for (const one of [...looked.map(({ one }) => one), ...completions]) stems.set(one.word, one);
  return {
    found: stems,
    completions,
    total: VERIFIED_LEXEMES.reduce((sum, lexeme) => sum + (stems.get(lexeme)?.documents ?? 0), 0),
  };
}

/** Of each word those that share many groups of three letters with it, the most similar first. */
export async function speltAlike(db: Queryable, words: readonly string[]): Promise<Map<string, WordFound[]>> {
  return words.length === 0 ? new Map() : Map.groupBy(await SPELT_ALIKE.rows(db, { words }), (row) => row.of);
}

export type VouchedWords = { shared: ReadonlySet<string>; named: ReadonlySet<string> };

/** Which of some words agents of different owners have, and which are in a name. */
export async function vouchedWords(db: Queryable, words: readonly string[]): Promise<VouchedWords> {
  const rows = words.length === 0 ? [] : await VOUCHED.rows(db, { words });
  const those = (which: "shared" | "named") => new Set(rows.filter((row) => row[which]).map(({ word }) => word));
  return { shared: those("shared"), named: those("named") };
}
