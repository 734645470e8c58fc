/**
 * Pages of the directory by its planes: totals and the places of pages come from a few dozen planes for any question. Rows
 * that have changed since the last fold are left out of the planes and read from the table, so an answer is exactly that of
 * its snapshot.
 */
import { searchKinds } from "../../../core/directory/filters.ts";
import { isAsciiText } from "../../sql/search-words.ts";
import { family, type Queryable, statement, t } from "../../sql/statement.ts";
import { ETHOS } from "../ethos-sql.ts";
import {
  addressMatches,
  type DirectoryPage,
  type DirectoryQuery,
  type DirectoryTotals,
  EXAMPLES,
  foldedWord,
  isOfFew,
  matching,
  SORTS,
  wordMatches,
} from "../question-sql.ts";
import { addressBits, gramBits, LIVE, narrowingBits, orderOf, SCORE_PLANES, SCORED, X402 } from "./conditions.ts";
import { type Image, readImage } from "./image.ts";
import { GRAM_CHARACTERS, gramPlane, gramsOf, shortGramsOf } from "./layout.ts";

/** Max changed rows that a reader reads from the table. */
const MAX_CHANGED = 20_000;
/** Max rows before and after a page that are read and sorted with it. */
const SPARE_ROWS = 256;

/** What is read next is short: workers and compiled plans would take longer to start. */
const CHANGED = statement({
  name: "directory-planes-changed",
  params: { xmax: t.text, inProgress: t.array(t.text), planes: t.array(t.text) },
  text: `
    select array(select id from (
             select id from offchain.directory_score
               where changed_xid >= $xmax::text::xid8 and changed_xid < pg_snapshot_xmax(pg_current_snapshot())
             union all select id from offchain.directory_score where changed_xid = any($inProgress::text[]::xid8[])
             union all select id from offchain.directory_slot where loose
             limit ${MAX_CHANGED + 1}) c) as changed,
           array(select distinct plane from offchain.directory_plane where plane = any($planes::text[])) as planes,
           set_config('max_parallel_workers_per_gather', '0', true) as alone, set_config('jit', 'off', true) as jit`,
  columns: { changed: t.array(t.int8), planes: t.array(t.text), alone: t.text, jit: t.text },
});

/**
 * How the names that contain a text are found: by its own plane; by its rare characters or pairs of them; by the index of
 * trigrams; or by reading the names that have all its grams. `grams` are those of the plane, the rare ones, or all.
 */
type ByName = { word: string; grams: string[]; way: (typeof WAYS)[number] };
const WAYS = ["plane", "rare", "trigrams", "names"] as const;

/** @param planes the planes of grams that there are */
function wayTo(word: string, planes: ReadonlySet<string>): ByName {
  const has = (gram: string) => planes.has(gramPlane(gram));
  const rare = shortGramsOf(word).filter((gram) => !has(gram));
  if ([...word].length <= GRAM_CHARACTERS && has(word)) return { word, way: "plane", grams: [word] };
  if (rare.length > 0) return { word, way: "rare", grams: rare };
  const long = [...gramsOf(word)].filter((gram) => [...gram].length === GRAM_CHARACTERS);
  // Of other characters the index may know nothing: it depends on the database's locale.
  if (/[a-z0-9]{3}/.test(word) && !long.every(has)) return { word, way: "trigrams", grams: [] };
  return { word, way: "names", grams: long.filter(has) };
}

/** The ids of rows that the planes do not show as they are, and the planes of the search. */
type State = { changed: number[]; byName: ByName | undefined };

/** What the planes know; undefined where they cannot answer. */
async function stateOf(db: Queryable, image: Image, q: string | undefined): Promise<State | undefined> {
  const word = q === undefined ? "" : isAsciiText(q) ? q.toLowerCase() : await foldedWord(db, { text: q });
  const { xmax, inProgress } = image;
  const { changed, planes } = await CHANGED.one(db, { xmax, inProgress, planes: [...gramsOf(word)].map(gramPlane) });
  if (changed.length > MAX_CHANGED) return undefined;
  return { changed, byName: word === "" ? undefined : wayTo(word, new Set(planes)) };
}

type Question = State & { query: DirectoryQuery; spare: number };

/** A pattern of LIKE that finds a text literally. */
const pattern = (word: string) => `%${word.replace(/[\\%_]/g, "\\$&")}%`;

/** SQL of a CTE with the bits of those rows in `narrowed` whose names match. */
function namedSql({ word, grams, way }: ByName, $: (value: unknown) => string): string {
  if (way === "plane") return `select narrowed.bits & ${gramBits(grams, $)} as bits from narrowed`;
  const like = $(pattern(word));
  const at = (slots: string) =>
    `select offchain.bits_at(array(${slots}), narrowed.bits) & narrowed.bits as bits from narrowed`;
  if (way === "rare")
    return at(`select slot from offchain.directory_slot
      where rare @> ${$(grams)}::text[] and search_name like ${like} and slot is not null`);
  if (way === "trigrams")
    return at(`select p.slot from offchain.directory d join offchain.directory_slot p on p.id = d.id
      where d.removed_at is null and d.search_name like ${like} and p.slot is not null`);
  const before = grams.length > 0 ? `narrowed.bits & ${gramBits(grams, $)}` : "narrowed.bits";
  return at(`select p.slot from offchain.directory_slot p, (select ${before} as bits from narrowed offset 0) n
    where get_bit(n.bits, p.slot) = 1 and p.search_name like ${like}`);
}

/** SQL of the bits of a CTE without those of changed rows. */
const unchangedSql = (of: string, changed: readonly number[], $: (value: unknown) => string) =>
  changed.length === 0
    ? `select bits from ${of}`
    : `select bits & ~offchain.bits_at(array(select slot from offchain.directory_slot
         where id = any(${$(changed)}::int8[]) and slot is not null), bits) as bits from ${of}`;

/** SQL of a CTE with the bits of the rows that match, without those that have changed. */
function matchedSql({ query, byName, changed }: Question, $: (value: unknown) => string): string {
  const { q } = query;
  const parts = [`narrowed as materialized (select ${narrowingBits(query, query.now)} as bits)`];
  let matched = "select bits from narrowed";
  if (q !== undefined && byName !== undefined) {
    const addresses = addressBits(searchKinds(q).addressPrefix ?? "");
    const matches = addresses === undefined ? [...wordMatches(q, $), ...addressMatches(q, $)] : wordMatches(q, $);
    const slots = matches.map(
      (match) => `select p.slot from offchain.directory d join offchain.directory_slot p on p.id = d.id
        where d.removed_at is null and p.slot is not null and ${match}`,
    );
    parts.push(`named as materialized (${namedSql(byName, $)})`);
    parts.push(`others as materialized (select array(${slots.join(" union all ")}) as places)`);
    matched = `select (named.bits${addresses === undefined ? "" : ` | ${addresses}`}
        | offchain.bits_at(others.places, named.bits)) & narrowed.bits as bits from named, others, narrowed`;
  }
  parts.push(`met as materialized (${matched})`);
  parts.push(`matched as materialized (${unchangedSql("met", changed, $)})`);
  return parts.join(",\n");
}

const FIND = family({
  name: "directory-planes-find",
  text(question: Question, $) {
    const { query, changed, spare } = question;
    const { sort, descending, offset, limit } = query;
    const { planes, onesFirst, nullable, mixed } = orderOf(sort, descending);
    const matched = matchedSql(question, $);
    // The planner is to look these rows up, and not to walk an index that it takes for shorter.
    const rows = `(select * from offchain.directory where id = any(${$(changed)}::int8[]) offset 0) d`;
    const scores = "(select d.id, case when d.removed_at is null then d.cred_score end as cred_score) s";
    const { from, where, id, key } = matching(query, $, sort, `${rows} cross join lateral ${scores}`);
    const joins = sort === "ethos_score" ? ETHOS.joins : "";
    const start = `${$(offset)}::int8`;
    return `with ${matched},
      changed as materialized (
        select ${id} as id, ${key} as key from ${from} where ${where}),
      found as materialized (
        select b.block, b.before, bit_count(m.bits) as total
        from matched m, lateral offchain.directory_block(m.bits, ${$(planes)}::text[], ${$(onesFirst)}::bool[], ${nullable}, ${mixed},
          greatest(0, ${start} - (select count(*) from changed)), ${start} + ${$(limit)}::int8 - 1, ${$(spare)}::int4) b),
      candidates as (
        select d.id, ${SORTS[sort]} as key
        from found f, lateral offchain.bit_places(f.block) place
        join offchain.directory_slot p on p.slot = place
        join offchain.directory d on d.id = p.id join offchain.directory_score s on s.id = d.id ${joins}
        union all select id, key from changed)
      select (select total from found) + (select count(*) from changed) as total,
        array(select id from candidates order by key ${descending ? "desc" : "asc"} nulls last, id
          limit ${$(limit)}::int8 offset ${start} - (select before from found)) as ids`;
  },
  columns: { total: t.int8, ids: t.array(t.int8) },
  examples: EXAMPLES.filter((query) => !isOfFew(query)).flatMap((query): Question[] =>
    query.q === undefined
      ? [{ query, spare: 1, changed: [], byName: undefined }]
      : WAYS.map((way) => ({ query, spare: 1, changed: [1], byName: { word: "nova", grams: ["nov"], way } })),
  ),
});

/**
 * The page and the exact total; undefined where the planes cannot answer: there are none, too much has changed since
 * they were folded, or the search is for a wallet or an owner, which indexes find at once.
 * @param tx a transaction with one snapshot
 * @param spare rows on either side of a page that may be sorted for it; tests ask for few
 */
export async function findByPlanes(
  tx: Queryable,
  query: DirectoryQuery,
  spare = SPARE_ROWS,
): Promise<DirectoryPage | undefined> {
  if (isOfFew(query)) return undefined;
  const image = await readImage(tx);
  if (image === null) return undefined;
  const state = await stateOf(tx, image, query.q);
  return state && FIND.one(tx, { ...state, query, spare });
}

const TOTALS = family({
  name: "directory-planes-totals",
  text: ({ changed }: Pick<State, "changed">, $) => `
    with live as materialized (select ${LIVE} as bits), shown as materialized (${unchangedSql("live", changed, $)}),
    changed as (
      select count(*) as total, count(*) filter (where cred_score > 0) as scored, coalesce(sum(cred_score), 0) as sum,
             count(*) filter (where x402_supported) as x402
      from offchain.directory where id = any(${$(changed)}::int8[]) and removed_at is null)
    select bit_count(s.bits) + c.total as total, bit_count(s.bits & ${SCORED}) + c.scored as scored,
           (${SCORE_PLANES.map((plane, i) => `${2 ** (SCORE_PLANES.length - 1 - i)} * bit_count(s.bits & ${plane})`).join(" + ")} + c.sum)::int8 as sum,
           bit_count(s.bits & ${X402}) + c.x402 as x402
    from shown s, changed c`,
  columns: { total: t.int8, scored: t.int8, sum: t.int8, x402: t.int8 },
  examples: [{ changed: [] }, { changed: [1] }],
});

/**
 * Totals of the whole directory; undefined where the planes cannot answer.
 * @param tx a transaction with one snapshot
 */
export async function totalsByPlanes(tx: Queryable): Promise<DirectoryTotals | undefined> {
  const image = await readImage(tx);
  const state = image && (await stateOf(tx, image, undefined));
  return state ? TOTALS.one(tx, state) : undefined;
}
