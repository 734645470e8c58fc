/** Reads the documents that are ranked: a bounded number, those that match most first, and of those the most trusted. */
import type { Branch } from "../../core/discovery/levels.ts";
import { array, bool, family, float4, float8, int2, int4, int8, nullable, statement, text } from "../statement.ts";

export type CandidatesQuery = {
  /** In the order in which documents are wanted; each document matches one of them. */
  branches: readonly Branch[];
  minCred?: number | undefined;
  maxPrice?: number | undefined;
  /** For each need of the query the lexemes by which its class is found, and a condition where that says more. */
  needs: readonly { lexemes: string; condition: string | null }[];
  most: number;
};

/** Weights so far apart that a sum of many lower ones stays below a higher one: D, C, B, A. */
export const CLASS_WEIGHTS = { D: 1e-6, C: 1e-4, B: 1e-2, A: 1 } as const;
const WEIGHTS = `'{${Object.values(CLASS_WEIGHTS).join(",")}}'`;

export const CANDIDATES = family({
  name: "discovery-candidates",
  text: ({ branches: wanted, minCred, maxPrice, needs, most }: CandidatesQuery, $) => {
    const limits = [
      ...(minCred === undefined ? [] : [`d.cred >= ${$(minCred)}::int2`]),
      ...(maxPrice === undefined ? [] : [`d.price_usd <= ${$(maxPrice)}::float8`]),
    ];
    const bound = `${$(most)}::int4`;
    const branches = wanted.map(({ condition, ordered }) => {
      const where = [...(condition === null ? [] : [`d.words @@ ${$(condition)}::tsquery`]), ...limits];
      return `select * from (select d.* from offchain.discovery_document d ${where.length ? `where ${where.join(" and ")}` : ""} ${ordered ? "order by d.trust desc, d.directory_id" : ""} limit ${bound}) b`;
    });
    const classes = needs.map(({ lexemes, condition }) => {
      const rank = `ts_rank(${WEIGHTS}, c.words, ${$(lexemes)}::tsquery)`;
      return condition === null ? rank : `case when c.words @@ ${$(condition)}::tsquery then ${rank} else 0 end`;
    });
    return `
      select c.directory_id as id, c.trust, c.factors, c.platform, c.chain_id as "chainId", c.cred, c.verified, c.speaks,
        c.price_usd as "priceUsd", c.owner, c.name_key as "nameKey", c.text_key as "textKey", c.simhash, c.copy,
        array[${classes.join(", ")}]::float4[] as found, length(c.words) as length
      from (${branches.join(" union all ")} limit ${bound}) c`;
  },
  columns: {
    id: int8,
    trust: int2,
    factors: array(int2),
    platform: text,
    chainId: nullable(int4),
    cred: int2,
    verified: bool,
    speaks: int2,
    priceUsd: nullable(float8),
    owner: nullable(text),
    nameKey: nullable(int8),
    textKey: nullable(int8),
    simhash: nullable(int8),
    copy: bool,
    found: array(float4),
    length: int4,
  },
  examples: [
    {
      branches: [
        { condition: "'a' & 'b'", ordered: true },
        { condition: null, ordered: false },
      ],
      minCred: 1,
      maxPrice: 0.1,
      needs: [
        { lexemes: "'a'", condition: null },
        { lexemes: "'b'", condition: "'b' <-> 'c'" },
      ],
      most: 10,
    },
    { branches: [{ condition: null, ordered: false }], needs: [], most: 10 },
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
