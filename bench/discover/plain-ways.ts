/** The plain ways of searching, over the same words of the same rows: `ts_rank`, trigram similarity, newest first. */
import type pg from "pg";
import { PLACES } from "./judge.ts";

/** A way of searching. @returns ids of rows, best first */
export type Way = {
  name: string;
  /** Takes seconds a question in large directories. */
  slow?: true;
  ask(q: string): Promise<number[]>;
};

/** Indexes for the plain ways on the table `bench_text` that `plant` has filled. */
export const INDEXES = [
  "set maintenance_work_mem = '512MB'",
  "alter table bench_text add column words_tsv tsvector generated always as (to_tsvector('english', words)) stored",
  "create index bench_text_tsv on bench_text using gin (words_tsv)",
  "create index bench_text_trigrams on bench_text using gin (words offchain.gin_trgm_ops)",
  "vacuum analyze bench_text",
];

/** Words that are excluded, and the others: an OR is over the others only. */
const split = (q: string) => {
  const parts = q.match(/-?"[^"]*"|\S+/g) ?? [];
  return {
    wanted: parts.filter((part) => !part.startsWith("-")),
    excluded: parts.filter((part) => part.startsWith("-")),
  };
};

const ranked = (query: string, order = `ts_rank(words_tsv, ${query}) desc`) =>
  `select id from bench_text where words_tsv @@ ${query} order by ${order}, id limit ${PLACES}`;
const AND = "websearch_to_tsquery('english', $1)";
const OR = "(websearch_to_tsquery('english', $1) && websearch_to_tsquery('english', $2))";

export const TS_RANK_AND = "ts_rank, all words";
export const TS_RANK_OR = "ts_rank, any word";

/** @param pool one connection at a time is used */
export function plainWays(pool: pg.Pool): Way[] {
  const ids = async (sql: string, values: unknown[]) =>
    (await pool.query<{ id: number }>(sql, values)).rows.map(({ id }) => id);
  return [
    { name: TS_RANK_AND, ask: (q) => ids(ranked(AND), [q]) },
    {
      name: TS_RANK_OR,
      ask(q) {
        const { wanted, excluded } = split(q);
        const or = wanted.join(" or ");
        // Without a word to exclude, the second query would be empty and match nothing.
        return excluded.length > 0 ? ids(ranked(OR), [or, excluded.join(" ")]) : ids(ranked(AND), [or]);
      },
    },
    {
      name: "trigram similarity",
      slow: true,
      ask: (q) =>
        ids(
          `select id from bench_text where $1 operator(offchain.<%) words
           order by offchain.word_similarity($1, words) desc, id limit ${PLACES}`,
          [q],
        ),
    },
    { name: "newest first", ask: (q) => ids(ranked(AND, "created_at desc"), [q]) },
  ];
}
