/** Paging by offset, shared by several registries. */
import { z } from "zod";
import { EMPTY_PAGE, PAGE, type Place, placeBehind } from "./page-request.ts";

/** A registry's total number of items: a count that fits its column, or null. */
export const total = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

/** A page by its offset. @param all total number of items as the registry states it */
export function offsetPage(items: readonly unknown[], { offset, size }: Place, all: number | null) {
  const behind = offset + items.length;
  const more = items.length > 0 && (all === null ? items.length === size : behind < all);
  const short = items.length === 0 && all !== null && offset < all;
  const next = more ? offsetCursor(placeBehind(size, behind)) : null;
  return { items, next, expected: all, ...(short && { cut: EMPTY_PAGE }) };
}

/** Cursor of a page; for a full page the offset alone. */
export const offsetCursor = ({ offset, size }: Place) => (size === PAGE ? offset : { offset, size });
export const cursorOf = ({ offset, size }: Place) => (size === PAGE ? { offset } : { offset, size });

/** The page for a single item that exceeds the size limit. @param place position of the item within the registry */
export const steppedOver = (place: string, next: unknown) => ({ items: [], next, expected: null, steppedOver: place });
export const overOffset = (offset: number) => steppedOver(`${offset}`, offsetCursor(placeBehind(1, offset + 1)));
