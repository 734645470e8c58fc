/** The short form of a tool's answer, for models: chosen members without what is empty, and long texts and lists cut. */
import { isRecord } from "../../core/json.ts";

export type ShortForm = {
  /** Paths of the members that are kept, `agents.name` of each agent; all of them by default. */
  members?: readonly string[];
  /** The member with the list that `limit` bounds: it is never cut. */
  rows?: string;
};

/** Max characters of a short form as JSON, for the number of rows that a tool answers by default: some 1,400 tokens. */
const MAX_SHORT = 5_600;

/** Max characters of a text, and max entries of a list or of an object of any keys: the first limits that are enough are used. */
const LIMITS = [
  { text: 240, entries: 12 },
  { text: 120, entries: 8 },
  { text: 64, entries: 5 },
  { text: 48, entries: 3 },
];

/**
 * @param limit how many rows were asked for, as a multiple of the tool's default: more rows may have more characters
 * @returns the answer in short, and whether a text or list of it was cut
 */
export function shortened(
  answer: Record<string, unknown>,
  { members, rows }: ShortForm,
  limit: number,
): { short: Record<string, unknown>; isCut: boolean } {
  const shape = members ? shapeOf(members) : null;
  for (const limits of LIMITS) {
    const seen = { isCut: false };
    const kept = Object.entries(answer).flatMap(([name, value]): [string, unknown][] => {
      const below = shape ? shape.get(name) : ALL;
      if (below === undefined) return [];
      if (name === CURSOR) return [[name, value]];
      if (name === rows && Array.isArray(value))
        return [[name, value.map((row) => part(row, below, limits, seen) ?? {})]];
      const left = part(value, below, limits, seen);
      return left === undefined ? [] : [[name, left]];
    });
    const short = Object.fromEntries(kept);
    const isLast = limits === LIMITS.at(-1);
    if (isLast || JSON.stringify(short).length <= MAX_SHORT * Math.max(1, limit)) return { short, isCut: seen.isCut };
  }
  throw new Error("there are no limits");
}

/** What a caller gives back as it is. */
const CURSOR = "nextCursor";

/** The members to keep, each with those below it; all where none are named. */
type Shape = Map<string, Shape>;
const ALL: Shape = new Map();

function shapeOf(paths: readonly string[]): Shape {
  const shape: Shape = new Map();
  for (const path of paths) {
    let at = shape;
    for (const name of path.split(".")) {
      const below = at.get(name) ?? new Map();
      at.set(name, below);
      at = below;
    }
  }
  return shape;
}

/** A value by its shape and the limits; undefined where nothing is left of it. */
function part(value: unknown, shape: Shape, limits: (typeof LIMITS)[number], seen: { isCut: boolean }): unknown {
  if (value === null || value === "") return undefined;
  if (typeof value === "string") return text(value, limits.text, seen);
  if (typeof value !== "object") return value;
  // What has a shape is as large as its shape; all else is as large as its writer made it.
  const isShaped = shape.size > 0 && isRecord(value);
  const all = Object.entries(value);
  const chosen = isShaped ? all.filter(([name]) => shape.has(name)) : all.slice(0, limits.entries);
  if (!isShaped && chosen.length < all.length) seen.isCut = true;
  const kept = chosen.flatMap(([name, each]): [string, unknown][] => {
    const left = part(each, isShaped ? shape.get(name)! : shape, limits, seen);
    return left === undefined ? [] : [[name, left]];
  });
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept);
}

/** A text of at most `max` characters. An address or hash is whole or left out: a part of it leads nowhere. */
function text(value: string, max: number, seen: { isCut: boolean }): string | undefined {
  if (value.length <= max) return value;
  seen.isCut = true;
  if (/^(?:[a-z][a-z0-9+.-]*:|0x)\S*$/i.test(value)) return undefined;
  const kept = value.slice(0, max - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}
