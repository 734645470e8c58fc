/** The paths nearest to an unknown one, from the router's own table, for the hint of a 404. */
import { spellingDistance } from "../../core/discovery/spelling.ts";
import type { Endpoint } from "../endpoint.ts";

/** Longest path compared, in characters and segments. With the table they bound the work that one request causes. */
const MAX_LENGTH = 200;
const MAX_SEGMENTS = 8;
/** Most paths named when several are equally near. */
const MAX_NAMED = 3;

/** The cost of each difference, in letters. */
const COST = { missingSegment: 1, surplusSegment: 1.5, wordAsParameter: 1, otherMethod: 0.25, unlisted: 0.25 };
/** Max cost of a suggestion. */
const MAX_COST = 3;

/** Most letters of a word that a typing error changes. */
const typingError = (word: string): number => (word.length > 5 ? 2 : 1);

/** In place of a word's number where a segment is a parameter. */
const PARAMETER = -1;

/** A path of the table. */
type Template = {
  path: string;
  methods: Set<string>;
  unlisted: boolean;
  /** Each segment as the number of its word, or PARAMETER. */
  segments: number[];
  /** Place of the last word, which says the subject of a path: a suggestion never adds it. */
  subject: number;
};

/**
 * Bound: an unknown path is compared up to 200 characters and 8 segments: 0.2 ms of CPU.
 * @returns the nearest paths to one that does not exist, each with a verb (`GET /api/v2/agents`); empty when none is
 *   near
 */
export function nearestPaths(endpoints: readonly Endpoint[]): (method: string, path: string) => string[] {
  const words: string[] = [];
  const templates = templatesOf(endpoints, words);

  return (method, path) => {
    if (path.length > MAX_LENGTH) return [];
    const segments = segmentsOf(path);
    if (segments.length > MAX_SEGMENTS) return [];
    const verb = method === "HEAD" ? "GET" : method;
    const given = segments.map((segment) => {
      const distances = words.map((word) => spellingDistance(segment, word, typingError(word)));
      return { distances, asParameter: distances.includes(0) ? COST.wordAsParameter : 0 };
    });
    let least = MAX_COST;
    let named: string[] = [];
    for (const { path, methods, unlisted, ...template } of templates) {
      const extra = (methods.has(verb) ? 0 : COST.otherMethod) + (unlisted ? COST.unlisted : 0);
      const cost = extra + costOf(given, template, least - extra);
      if (cost > least) continue;
      if (cost < least) named = [];
      least = cost;
      named.push(`${methods.has(verb) ? verb : [...methods][0]} ${path}`);
    }
    return named.slice(0, MAX_NAMED);
  };
}

function templatesOf(endpoints: readonly Endpoint[], words: string[]): Template[] {
  const byPath = new Map<string, Template>();
  const numberOf = (word: string) => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1);
  for (const { path, method, unlisted = false } of endpoints) {
    const segments = segmentsOf(path).map((segment) => (segment.startsWith("{") ? PARAMETER : numberOf(segment)));
    const subject = segments.findLastIndex((segment) => segment !== PARAMETER);
    if (subject < 0) continue;
    const known = byPath.get(path) ?? { path, methods: new Set(), unlisted, segments, subject };
    known.methods.add(method.toUpperCase());
    byPath.set(path, known);
  }
  return [...byPath.values()];
}

/** The segments without differences of spelling: case, hyphens, underscores, dots, doubled slashes. */
const segmentsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .replaceAll(/[-_.]/g, "")
    .split("/")
    .filter((segment) => segment !== "");

/** A segment of the path: its distance from each word, and the cost of taking it as a parameter. */
type SegmentCosts = { distances: readonly number[]; asParameter: number };

/** The cheapest way to turn a path into a template, segment by segment; infinite where that is more than `most`. */
function costOf(
  given: readonly SegmentCosts[],
  { segments, subject }: Pick<Template, "segments" | "subject">,
  most: number,
) {
  const surplus = given.length - segments.length;
  if (surplus * COST.surplusSegment > most || -surplus * COST.missingSegment > most) return Number.POSITIVE_INFINITY;
  const missing = (j: number) => (j === subject ? Number.POSITIVE_INFINITY : COST.missingSegment);
  let row = [0];
  for (let j = 0; j < segments.length; j++) row.push(row[j]! + missing(j));
  for (const { distances, asParameter } of given) {
    const next = [row[0]! + COST.surplusSegment];
    let least = next[0]!;
    for (let j = 0; j < segments.length; j++) {
      const word = segments[j]!;
      const swap = word === PARAMETER ? asParameter : distances[word]!;
      const cost = Math.min(row[j]! + swap, row[j + 1]! + COST.surplusSegment, next[j]! + missing(j));
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row.at(-1)!;
}
