/** Counts in how many documents each word is, from a sample. */
import { family, float8, statement } from "../statement.ts";
import type { Queryable } from "../transaction.ts";

/** Documents of the sample. */
const SAMPLE = 60_000;

const SIZE = statement({
  name: "discovery-size",
  text: `select greatest(c.reltuples, 0)::float8 as documents from pg_class c where c.oid = 'offchain.discovery_document'::regclass`,
  columns: { documents: float8 },
});

/** `ts_stat` runs a query of its own, which cannot have parameters. Words that the sample lacks keep their number. */
const COUNT = family({
  name: "discovery-count",
  text: ({ percent }: { percent: number }) => `
    insert into offchain.discovery_word as w (word, written, documents)
    select s.word, false, greatest(1, round(s.ndoc * 100 / ${percent}::float8))::int4
    from ts_stat('select words from offchain.discovery_document ${percent < 100 ? `tablesample system (${percent}) repeatable (1)` : ""}') s
    order by s.word
    on conflict (word) do update set documents = excluded.documents where w.documents <> excluded.documents`,
  examples: [{ percent: 100 }, { percent: 5 }],
});

/** Number of documents, as the database estimates it. */
export const documentsOf = async (db: Queryable): Promise<number> => (await SIZE.one(db)).documents;

/** Brings the numbers of documents in `discovery_word` up to date. */
export async function countWords(db: Queryable): Promise<void> {
  const documents = await documentsOf(db);
  await COUNT.run(db, { percent: documents <= SAMPLE ? 100 : Math.max(1, Math.round((100 * SAMPLE) / documents)) });
}
