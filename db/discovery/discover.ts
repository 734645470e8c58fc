/** Finds agents by what they can do, ranked by relevance × trust. */
import { createHash } from "node:crypto";
import { PROTOCOLS, type Protocol } from "../../core/directory/protocols.ts";
import { hashOf } from "../../core/discovery/copies.ts";
import { quoted } from "../../core/discovery/document.ts";
import { facetsOf } from "../../core/discovery/facets.ts";
import * as filterLexemes from "../../core/discovery/filter-lexemes.ts";
import { highlightsOf } from "../../core/discovery/highlights.ts";
import {
  all,
  any,
  type Condition,
  type Level,
  levelsOf,
  MIN_TRUSTED,
  not,
  TRUST_RANGES,
} from "../../core/discovery/levels.ts";
import { nameKeyOf } from "../../core/discovery/look-alikes.ts";
import type { Questions } from "../../core/discovery/meaning.ts";
import {
  type DiscoverHit,
  type DiscoverPage,
  type DiscoverQuery,
  MAX_HITS,
  MAX_QUERY_LENGTH,
} from "../../core/discovery/query.ts";
import { type Candidate, inOrder, MAX_PLACED, type RankedCandidate, ranked } from "../../core/discovery/rank.ts";
import { type ReadQuery, readQuery } from "../../core/discovery/read-query.ts";
import { explained, FIELD_WORTH, SYNONYM_WORTH, type WordClass } from "../../core/discovery/weights.ts";
import { fail } from "../../core/errors.ts";
import type { Queryable, Row } from "../sql/statement.ts";
import { CANDIDATES, classesOf, POSITIONS } from "./candidates.ts";
import { type ExpandedNeed, expand, phrase } from "./expand.ts";
import { knownAgents } from "./known.ts";
import { lookUp } from "./look-up-words.ts";
import { queryWordMatcher, wordsOfAgents } from "./matcher.ts";
import { near } from "./near.ts";
import { paidWork } from "./paid-work.ts";
import { isWithin, withPrices } from "./prices.ts";

/** Documents that are ranked. What matches less, or is trusted less, than this many is not reached. */
const MAX_CANDIDATES = 300;
/** With this many that match the whole query, no others are read; with as many trusted ones, none that is trusted less. */
const ENOUGH_HITS = 60;
/** Longer queries are no names. */
const MAX_NAME = 64;

type CandidateRow = Row<typeof CANDIDATES>;
type PlacedCandidate = RankedCandidate<Candidate & { row: CandidateRow }>;

/** Widens the words of a query, takes candidates by words and by meaning, ranks both, shows a page. @param questions null without embeddings */
export async function discover(
  db: Queryable,
  query: DiscoverQuery,
  now: Date,
  questions: Questions | null = null,
): Promise<DiscoverPage> {
  const read = readQuery(query.q);
  const question = questions && query.meaning !== false ? questionOf(query.q, read) : null;
  // The provider answers while the words are searched for.
  const meant = question === null ? null : questions!.ask(question);
  const { needs, unknown, corrected, total } = await expand(db, read.needs);
  const filter = await filterOf(db, query, read);
  const affordable = affordableOf(db, query, read, needs);
  const found =
    read.needs.length > 0 && needs.length === 0
      ? { rows: [], whole: true }
      : await candidates(db, { query, read, needs, filter, affordable });
  const vector = await meant;
  const isMissing = read.needs.some(({ required, text }) => required && unknown.includes(text));
  const byMeaning =
    vector && !isMissing
      ? await near(db, questions!, { ...wantedOf(query, needs), vector, filter, must: requiredOf(needs) })
      : [];
  const nearnesses = new Map(byMeaning.map(({ row, nearness }) => [row.id, nearness]));
  const nearest = await affordable(byMeaning.map(({ row }) => row));
  const isWhole = found.whole && nearest.whole;
  const name = nameKeyOf(query.q.slice(0, MAX_NAME));
  const nameKey = name === "" ? null : hashOf(name);
  const byWords = inOrder(
    found.rows.map((row) => candidateOf(row, needs, read, nameKey)),
    needs.map(({ weight }) => weight),
  );
  const order = ranked(
    byWords,
    await positionsOf(db, byWords.slice(0, MAX_PLACED), needs),
    nearest.rows.map((row) => ({
      candidate: candidateOf(row, needs, read, nameKey),
      nearness: nearnesses.get(row.id)!,
    })),
    needs.length / Math.max(1, needs.length + unknown.length),
  );
  const limit = Math.min(MAX_HITS, Math.max(1, Math.floor(query.limit)));
  const answered = { key: queryKeyOf(query), meaning: vector !== null };
  const from = placeAfter(order, query.cursor, answered);
  const page = order.slice(from, from + limit);
  const last = page.at(-1);
  const estimate = isWhole ? order.length : Math.max(order.length, estimated(needs, total));
  return {
    hits: await hitsOf(db, page, { needs, speaks: read.speaks }, now),
    total: estimate,
    totalIsExact: isWhole,
    nextCursor: last && from + limit < order.length ? cursorOf(last, from + limit, answered) : null,
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
      meaning: meant === null ? "off" : vector ? "used" : "unavailable",
    },
  };
}

/** What is sent of a query: all of it, or only its words where it excludes others. Null for one without words. */
function questionOf(q: string, { needs, excluded, excludedProtocols }: ReadQuery): string | null {
  if (needs.length === 0) return null;
  if (excluded.length > 0 || excludedProtocols.length > 0) return needs.map(({ text }) => text).join(" ");
  return q.slice(0, MAX_QUERY_LENGTH).replaceAll(/\s+/g, " ").trim();
}

/** What every hit must have in addition to the filters. */
const requiredOf = (needs: readonly ExpandedNeed[]): Condition =>
  all(needs.filter(({ required }) => required).map(({ condition }) => condition));

/** Documents that have the rarest word, as if every one had the others too: an upper bound of those that match. */
const estimated = (needs: readonly ExpandedNeed[], total: number) => needs[0]?.documents ?? total;

/** What is read of each document, and the limits it must be within. */
const wantedOf = ({ minCred, maxPrice, inactive }: DiscoverQuery, needs: readonly ExpandedNeed[]) => ({
  minCred,
  maxPrice,
  inactive,
  needs: needs.flatMap(({ lexemes: own, others, exact, condition }) =>
    [own, others].map((lexemes) => ({ lexemes, condition: exact ? condition : null })),
  ),
});

/** Documents with the price that counts for the query, without those that are dearer than its filter. */
type AffordableRows = (rows: readonly CandidateRow[]) => Promise<{ rows: CandidateRow[]; whole: boolean }>;

const affordableOf =
  (db: Queryable, { maxPrice }: DiscoverQuery, read: ReadQuery, needs: readonly ExpandedNeed[]): AffordableRows =>
  async (rows) => {
    const limits = [maxPrice ?? null, read.maxPrice].filter((limit) => limit !== null);
    if (limits.length === 0) return { rows: [...rows], whole: true };
    const { agents, whole } = await withPrices(db, rows, needs, limits);
    // A wish leaves no agent out.
    if (maxPrice === undefined) return { rows: agents, whole: true };
    return { rows: agents.filter(({ priceUsd }) => isWithin(priceUsd, maxPrice)), whole };
  };

type SearchQuestion = {
  query: DiscoverQuery;
  read: ReadQuery;
  needs: readonly ExpandedNeed[];
  filter: Condition;
  affordable: AffordableRows;
};
async function candidates(db: Queryable, { query, read, needs, filter, affordable }: SearchQuestion) {
  const preferred = all([
    ...read.speaks.map((protocol) => quoted(filterLexemes.protocolLexeme(protocol))),
    ...(read.maxPrice === null || read.maxPrice === 0 ? [] : [quoted(filterLexemes.pricedLexeme)]),
  ]);
  const { strong, weak } = levelsOf(needs, preferred);
  const wanted = wantedOf(query, needs);
  // The rarest word is the first need, and the best trust the first range.
  const isFew = needs.length > 0 && needs[0]!.documents <= ENOUGH_HITS;
  const readAtOnce = TRUST_RANGES.filter((range) => isFew || range >= MIN_TRUSTED);
  const rows: CandidateRow[] = [];
  let room = MAX_CANDIDATES;
  let whole = true;
  // Level by level: a statement of all is long to plan, and the first ones are mostly enough.
  const take = async (levels: readonly Level[], ranges: readonly number[]) => {
    const some: CandidateRow[] = [];
    for (const level of levels) {
      if (room === 0) break;
      const candidates = await CANDIDATES.rows(db, { ...wanted, most: room, condition: all([level, filter]), ranges });
      room -= candidates.length;
      some.push(...candidates);
    }
    const within = await affordable(some);
    whole &&= within.whole;
    rows.push(...within.rows);
  };
  await take(strong, readAtOnce);
  const unread = TRUST_RANGES.slice(readAtOnce.length);
  const isEnough = () => rows.length >= ENOUGH_HITS && !rows.some(({ disguised, imitation }) => disguised || imitation);
  while (unread.length > 0 && room > 0 && !isEnough()) await take(strong, [unread.shift()!]);
  if (unread.length > 0) {
    whole = false;
    // The first agent of a name decides the places of all with the name, even if it is trusted little.
    const names = needs.flatMap(({ rareCondition }) => rareCondition ?? []);
    if (names.length > 0)
      await take(
        strong.map((level) => all([level, any(names)])),
        unread,
      );
  }
  if (rows.length < ENOUGH_HITS) await take(weak, TRUST_RANGES);
  return { rows, whole: whole && room > 0 };
}

async function filterOf(db: Queryable, query: DiscoverQuery, read: ReadQuery): Promise<Condition> {
  const wanted = (query.speaks ?? []).slice(0, PROTOCOLS.length).map((name) => {
    const protocol = PROTOCOLS.find((one) => one.toLowerCase() === name.toLowerCase());
    return quoted(protocol ? filterLexemes.protocolLexeme(protocol) : filterLexemes.NOWHERE);
  });
  const { found } = read.excluded.length > 0 ? await lookUp(db, read.excluded.flat()) : { found: new Map() };
  return all([
    ...wanted,
    ...(query.platform && query.platform.length > 0
      ? [any(query.platform.map((one) => quoted(filterLexemes.platformLexeme(one))))]
      : []),
    ...(query.chain === undefined ? [] : [quoted(filterLexemes.chainLexeme(query.chain))]),
    ...(query.verified === undefined ? [] : [quoted(filterLexemes.verifiedLexeme(query.verified))]),
    ...(query.accepts === "x402" ? [quoted(filterLexemes.protocolLexeme("x402"))] : []),
    ...(query.maxPrice === undefined ? [] : [quoted(filterLexemes.pricedLexeme)]),
    ...read.excluded.map((words) => not(phrase(words, (word) => found.get(word)?.stem ?? word))),
    ...read.excludedProtocols.map((protocol) => not(quoted(filterLexemes.protocolLexeme(protocol)))),
  ]);
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms));

function candidateOf(
  row: CandidateRow,
  needs: readonly ExpandedNeed[],
  read: ReadQuery,
  nameKey: number | null,
): Candidate & { row: CandidateRow } {
  const bits = (protocol: (typeof PROTOCOLS)[number]) => 1 << PROTOCOLS.indexOf(protocol);
  const unmetSpeaks = read.speaks.filter((protocol) => (row.speaks & bits(protocol)) === 0).length;
  const tooDear =
    read.maxPrice === 0
      ? (row.priceUsd ?? row.speaks & bits("x402")) > 0
      : read.maxPrice !== null && (row.priceUsd === null || row.priceUsd > read.maxPrice);
  const classes = needs.map((_, need) => classesOf(row.found, need));
  const exact = nameKey !== null && row.nameKey === nameKey;
  // A long name is a text to all queries but itself.
  const inName = (own: WordClass | null) => exact || own === "A";
  const worthOf = (one: WordClass | null) => (one ? FIELD_WORTH[one] : 0);
  return {
    ...row,
    row,
    nameSince: timeOf(row.nameSince),
    registeredAt: timeOf(row.registeredAt),
    worth: classes.map(({ own, other }) => Math.max(worthOf(exact ? "A" : own), SYNONYM_WORTH * worthOf(other))),
    named: needs.length > 0 && classes.every(({ own }) => inName(own)),
    rarelyNamed: needs.some(({ rare }, i) => rare && inName(classes[i]!.own)),
    exact,
    unmet: unmetSpeaks + Number(tooDear),
  };
}

/** Positions of the words of each need in the documents of candidates, in the query's order. */
async function positionsOf(db: Queryable, of: readonly PlacedCandidate[], needs: readonly ExpandedNeed[]) {
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
  page: readonly PlacedCandidate[],
  { needs, speaks }: { needs: readonly ExpandedNeed[]; speaks: readonly Protocol[] },
  now: Date,
): Promise<DiscoverHit[]> {
  const ids = page.map(({ candidate }) => candidate.id);
  const agents = await knownAgents(db, ids, now, { shared: true });
  const work = await paidWork(db, ids);
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const matches = await queryWordMatcher(db, wordsOfAgents(agents), needs);
  return page.flatMap(({ candidate, rank, relevance, trust, copies, foundBy }) => {
    const agent = byId.get(candidate.id);
    if (!agent) return [];
    const textQuality = (agent.factors.at(-1) ?? 100) / 100;
    return {
      directoryId: candidate.id,
      rank,
      relevance,
      trust,
      foundBy,
      factors: explained(agent.factors, { ...agent.known, textQuality, copy: candidate.copy }),
      reviews: agent.known.reviews,
      payments: null,
      jobs: null,
      ...work.get(candidate.id),
      copies,
      ...highlightsOf(agent, matches, speaks),
    };
  });
}

/** `meaning`: whether the order was by meaning too; `place` is where the next page begins. */
type Cursor = { after: [rank: number, id: number]; place: number } & CursorOf;
type CursorOf = { key: string; meaning: boolean };
const queryKeyOf = ({ cursor: _, limit: __, ...query }: DiscoverQuery) =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(query).sort()))
    .digest("base64url")
    .slice(0, 10);

const cursorOf = ({ rank, candidate }: PlacedCandidate, place: number, of: CursorOf) =>
  Buffer.from(JSON.stringify({ after: [rank, candidate.id], place, ...of } satisfies Cursor)).toString("base64url");

/** The place of the first hit after a cursor. @throws Failure invalid_input for one that is unreadable or another query's */
function placeAfter(order: readonly PlacedCandidate[], cursor: string | undefined, { key, meaning }: CursorOf): number {
  if (!cursor) return 0;
  const read = readCursor(cursor);
  if (read?.key !== key)
    return fail("invalid_input", "The cursor belongs to another search.", {
      details: [{ path: "cursor", message: "must be the nextCursor of a page of the same search" }],
    });
  // The provider of embeddings went away, or came back, between two pages: ranks are of another scale.
  if (read.meaning !== meaning) return Math.min(order.length, read.place);
  const [rank, id] = read.after;
  const place = order.findIndex((one) => one.rank < rank || (one.rank === rank && one.candidate.id > id));
  return place < 0 ? order.length : place;
}

function readCursor(cursor: string): Cursor | null {
  try {
    const { after, place, key, meaning } = JSON.parse(Buffer.from(cursor, "base64url").toString()) as Partial<Cursor>;
    const [rank, id] = after ?? [];
    const isRead = typeof rank === "number" && typeof id === "number" && Number.isSafeInteger(place) && place! >= 0;
    return isRead && key !== undefined && typeof meaning === "boolean"
      ? { after: [rank, id], place: place!, key, meaning }
      : null;
  } catch {
    return null;
  }
}
