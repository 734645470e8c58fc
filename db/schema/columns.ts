/** Schema `offchain`, and columns that many of its tables have. */
import { bigint, customType, pgSchema, timestamp } from "drizzle-orm/pg-core";

export const offchain = pgSchema("offchain");

export const tokenId = () => bigint({ mode: "number" });
export const block = () => bigint({ mode: "number" });
export const at = () => timestamp({ withTimezone: true, mode: "date" });
/** The id of a transaction, 64 bits wide: it never repeats. */
export const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
