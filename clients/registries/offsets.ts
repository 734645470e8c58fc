/** Paging by offset, shared by several registries. */
import { z } from "zod";
import { EMPTY_PAGE, type OffsetPlace, placeBehind, type ReadPage } from "./paged-registry.ts";

/** A registry's total number of items: a count that fits its column, or null. */
export const total = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

const place = z.object({ offset: z.int().min(0), size: z.int().min(1) });

/**
 * Paging by offset. The cursor of a full page is its offset alone.
 * @param options.offsetOf offset of a full page whose cursor is a number: the number by default
 * @param options.numberOf its inverse
 */
export function offsets(
  pageSize: number,
  {
    offsetOf = (n: number) => n,
    numberOf = (n: number) => n,
  }: Partial<Record<"offsetOf" | "numberOf", (n: number) => number>> = {},
) {
  const cursorOf = (at: OffsetPlace): unknown => (at.size === pageSize ? numberOf(at.offset) : at);
  const cursorBehind = (at: OffsetPlace, items?: number): unknown => cursorOf(placeBehind(at, pageSize, items));
  return {
    placeOf: (cursor: unknown): OffsetPlace =>
      place.safeParse(cursor).data ?? { offset: typeof cursor === "number" ? offsetOf(cursor) : 0, size: pageSize },
    behind: (at: OffsetPlace): unknown => cursorBehind(at),
    nameOf: ({ offset }: OffsetPlace): string => `${offset}`,
    /** A page by its offset. @param all total number of items as the registry states it */
    pageOf(items: readonly unknown[], at: OffsetPlace, all: number | null): ReadPage {
      const end = at.offset + items.length;
      const more = items.length > 0 && (all === null ? items.length === at.size : end < all);
      const short = items.length === 0 && all !== null && at.offset < all;
      const next = more ? cursorBehind(at, items.length) : null;
      return { items, next, expected: all, ...(short && { cut: EMPTY_PAGE }) };
    },
  };
}
