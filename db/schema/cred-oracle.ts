/** What is known of the per-token oracle that scores are written into. */
import { bigint, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { at, offchain, tokenId } from "./columns.ts";

/** When each per-token oracle was last compared with the scores. */
export const credOracle = offchain.table("cred_oracle", {
  /** The contract's address, lower-case. */
  oracle: text().primaryKey(),
  comparedAt: at().notNull(),
});

/** What a per-token oracle held when it was last read from the chain. */
export const credOracleValue = offchain.table(
  "cred_oracle_value",
  {
    oracle: text().notNull(),
    tokenId: tokenId().notNull(),
    /** Null where the contract refused the read. */
    score: smallint(),
    /** Unix seconds of its last write, by the contract; 0: never written; null as above. */
    updatedAt: bigint({ mode: "number" }),
    readAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.oracle, t.tokenId] })],
);
