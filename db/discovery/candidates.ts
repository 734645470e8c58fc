/** Reads the documents that are ranked: a bounded number, those that match most first, and of those the most trusted. */
import { quoted } from "../../core/discovery/document.ts";
import { any, type Branch } from "../../core/discovery/levels.ts";
import { STUFFED_VALUE, TEXT_FACTOR, type WordClass } from "../../core/discovery/weights.ts";
import {
  array,
  bool,
  family,
  float8,
  int2,
  int4,
  int8,
  nullable,
  statement,
  text,
  timestamptz,
} from "../sql/statement.ts";

export type CandidatesQuery = {
  /** In the order in which documents are wanted; each document matches one of them. */
  branches: readonly Branch[];
  minCred?: number | undefined;
  maxPrice?: number | undefined;
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

/** What the rank of a document `c` is computed from. */
export function columnsOf(needs: CandidatesQuery["needs"], $: Placeholder): string {
  const classes = needs.map(({ lexemes, condition }) => {
    // ts_rank is the mean over the lexemes.
    const rank = `ts_rank(${WEIGHTS}, c.words, ${$(quotedAny(lexemes))}::tsquery) * ${lexemes.length}`;
    const found = `width_bucket(${rank}, ${CLASS_FROM})`;
    return condition === null ? found : `case when c.words @@ ${$(condition)}::tsquery then ${found} else 0 end`;
  });
  return `c.directory_id as id, c.trust, c.platform, c.chain_id as "chainId", c.cred, c.verified, c.speaks,
    c.price_usd as "priceUsd", c.owner, c.name_key as "nameKey", c.text_key as "textKey", c.sibling_key as "siblingKey", c.simhash, c.copy, c.disguised, c.imitation,
    not c.copy and c.factors[${TEXT_FACTOR}] <= ${STUFFED_VALUE} as stuffed,
    coalesce(c.name_since, c.registered_at) as "nameSince", c.registered_at as "registeredAt",
    concat(${["''", ...classes].join(", ")}) as found, length(c.words) as length`;
}
export const COLUMNS = {
  id: int8,
  trust: int2,
  platform: text,
  chainId: nullable(int4),
  cred: int2,
  verified: bool,
  speaks: int2,
  priceUsd: nullable(float8),
  owner: nullable(text),
  nameKey: nullable(int8),
  textKey: nullable(int8),
  siblingKey: nullable(int8),
  simhash: nullable(int8),
  copy: bool,
  disguised: bool,
  imitation: bool,
  stuffed: bool,
  nameSince: nullable(timestamptz),
  registeredAt: nullable(timestamptz),
  found: text,
  length: int4,
};

/** What every document must meet in addition to the words. */
export const limitsOf = (
  { minCred, maxPrice }: Pick<CandidatesQuery, "minCred" | "maxPrice">,
  $: Placeholder,
): string[] => [
  ...(minCred === undefined ? [] : [`d.cred >= ${$(minCred)}::int2`]),
  ...(maxPrice === undefined ? [] : [`d.price_usd <= ${$(maxPrice)}::float8`]),
];

export const CANDIDATES = family({
  name: "discovery-candidates",
  text: ({ branches: wanted, minCred, maxPrice, needs, most }: CandidatesQuery, $) => {
    const limits = limitsOf({ minCred, maxPrice }, $);
    const bound = `${$(most)}::int4`;
    const distinct = [...new Set(wanted.map(({ condition }) => condition))].filter((condition) => condition !== null);
    const conditions = new Map(distinct.map((condition) => [condition, $(condition)]));
    const branches = wanted.map(({ condition, range }) => {
      const matching = condition === null ? [] : [`d.words @@ ${conditions.get(condition)}::tsquery`];
      // The range as it stands in its index' condition.
      const where = [`d.trust_range = ${range}`, ...matching, ...limits];
      return `select * from (select d.* from offchain.discovery_document d where ${where.join(" and ")} limit ${bound}) b`;
    });
    return `select ${columnsOf(needs, $)} from (${branches.join(" union all ")} limit ${bound}) c`;
  },
  columns: COLUMNS,
  examples: [
    {
      branches: [
        { condition: "'a' & 'b'", range: 7 },
        { condition: null, range: 0 },
      ],
      minCred: 1,
      maxPrice: 0.1,
      needs: [
        { lexemes: ["a"], condition: null },
        { lexemes: ["b", "c"], condition: "'b' <-> 'c'" },
        { lexemes: [], condition: null },
      ],
      most: 10,
    },
    { branches: [{ condition: null, range: 0 }], needs: [], most: 10 },
  ],
});

/** Positions of lexemes in documents. */
export const POSITIONS = statement({
  name: "discovery-positions",
  params: { ids: array(int8), lexemes: array(text) },
  text: `
    select d.directory_id as id, u.lexeme, u.positions as places
    from offchain.discovery_document d, unnest(d.words) u
    where d.directory_id = any($ids) and u.lexeme = any($lexemes) and u.positions is not null`,
  columns: { id: int8, lexeme: text, places: array(int2) },
});
