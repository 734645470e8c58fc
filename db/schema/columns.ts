/** Schema `offchain`, and columns that many of its tables have. */
import { bigint, customType, integer, pgSchema, timestamp } from "drizzle-orm/pg-core";

export const offchain = pgSchema("offchain");

export const tokenId = () => bigint({ mode: "number" });
export const block = () => bigint({ mode: "number" });
export const at = () => timestamp({ withTimezone: true, mode: "date" });
/** The id of a transaction, 64 bits wide: it never repeats. */
export const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** How far something is read of the chain, range by range. */
export const readRanges = () => ({
  /** The first block that was read, and the last. */
  fromBlock: block().notNull(),
  readTo: block().notNull(),
  readAt: at(),
  /** Reads that failed since the last that did not, and when to try again. */
  failures: integer().notNull().default(0),
  nextTryAt: at(),
});
