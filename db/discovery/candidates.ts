/** Reads the documents that are ranked: a bounded number, those that match most first, and of those the most trusted. */
import { quoted } from "../../core/discovery/document.ts";
import { any, type Condition } from "../../core/discovery/levels.ts";
import { STUFFED_VALUE, TEXT_FACTOR, type WordClass } from "../../core/discovery/weights.ts";
import { family, statement, t } from "../sql/statement.ts";

export type CandidatesQuery = {
  /** What each document matches, and the ranges of trust in the order in which documents are wanted. */
  condition: Condition;
  ranges: readonly number[];
  minCred?: number | undefined;
  maxPrice?: number | undefined;
  inactive?: boolean | undefined;
  /** For each need of the query twice, own words and others: the lexemes by which its class is found, and a condition where that says more. */
  needs: readonly { lexemes: readonly string[]; condition: string | null }[];
  most: number;
};

/** Weights so far apart that a sum of many lower ones stays below a higher one: D, C, B, A. */
const CLASS_WEIGHTS = [1e-6, 1e-4, 1e-2, 1] as const;
const WEIGHTS = `'{${CLASS_WEIGHTS.join(",")}}'`;
/** A single occurrence of weight w has this rank times w (ts_rank's own scale, pi² / 6). */
const RANK_SCALE = 1.64493406685;
const CLASS_FROM = `'{${CLASS_WEIGHTS.map((weight) => (0.99 * weight) / RANK_SCALE).join(",")}}'::float8[]`;
/** Best class of the words of a half of a need, as a character of `found`. */
const CLASSES = [null, "D", "C", "B", "A"] as const;

/** Where a document has the words of a need: the best class of its own words, and of what it is called otherwise. */
export const classesOf = (found: string, need: number): { own: WordClass | null; other: WordClass | null } => ({
  own: CLASSES[Number(found[2 * need])]!,
  other: CLASSES[Number(found[2 * need + 1])]!,
});
const quotedAny = (lexemes: readonly string[]) => any(lexemes.map(quoted)) ?? "";

export type Placeholder = (value: unknown) => string;

/** SQL of a time as milliseconds since 1970: a number, because few of hundreds of times are used and a date costs more to make. */
const MS = (time: string) => `(date_part('epoch', ${time}) * 1000)::int8`;
/** Halves of needs that a statement is written for: a connection keeps a plan of each text, of up to half a megabyte. */
const HALVES_WRITTEN = [0, 2, 4, 8, 16];
const NO_HALF = { lexemes: [], condition: null };

/** What the rank of a document `c` is computed from, behind `WHOLE_WORDS`. */
export function columnsOf(needs: CandidatesQuery["needs"], $: Placeholder): string {
  const written = HALVES_WRITTEN.find((halves) => halves >= needs.length) ?? needs.length;
  const padded = [...needs, ...Array<typeof NO_HALF>(written - needs.length).fill(NO_HALF)];
  const classes = padded.map(({ lexemes, condition }) => {
    // ts_rank is the mean over the lexemes.
    const rank = `ts_rank(${WEIGHTS}, w.words, ${$(quotedAny(lexemes))}::tsquery) * ${$(lexemes.length)}::int4`;
    const exact = `${$(condition)}::tsquery`;
    return `case when ${exact} is null or w.words @@ ${exact} then width_bucket(${rank}, ${CLASS_FROM}) else 0 end`;
  });
  return `c.directory_id as id, c.trust, c.platform, c.chain_id as "chainId", c.cred, c.verified, c.speaks,
    c.price_usd as "priceUsd", c.owner, c.name_key as "nameKey", c.text_keys as "textKeys", c.sibling_key as "siblingKey", c.simhash, c.copy, c.disguised, c.imitation,
    not c.copy and c.factors[${TEXT_FACTOR}] <= ${STUFFED_VALUE} as stuffed,
    ${MS("coalesce(c.name_since, c.registered_at)")} as "nameSince", ${MS("c.registered_at")} as "registeredAt",
    concat(${["''", ...classes].join(", ")}) as found, length(w.words) as length`;
}
/**
 * SQL of the words of a document `c` as `w.words`, read once: long texts, mostly stuffed ones, are in pages of their own, and
 * each function that gets the column fetches them again. The array keeps them in memory.
 */
export const WHOLE_WORDS = "cross join lateral (select (array[c.words])[1] as words offset 0) w";
export const COLUMNS = {
  id: t.int8,
  trust: t.int2,
  platform: t.text,
  chainId: t.nullable(t.int4),
  cred: t.int2,
  verified: t.bool,
  speaks: t.int2,
  priceUsd: t.nullable(t.float8),
  owner: t.nullable(t.text),
  nameKey: t.nullable(t.int8),
  textKeys: t.array(t.int8),
  siblingKey: t.nullable(t.int8),
  simhash: t.nullable(t.int8),
  copy: t.bool,
  disguised: t.bool,
  imitation: t.bool,
  stuffed: t.bool,
  nameSince: t.nullable(t.int8),
  registeredAt: t.nullable(t.int8),
  found: t.text,
  length: t.int4,
};

/** What every document must meet in addition to the words. */
export const limitsOf = (
  { minCred, maxPrice, inactive }: Pick<CandidatesQuery, "minCred" | "maxPrice" | "inactive">,
  $: Placeholder,
): string[] => [
  ...(inactive ? [] : ["d.active"]),
  ...(minCred === undefined ? [] : [`d.cred >= ${$(minCred)}::int2`]),
  ...(maxPrice === undefined ? [] : [`d.price_usd <= ${$(maxPrice)}::float8`]),
];

export const CANDIDATES = family({
  name: "discovery-candidates",
  text: ({ condition, ranges, needs, most, ...limited }: CandidatesQuery, $) => {
    const bound = `${$(most)}::int4`;
    const matching = condition === null ? [] : [`d.words @@ ${$(condition)}::tsquery`];
    const limits = limitsOf(limited, $);
    const branches = ranges.map((range) => {
      // A literal, equal to the condition of the range's index.
      const where = [`d.trust_range = ${range}`, ...matching, ...limits];
      return `select * from (select d.* from offchain.discovery_document d where ${where.join(" and ")} limit ${bound}) b`;
    });
    return `select ${columnsOf(needs, $)} from (${branches.join(" union all ")} limit ${bound}) c ${WHOLE_WORDS}`;
  },
  columns: COLUMNS,
  // Planning takes as long as reading does. Filters would make too many texts.
  prepared: ({ minCred, maxPrice }) => minCred === undefined && maxPrice === undefined,
  examples: [
    {
      condition: "'a' & 'b'",
      ranges: [7, 0],
      minCred: 1,
      maxPrice: 0.1,
      needs: [
        { lexemes: ["a"], condition: null },
        { lexemes: ["b", "c"], condition: "'b' <-> 'c'" },
        { lexemes: [], condition: null },
      ],
      most: 10,
    },
    { condition: null, ranges: [0], needs: [], most: 10, inactive: true },
  ],
});

/** Positions of lexemes in documents. The other lexemes are left out before the words are taken apart: all get one class, and those asked for another. */
export const POSITIONS = statement({
  name: "discovery-positions",
  params: { ids: t.array(t.int8), lexemes: t.array(t.text) },
  text: `
    select d.directory_id as id, u.lexeme, u.positions as places
    from offchain.discovery_document d, unnest(ts_filter(setweight(setweight(d.words, 'D'), 'A', $lexemes), '{a}')) u
    where d.directory_id = any($ids)`,
  columns: { id: t.int8, lexeme: t.text, places: t.array(t.int2) },
  prepared: true,
});
