/** Reads values of typed clients, which write `null` for a field without a value: where a field takes no null, it is absent. */
import type { z } from "zod";
import { isRecord } from "./json.ts";

/** Max passes in which fields that are null are left out: a later one sees what the one before let through. */
const MAX_PASSES = 4;

/** The result of `schema.safeParse`, with each null absent that the schema does not take. */
export function parsedWithoutNulls<S extends z.ZodType>(
  schema: S,
  value: unknown,
  options?: Parameters<S["safeParse"]>[1],
): z.ZodSafeParseResult<z.output<S>> {
  let given = value;
  for (let pass = 1; ; pass++) {
    const parsed = schema.safeParse(given, options);
    if (parsed.success || pass === MAX_PASSES) return parsed;
    const nulls = parsed.error.issues.map(({ path }) => path).filter((path) => isNullAt(given, path));
    if (nulls.length === 0) return parsed;
    given = structuredClone(given);
    for (const path of nulls) delete holderOf(given, path)![path.at(-1)!];
  }
}

type Path = readonly PropertyKey[];
/** The object whose field a path ends in; undefined where there is none. */
function holderOf(value: unknown, path: Path): Record<PropertyKey, unknown> | undefined {
  let holder = value;
  for (const key of path.slice(0, -1))
    holder = isRecord(holder) || Array.isArray(holder) ? (holder as Record<PropertyKey, unknown>)[key] : undefined;
  return isRecord(holder) ? holder : undefined;
}
const isNullAt = (value: unknown, path: Path): boolean =>
  path.length > 0 && holderOf(value, path)?.[path.at(-1)!] === null;
