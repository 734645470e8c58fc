/** Which documents are ranked at all: those that match most of a query first, and of those the most trusted first. */

import { quoted } from "./document.ts";
import { TRUST_RANGES, trustMark } from "./marks.ts";

/** Text of a tsquery with its parts in parentheses; null matches everything. */
export type Condition = string | null;

export const all = (parts: readonly Condition[]): Condition => joined(parts, " & ");
export const any = (parts: readonly Condition[]): Condition => (parts.includes(null) ? null : joined(parts, " | "));
export const not = (part: string): string => `!(${part})`;
const joined = (parts: readonly Condition[], by: string): Condition => {
  const given = parts.filter((part) => part !== null);
  return given.length === 0 ? null : given.length === 1 ? given[0]! : `(${given.join(by)})`;
};

/** A need as a condition, and in how many documents it is. */
export type Counted = { condition: string; documents: number; required: boolean };

/** A level, with about how many documents match it. */
export type Level = { condition: Condition; documents: number };

/** Needs of which every combination is tried; beyond them only all, and all but one. */
const COMBINED = 4;

/**
 * Levels from the strictest to the loosest; a document is in one of them. Those of `strong` are enough where they have
 * many documents.
 * @param needs rarest first @param total number of all documents @param preferred what documents should meet besides; null for nothing
 */
export function levelsOf(
  needs: readonly Counted[],
  total: number,
  preferred: Condition,
): { strong: Level[]; weak: Level[] } {
  const required = needs.filter((need) => need.required);
  const free = needs.filter((need) => !need.required);
  const must = all(required.map(({ condition }) => condition));
  const expected = (some: readonly Counted[]) => Math.min(total, ...some.map(({ documents }) => documents));
  const whole: Level = { condition: all(needs.map(({ condition }) => condition)), documents: expected(needs) };
  const strong: Level[] =
    preferred === null
      ? [whole]
      : [
          { ...whole, condition: all([whole.condition, preferred]) },
          { ...whole, condition: all([whole.condition, not(preferred)]) },
        ];
  const combined = free.slice(0, COMBINED);
  const weak: Level[] = [];
  let above = whole.condition;
  const add = (size: number, of: readonly Counted[]) => {
    const sets = combinations(of, size);
    const condition = all([must, any(sets.map((set) => all(set.map((need) => need.condition))))]);
    const level = {
      condition: above === null ? condition : all([condition, not(above)]),
      documents: sets.reduce((sum, set) => sum + expected([...required, ...set]), 0),
    };
    above = condition;
    return level;
  };
  if (free.length > COMBINED) weak.push(add(free.length - 1, free));
  for (let size = Math.min(combined.length, free.length - 1); size >= 1; size--) weak.push(add(size, combined));
  if (required.length > 0 && free.length > 0)
    weak.push({ condition: all([must, above === null ? null : not(above)]), documents: expected(required) });
  return { strong, weak };
}

function combinations<T>(of: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return of.flatMap((first, i) => combinations(of.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
}

/** Ranges of trust that are read together, best first, for levels of more and more documents. */
const SPLITS: readonly { upTo: number; ranges: readonly (readonly number[])[] | null }[] = [
  // Few enough to read all, and to take the most trusted of them.
  { upTo: 1_500, ranges: null },
  {
    upTo: 60_000,
    ranges: [
      [9, 8],
      [7, 6],
      [5, 4],
      [3, 2, 1, 0],
    ],
  },
  { upTo: Number.POSITIVE_INFINITY, ranges: [[9], [8], [7], [6], [5], [4], [3], [2, 1, 0]] },
]; // prettier-ignore
for (const { ranges } of SPLITS)
  if (ranges && ranges.flat().length !== TRUST_RANGES) throw new Error("each range of trust stands once in a split");

/** `ordered`: it has few enough documents to take the most trusted of all. */
export type Branch = { condition: Condition; ordered: boolean };

/** Conditions in the order in which documents are wanted. */
export const branchesOf = (levels: readonly Level[]): Branch[] =>
  levels.flatMap(({ condition, documents }): Branch[] => {
    const { ranges } = SPLITS.find((split) => documents <= split.upTo)!;
    if (!ranges) return [{ condition, ordered: true }];
    return ranges.map((some) => ({
      condition: all([any(some.map((range) => quoted(trustMark(range)))), condition]),
      ordered: false,
    }));
  });
