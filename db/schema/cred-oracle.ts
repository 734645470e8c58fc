/** What is known of the per-token oracle that scores are written into. */
import { primaryKey } from "drizzle-orm/pg-core";
import { at, offchain, tokenId } from "./columns.ts";

/** When each per-token oracle was last compared with the scores. */
export const credOracle = offchain.table("cred_oracle", (t) => ({
  /** The contract's address, lower-case. */
  oracle: t.text().primaryKey(),
  comparedAt: at().notNull(),
}));

/** What a per-token oracle held when it was last read from the chain. */
export const credOracleValue = offchain.table(
  "cred_oracle_value",
  (t) => ({
    oracle: t.text().notNull(),
    tokenId: tokenId().notNull(),
    /** Null where the contract refused the read. */
    score: t.smallint(),
    /** Unix seconds of its last write, by the contract; 0: never written; null as above. */
    updatedAt: t.bigint({ mode: "number" }),
    readAt: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.oracle, t.tokenId] })],
);
