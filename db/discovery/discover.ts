/** Finds agents by what they can do, ranked by relevance × trust. */
import { createHash } from "node:crypto";
import { PROTOCOLS } from "../../core/directory/protocols.ts";
import { hashOf } from "../../core/discovery/copies.ts";
import { quoted } from "../../core/discovery/document.ts";
import { facetsOf } from "../../core/discovery/facets.ts";
import { highlightsOf } from "../../core/discovery/highlights.ts";
import { all, any, branchesOf, type Condition, levelsOf, not } from "../../core/discovery/levels.ts";
import { nameKeyOf } from "../../core/discovery/look-alikes.ts";
import * as marks from "../../core/discovery/marks.ts";
import { type DiscoverHit, type DiscoverPage, type DiscoverQuery, MAX_HITS } from "../../core/discovery/query.ts";
import { type Candidate, inOrder, MAX_PLACED, type Ranked, ranked } from "../../core/discovery/rank.ts";
import { explained, FIELD_WORTH, SYNONYM_WORTH, type WordClass } from "../../core/discovery/ranking.ts";
import { type ReadQuery, readQuery } from "../../core/discovery/read-query.ts";
import { fail } from "../../core/errors.ts";
import type { Row } from "../statement.ts";
import type { Queryable } from "../transaction.ts";
import { CANDIDATES, CLASS_WEIGHTS, POSITIONS } from "./candidates.ts";
import { type Expanded, expand, phrase } from "./expand.ts";
import { knownAgents } from "./known.ts";
import { matcher } from "./matcher.ts";
import { lookUp } from "./words.ts";

/** Documents that are ranked. What matches less, or is trusted less, than this many is not reached. */
export const MAX_CANDIDATES = 500;
/** With this many that match the whole query, no others are read. */
const ENOUGH = 60;
/** Longer queries are no names. */
const MAX_NAME = 64;

type Found = Row<typeof CANDIDATES>;
type Placed = Ranked<Candidate & { row: Found }>;

export async function discover(db: Queryable, query: DiscoverQuery, now: Date): Promise<DiscoverPage> {
  const read = readQuery(query.q);
  const { needs, unknown, corrected, total } = await expand(db, read.needs);
  const found =
    read.needs.length > 0 && needs.length === 0
      ? { rows: [], whole: true }
      : await candidates(db, { query, read, needs, total });
  const name = nameKeyOf(query.q.slice(0, MAX_NAME));
  const nameKey = name === "" ? null : hashOf(name);
  const first = inOrder(
    found.rows.map((row) => candidateOf(row, needs, read, nameKey)),
    needs.map(({ weight }) => weight),
  );
  const order = ranked(first, await positionsOf(db, first.slice(0, MAX_PLACED), needs));
  const limit = Math.min(MAX_HITS, Math.max(1, Math.floor(query.limit)));
  const key = keyOf(query);
  const from = placeAfter(order, query.cursor, key);
  const page = order.slice(from, from + limit);
  const last = page.at(-1);
  const estimate = found.whole ? order.length : Math.max(order.length, estimated(needs, total));
  return {
    hits: await hitsOf(db, page, needs, now),
    total: estimate,
    totalIsExact: found.whole,
    nextCursor: last && from + limit < order.length ? cursorOf(last, key) : null,
    facets: facetsOf(
      order.map(({ candidate }) => candidate.row),
      order.length === 0 ? 1 : estimate / order.length,
    ),
    understood: {
      words: [...needs.map(({ text }) => text), ...unknown],
      filters: {
        ...(read.speaks.length > 0 && { speaks: read.speaks }),
        ...(read.maxPrice !== null && { maxPrice: read.maxPrice }),
      },
      corrected,
    },
  };
}

/** Documents that have the rarest word, as if every one had the others too: an upper bound of those that match. */
const estimated = (needs: readonly Expanded[], total: number) => needs[0]?.documents ?? total;

type Asked = { query: DiscoverQuery; read: ReadQuery; needs: readonly Expanded[]; total: number };
async function candidates(db: Queryable, { query, read, needs, total }: Asked) {
  const filter = await filterOf(db, query, read);
  const preferred = all([
    ...read.speaks.map((protocol) => quoted(marks.protocolMark(protocol))),
    ...(read.maxPrice === null || read.maxPrice === 0 ? [] : [quoted(marks.pricedMark)]),
  ]);
  const { strong, weak } = levelsOf(needs, total, preferred);
  const wanted = {
    minCred: query.minCred,
    maxPrice: query.maxPrice,
    needs: needs.flatMap(({ lexemes, others, exact, condition }) =>
      [lexemes, others].map((some) => ({
        lexemes: any(some.map(quoted)) ?? "",
        condition: exact ? condition : null,
      })),
    ),
  };
  const readLevels = (levels: typeof strong, most: number) =>
    CANDIDATES.rows(db, {
      ...wanted,
      most,
      branches: branchesOf(levels).map((one) => ({ ...one, condition: all([one.condition, filter]) })),
    });
  const rows = await readLevels(strong, MAX_CANDIDATES);
  if (rows.length < ENOUGH && weak.length > 0) rows.push(...(await readLevels(weak, MAX_CANDIDATES - rows.length)));
  return { rows, whole: rows.length < MAX_CANDIDATES };
}

/** What every hit must be. */
async function filterOf(db: Queryable, query: DiscoverQuery, read: ReadQuery): Promise<Condition> {
  const wanted = (query.speaks ?? []).slice(0, PROTOCOLS.length).map((name) => {
    const protocol = PROTOCOLS.find((one) => one.toLowerCase() === name.toLowerCase());
    return quoted(protocol ? marks.protocolMark(protocol) : "!");
  });
  const { found } = read.excluded.length > 0 ? await lookUp(db, read.excluded.flat()) : { found: new Map() };
  return all([
    ...wanted,
    ...(query.platform && query.platform.length > 0
      ? [any(query.platform.map((one) => quoted(marks.platformMark(one))))]
      : []),
    ...(query.chain === undefined ? [] : [quoted(marks.chainMark(query.chain))]),
    ...(query.verified === undefined ? [] : [quoted(marks.verifiedMark(query.verified))]),
    ...(query.accepts === "x402" ? [quoted(marks.protocolMark("x402"))] : []),
    ...(query.maxPrice === undefined ? [] : [quoted(marks.pricedMark)]),
    ...read.excluded.map((words) => not(phrase(words, (word) => found.get(word)?.stem ?? word))),
    ...read.excludedProtocols.map((protocol) => not(quoted(marks.protocolMark(protocol)))),
  ]);
}

/** A single occurrence of weight w has this rank times w (ts_rank's own scale, pi² / 6). */
const RANK_SCALE = 1.64493406685;

function candidateOf(
  row: Found,
  needs: readonly Expanded[],
  read: ReadQuery,
  nameKey: number | null,
): Candidate & { row: Found } {
  const bits = (protocol: (typeof PROTOCOLS)[number]) => 1 << PROTOCOLS.indexOf(protocol);
  const unmetSpeaks = read.speaks.filter((protocol) => (row.speaks & bits(protocol)) === 0).length;
  const tooDear =
    read.maxPrice === 0
      ? (row.speaks & bits("x402")) !== 0 && row.priceUsd !== 0
      : read.maxPrice !== null && (row.priceUsd === null || row.priceUsd > read.maxPrice);
  const own = needs.map(({ lexemes }, i) => classOf(row.found[2 * i]! * lexemes.length));
  const other = needs.map(({ others }, i) => classOf(row.found[2 * i + 1]! * others.length));
  const worthOf = (one: WordClass | null) => (one ? FIELD_WORTH[one] : 0);
  return {
    ...row,
    row,
    worth: needs.map((_, i) => Math.max(worthOf(own[i]!), SYNONYM_WORTH * worthOf(other[i]!))),
    named: needs.length > 0 && own.every((one) => one === "A"),
    exact: nameKey !== null && row.nameKey === nameKey,
    unmet: unmetSpeaks + Number(tooDear),
  };
}

/** @param rank sum of the ranks of single words */
function classOf(rank: number): WordClass | null {
  const classes = ["A", "B", "C", "D"] as const;
  return classes.find((one) => rank * RANK_SCALE >= 0.99 * CLASS_WEIGHTS[one]) ?? null;
}

/** Where the words of each need stand in the documents of candidates, in the query's order. */
async function positionsOf(db: Queryable, of: readonly Placed[], needs: readonly Expanded[]) {
  const positions = new Map<number, number[][]>();
  if (needs.length < 2 || of.length === 0) return positions;
  const asAsked = needs.toSorted((a, b) => a.place - b.place);
  const needOf = new Map(
    asAsked.flatMap(({ lexemes, others }, i) => [...lexemes, ...others].map((lexeme) => [lexeme, i])),
  );
  const ids = of.map(({ candidate }) => candidate.id);
  for (const { id, lexeme, places } of await POSITIONS.rows(db, { ids, lexemes: [...needOf.keys()] })) {
    const known = positions.get(id) ?? asAsked.map((): number[] => []);
    known[needOf.get(lexeme)!]!.push(...places);
    positions.set(id, known);
  }
  return positions;
}

async function hitsOf(
  db: Queryable,
  page: readonly Placed[],
  needs: readonly Expanded[],
  now: Date,
): Promise<DiscoverHit[]> {
  const agents = await knownAgents(
    db,
    page.map(({ candidate }) => candidate.id),
    now,
  ); // prettier-ignore
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const matches = await matcher(db, agents, needs);
  return page.flatMap(({ candidate, rank, relevance, trust, copies }) => {
    const agent = byId.get(candidate.id);
    if (!agent) return [];
    const textQuality = (candidate.row.factors.at(-1) ?? 100) / 100;
    return {
      directoryId: candidate.id,
      rank,
      relevance,
      trust,
      factors: explained(candidate.row.factors, { ...agent.known, textQuality, copy: candidate.copy }),
      copies,
      ...highlightsOf(agent, matches),
    };
  });
}

type Cursor = { after: [rank: number, id: number]; key: string };
/** A cursor is of one query. */
const keyOf = ({ cursor: _, limit: __, ...query }: DiscoverQuery) =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(query).sort()))
    .digest("base64url")
    .slice(0, 10); // prettier-ignore

const cursorOf = ({ rank, candidate }: Placed, key: string) =>
  Buffer.from(JSON.stringify({ after: [rank, candidate.id], key } satisfies Cursor)).toString("base64url");

/** The place of the first hit after a cursor. @throws Failure invalid_input for one that is unreadable or another query's */
function placeAfter(order: readonly Placed[], cursor: string | undefined, key: string): number {
  if (!cursor) return 0;
  const read = readCursor(cursor);
  if (read?.key !== key)
    return fail("invalid_input", "The cursor belongs to another search.", {
      details: [{ path: "cursor", message: "must be the nextCursor of a page of the same search" }],
    });
  const [rank, id] = read.after;
  const place = order.findIndex((one) => one.rank < rank || (one.rank === rank && one.candidate.id > id));
  return place < 0 ? order.length : place;
}

function readCursor(cursor: string): Cursor | null {
  try {
    const { after, key } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as Partial<Cursor>;
    const [rank, id] = after ?? [];
    return typeof rank === "number" && typeof id === "number" && key !== undefined ? { after: [rank, id], key } : null;
  } catch {
    return null;
  }
}
