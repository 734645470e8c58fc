/** Which documents are ranked at all: those that match most of a query first, and of those the most trusted first. */

/** Text of a tsquery with its parts in parentheses; null matches everything. */
export type Condition = string | null;

export const all = (parts: readonly Condition[]): Condition => joined(parts, " & ");
export const any = (parts: readonly Condition[]): Condition => (parts.includes(null) ? null : joined(parts, " | "));
export const not = (part: string): string => `!(${part})`;
const joined = (parts: readonly Condition[], by: string): Condition => {
  const given = parts.filter((part) => part !== null);
  return given.length === 0 ? null : given.length === 1 ? given[0]! : `(${given.join(by)})`;
};

export type NeedCondition = { condition: string; required: boolean };

/** What the documents of a level match, and those of no level above it. */
export type Level = Condition;

/** Needs of which every combination is tried; beyond them only all, and all but one. */
const MAX_COMBINED_NEEDS = 4;

/**
 * Levels from the strictest to the loosest; a document is in one of them. Those of `strong` are enough where they have
 * many documents.
 * @param needs rarest first @param preferred what documents should meet besides; null for nothing
 */
export function levelsOf(needs: readonly NeedCondition[], preferred: Condition): { strong: Level[]; weak: Level[] } {
  const conditions = (of: readonly NeedCondition[]) => all(of.map(({ condition }) => condition));
  const free = needs.filter((need) => !need.required);
  const must = conditions(needs.filter((need) => need.required));
  const whole = conditions(needs);
  const strong = preferred === null ? [whole] : [all([whole, preferred]), all([whole, not(preferred)])];
  const combined = free.slice(0, MAX_COMBINED_NEEDS);
  const weak: Level[] = [];
  let above = whole;
  const add = (condition: Condition) => {
    weak.push(above === null ? condition : all([condition, not(above)]));
    above = condition;
  };
  const some = (size: number, of: readonly NeedCondition[]) => all([must, any(combinations(of, size).map(conditions))]);
  if (free.length > MAX_COMBINED_NEEDS) add(some(free.length - 1, free));
  for (let size = Math.min(combined.length, free.length - 1); size >= 1; size--) add(some(size, combined));
  if (must !== null && free.length > 0) add(must);
  return { strong, weak };
}

function combinations<T>(of: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return of.flatMap((first, i) => combinations(of.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
}

/**
 * Lowest trust, in thousandths, of each range of trust above the lowest. Each range has an index of its own, so that a search
 * reads the documents of the best range that has enough. A change takes a migration: the ranges are a column.
 */
export const TRUST_FROM = [120, 170, 220, 280, 350, 430, 520] as const;
/** All ranges, the best first. */
export const TRUST_RANGES: readonly number[] = Array.from({ length: TRUST_FROM.length + 1 }, (_, i) => i).reverse();
/** From this range on an agent is trusted: those below are most of all, and hardly among the first. */
export const MIN_TRUSTED = 3;
