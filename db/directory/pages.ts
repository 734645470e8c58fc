/** Pages of registries as they were last read: a page that its server calls unchanged counts as seen without being sent or read. */
import { and, eq, lt } from "drizzle-orm";
import { directoryPage } from "../schema/directory.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, type Row, statement, t } from "../sql/statement.ts";
import { keyOf, seeItems } from "./items.ts";

/** What a server sends to identify a version of a page: one of both, or both. */
type PageValidators = { etag: string | null; lastModified: string | null };

/** A page that was read, as far as a pull needs it when the page has not changed. */
export type KnownPage = Row<typeof knownPage>;

const placeOf = (cursor: unknown) => keyOf(JSON.stringify(cursor ?? null));

/** The page that begins at `cursor`, if it was read since; null otherwise. */
export const knownPage = statement({
  name: "directory-page-known",
  given: (source: string, cursor: unknown, since: Date) => ({ source, cursor: placeOf(cursor), since }),
  params: { source: t.text, cursor: t.text, since: t.timestamptz },
  text: `
    select json_build_object('etag', etag, 'lastModified', last_modified) as validators, next, expected,
      source_ids as "sourceIds"
    from offchain.directory_page where source = $source and cursor = $cursor and read_at >= $since`,
  columns: {
    validators: t.json<PageValidators>(),
    next: t.nullable(t.jsonb<unknown>()),
    expected: t.nullable(t.int4),
    sourceIds: t.array(t.text),
  },
}).maybeOne;

/** A page that was read; without validators it is not kept. */
type ReadPage = Omit<KnownPage, "validators"> & {
  cursor: unknown;
  validators: PageValidators | null;
  sweep: number;
  now: Date;
};

/** Stores a page that was read; one without validators is deleted. Part of the transaction that stores its items. */
export async function keepPage(tx: Queryable, source: string, page: ReadPage): Promise<void> {
  const { cursor, validators, next, expected, sourceIds, sweep, now } = page;
  if (validators === null) return forgetPage(tx, source, cursor);
  const kept = { ...validators, next, expected, sourceIds, sweep, readAt: now };
  await orm(tx)
    .insert(directoryPage)
    .values({ source, cursor: placeOf(cursor), ...kept })
    .onConflictDoUpdate({ target: [directoryPage.source, directoryPage.cursor], set: kept });
}

/**
 * Sees the items of an unchanged page again.
 * @returns false when one of them was deleted: then the page has to be read
 */
export async function seePage(
  tx: Queryable,
  source: string,
  cursor: unknown,
  { sourceIds, sweep, now }: { sourceIds: readonly string[]; sweep: number; now: Date },
): Promise<boolean> {
  const complete = await seeItems(tx, source, sourceIds, { now, sweep });
  await orm(tx).update(directoryPage).set({ sweep }).where(pageAt(source, cursor));
  return complete;
}

const pageAt = (source: string, cursor: unknown) =>
  and(eq(directoryPage.source, source), eq(directoryPage.cursor, placeOf(cursor)));

/** Deletes a page: it is read the next time. */
export async function forgetPage(db: Queryable, source: string, cursor: unknown): Promise<void> {
  await orm(db).delete(directoryPage).where(pageAt(source, cursor));
}

/** Deletes the pages that an ended sweep did not take. */
export async function forgetPagesBefore(tx: Queryable, source: string, sweep: number): Promise<void> {
  await orm(tx)
    .delete(directoryPage)
    .where(and(eq(directoryPage.source, source), lt(directoryPage.sweep, sweep)));
}
