/** The directory as planes of bits (db/directory/planes/): what pages are counted and found by where memory does not answer. */
import { sql } from "drizzle-orm";
import { customType, index, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, offchain, transactionId } from "./columns.ts";

const bitString = customType<{ data: string }>({ dataType: () => "bit varying" });

/** Which changes the planes contain: one row, or none while there are no planes. */
export const directoryImage = offchain.table("directory_image", (t) => ({
  one: t.boolean().primaryKey().default(true),
  /** Hash of the columns (db/directory/planes/layout.ts): planes of other columns are built again. */
  layout: t.text().notNull(),
  /** The snapshot whose rows the planes show: changes of transactions from `xmax` on, and of those in progress, are missing. */
  seenXmax: transactionId().notNull(),
  seenInProgress: transactionId().array().notNull(),
  segments: t.integer().notNull(),
  segmentBits: t.integer().notNull(),
  /** Slots given to rows; the next row gets this one. */
  used: t.integer().notNull(),
  /** Slots given at the last build, and rows that were added or renamed since: after too many of these the planes are built again. */
  built: t.integer().notNull(),
  renamed: t.integer().notNull(),
  /** The greatest id that was given a slot: slots are in the order of ids. */
  maxId: t.bigint({ mode: "number" }).notNull(),
  /** Names in order, the marks between the numbers by which names are sorted. */
  nameMarks: t.text().array().notNull(),
  foldedAt: t.bigint({ mode: "number" }).notNull(),
}));

/** One bit of every row, by slot: a bit of a column, or whether the searched name contains a text. Absent: all zero. */
export const directoryPlane = offchain.table(
  "directory_plane",
  (t) => ({
    plane: t.text().notNull(),
    segment: t.integer().notNull(),
    bits: bitString().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.plane, t.segment] })],
);

/** The slot of each row in the planes, and what the planes show of it. */
export const directorySlot = offchain.table(
  "directory_slot",
  (t) => ({
    id: t.bigint({ mode: "number" }).primaryKey(),
    slot: t.integer(),
    /** The row fits into no slot: readers look at the row itself. */
    loose: t.boolean().notNull(),
    searchName: t.text().notNull(),
    /** The characters and pairs of characters of its searched name that have no planes. */
    rare: t.text().array().notNull(),
    /** Its bits of all columns, the first in the highest bit. */
    code: bytes().notNull(),
  }),
  (t) => [
    uniqueIndex("directory_slot_slot").on(t.slot),
    index("directory_slot_loose").on(t.id).where(sql`loose`),
    // A list of entries to come would be read by every search.
    index("directory_slot_rare").using("gin", t.rare).with({ fastupdate: false }),
  ],
);
