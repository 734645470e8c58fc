/** Keeps the table of words to the documents: counts in how many each word is, from a sample, and removes what none has. */
import type pg from "pg";
import { TRUST_RANGES } from "../../core/discovery/levels.ts";
import { family, statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { lockWords } from "./stems.ts";

const SAMPLE_DOCUMENTS = 60_000;
/** A word that this many documents of a sample should have is in one of them nearly for certain. */
const CERTAIN_FROM = 10;
/** Min pages of the table of words that are checked in one round; a page has about a hundred words. */
const MIN_PAGES = 8;
/** Rounds of ten seconds in which every word is checked about once, six hours: faster than changes by strangers add words. */
const ROUNDS_PER_LOOK = 2_160;
/** Words, in one round. */
const MAX_REMOVED = 5_000;

/** Number of documents, as the database estimates it, and pages of the table of words. */
export const sizesOf = statement({
  name: "discovery-sizes",
  text: `
    select greatest(c.reltuples, 0)::float8 as documents,
      pg_relation_size('offchain.discovery_word') / current_setting('block_size')::int8 as pages
    from pg_class c where c.oid = 'offchain.discovery_document'::regclass`,
  columns: { documents: t.float8, pages: t.int8 },
}).one;

/**
 * `ts_stat` runs a query of its own, which cannot have parameters. Words that the sample lacks keep their number, except where
 * it would have them if that were so.
 */
const COUNT = family({
  name: "discovery-count",
  text: ({ percent }: { percent: number }) => `
    with counted as materialized (
      select s.word, greatest(1, round(s.ndoc * 100 / ${percent}::float8))::int4 as documents
      from ts_stat('select words from offchain.discovery_document ${percent < 100 ? `tablesample system (${percent}) repeatable (1)` : ""}') s),
    lost as (
      update offchain.discovery_word w set documents = 1
      where w.documents > ${rarest(percent)} and not exists (select from counted c where c.word = w.word))
    insert into offchain.discovery_word as w (word, written, documents)
    select c.word, false, c.documents from counted c order by c.word
    on conflict (word) do update set documents = excluded.documents where w.documents <> excluded.documents`,
  examples: [{ percent: 100 }, { percent: 5 }],
});

/** Words that no document of any range of trust has, among those of a share of the pages; frequent ones are not asked about. */
const REMOVE = family({
  name: "discovery-words-remove",
  text: ({ percent, pages }: { percent: number; pages: number }) => `
    delete from offchain.discovery_word where word in (
      select w.word from offchain.discovery_word w ${pages < 100 ? `tablesample system (${pages})` : ""}
      cross join lateral (select array_to_tsvector(array[w.word])::text::tsquery as has) q
      where w.documents <= ${rarest(percent)}
        and ${TRUST_RANGES.map((range) => `not exists (select from offchain.discovery_document d where d.trust_range = ${range} and d.words @@ q.has)`).join(" and ")}
      limit ${MAX_REMOVED})`,
  examples: [
    { percent: 100, pages: 100 },
    { percent: 5, pages: 1.5 },
  ],
});

/** Documents of a word from which on a sample of `percent` percent of all documents has it. */
const rarest = (percent: number) => Math.ceil((CERTAIN_FROM * 100) / percent);

const sampled = (documents: number) =>
  documents <= SAMPLE_DOCUMENTS ? 100 : Math.max(1, Math.round((100 * SAMPLE_DOCUMENTS) / documents));

/** Brings the numbers of documents in `discovery_word` up to date. */
export async function countWords(db: Queryable): Promise<void> {
  await COUNT.run(db, { percent: sampled((await sizesOf(db)).documents) });
}

/**
 * Removes words that no document has any more, of a part of the table: strangers change their texts as often as they
 * like, and each of their words would stay.
 * Check then write: no document has the word, then its removal; a document may have it again: the writer of documents
 * takes the same lock until it commits and looks once it has it (`lockWords`), so a document on its way is waited for.
 */
export async function removeWords(pool: pg.Pool, given?: Awaited<ReturnType<typeof sizesOf>>): Promise<void> {
  const { documents, pages } = given ?? (await sizesOf(pool));
  const part = Math.max(MIN_PAGES, pages / ROUNDS_PER_LOOK);
  const percent = sampled(documents);
  await transaction(pool, async (tx) => {
    await lockWords(tx);
    await REMOVE.run(tx, { percent, pages: pages <= part ? 100 : (100 * part) / pages });
  });
}
