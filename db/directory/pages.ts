/** Pages of sources as they were last read: a page that its server calls unchanged is seen again without being sent or read. */
import type { Queryable } from "../transaction.ts";
import { keyOf } from "./pulls.ts";

/** What a server gives to tell the versions of a page apart; at least one of both. */
export type PageValidators = { etag: string | null; lastModified: string | null };

/** A page that was read, as far as a pull needs it when the page has not changed. */
export type KnownPage = {
  validators: PageValidators;
  next: unknown;
  expected: number | null;
  sourceIds: string[];
};

const placeOf = (cursor: unknown) => keyOf(JSON.stringify(cursor ?? null));

/** The page that begins at `cursor`, if it was read since; null otherwise. */
export async function knownPage(
  db: Queryable,
  source: string,
  cursor: unknown,
  since: Date,
): Promise<KnownPage | null> {
  const { rows } = await db.query<KnownPage>(
    `select json_build_object('etag', etag, 'lastModified', last_modified) as validators, next, expected,
       source_ids as "sourceIds"
     from offchain.directory_page where source = $1 and cursor = $2 and read_at >= $3`,
    [source, placeOf(cursor), since],
  );
  return rows[0] ?? null;
}

/** Notes a page that was read; one without validators is forgotten. Part of the transaction that stores its items. */
export async function keepPage(
  tx: Queryable,
  source: string,
  page: Omit<KnownPage, "validators"> & {
    cursor: unknown;
    validators: PageValidators | null;
    sweep: number;
    now: Date;
  },
): Promise<void> {
  const { cursor, validators, next, expected, sourceIds, sweep, now } = page;
  if (validators === null) return forgetPage(tx, source, cursor);
  await tx.query(
    `insert into offchain.directory_page (source, cursor, etag, last_modified, next, expected, source_ids, sweep, read_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)
     on conflict (source, cursor) do update set etag = excluded.etag, last_modified = excluded.last_modified,
       next = excluded.next, expected = excluded.expected, source_ids = excluded.source_ids, sweep = excluded.sweep,
       read_at = excluded.read_at`,
    [
      source,
      placeOf(cursor),
      validators.etag,
      validators.lastModified,
      next === null ? null : JSON.stringify(next),
      expected,
      sourceIds,
      sweep,
      now,
    ],
  );
}

/**
 * Sees the items of an unchanged page again.
 * @returns false when one of them is there no more: then the page has to be read
 */
export async function seePage(
  tx: Queryable,
  source: string,
  cursor: unknown,
  { sourceIds, sweep, now }: { sourceIds: readonly string[]; sweep: number; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "update offchain.directory_item set sweep = $3, fetched_at = $4 where source = $1 and source_id = any($2)",
    [source, sourceIds, sweep, now],
  );
  await tx.query("update offchain.directory_page set sweep = $3 where source = $1 and cursor = $2", [
    source,
    placeOf(cursor),
    sweep,
  ]);
  return rowCount === sourceIds.length;
}

/** Forgets a page: it is read the next time. */
export async function forgetPage(db: Queryable, source: string, cursor: unknown): Promise<void> {
  await db.query("delete from offchain.directory_page where source = $1 and cursor = $2", [source, placeOf(cursor)]);
}

/** Forgets the pages that an ended sweep did not come by. */
export async function forgetPagesBefore(tx: Queryable, source: string, sweep: number): Promise<void> {
  await tx.query("delete from offchain.directory_page where source = $1 and sweep < $2", [source, sweep]);
}
