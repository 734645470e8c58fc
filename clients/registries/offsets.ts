/** Pages that are named by an offset: what several registries have in common. */
import { z } from "zod";
import { EMPTY_PAGE, PAGE, type Place, placeBehind } from "./page-request.ts";

/** How many items a registry says it has: a count that fits its column, or none. */
export const total = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

/** A page by its offset. @param all how many items there are, as the registry says */
export function offsetPage(items: readonly unknown[], { offset, size }: Place, all: number | null) {
  const behind = offset + items.length;
  const more = items.length > 0 && (all === null ? items.length === size : behind < all);
  const short = items.length === 0 && all !== null && offset < all;
  const next = more ? offsetCursor(placeBehind(size, behind)) : null;
  return { items, next, expected: all, ...(short && { cut: EMPTY_PAGE }) };
}

/** Full pages are named by their offset alone. */
export const offsetCursor = ({ offset, size }: Place) => (size === PAGE ? offset : { offset, size });
export const cursorOf = ({ offset, size }: Place) => (size === PAGE ? { offset } : { offset, size });

/** What stands for a single item beyond the size limit. @param place names it within the registry */
export const steppedOver = (place: string, next: unknown) => ({ items: [], next, expected: null, steppedOver: place });
export const overOffset = (offset: number) => steppedOver(`${offset}`, offsetCursor(placeBehind(1, offset + 1)));
