/** The epochs of scores: each published state of all scores, and the trees that cred proofs are made from. */
import { sql } from "drizzle-orm";
import { index, primaryKey } from "drizzle-orm/pg-core";
import { at, block, bytes, offchain } from "./columns.ts";

/** One row per Merkle root, whose transaction is the intent `root:<epoch>`. */
export const credEpoch = offchain.table(
  "cred_epoch",
  (t) => ({
    epoch: t.bigint({ mode: "number" }).primaryKey(),
    chainId: t.bigint({ mode: "number" }).notNull(),
    /** The contract of the identity token, lower-case. */
    registry: t.text().notNull(),
    /** The contract of the roots, lower-case. */
    contract: t.text().notNull(),
    root: t.text().notNull(),
    leaves: t.integer().notNull(),
    /** The index's block in the snapshot that the scores were read in. */
    block: block().notNull(),
    /** When the snapshot was taken. */
    computedAt: at().notNull(),
    builtAt: at().notNull(),
    /** Milliseconds of reading the scores and building the tree. */
    buildMs: t.integer().notNull(),
    /** When the scores were last found equal to this tree; null: not since it was built. */
    checkedAt: at(),
    intentKey: t.text().notNull().unique(),
    /** built → published | failed; a reorganisation turns both into built again. */
    state: t.text().notNull(),
    txHash: t.text(),
    /** Block of the transaction. */
    txBlock: block(),
    publishedAt: at(),
    /** Why it failed, a plain half-sentence. */
    error: t.text(),
    /** Whether the tree is stored: proofs can be made. */
    kept: t.boolean().notNull(),
  }),
  (t) => [
    index("cred_epoch_block").on(t.block),
    index("cred_epoch_open").on(t.epoch).where(sql`state = 'built'`),
    index("cred_epoch_kept").on(t.epoch).where(sql`kept`),
  ],
);

/** The kept trees in parts, as core/cred/tree/packed.ts packs them. */
export const credEpochPart = offchain.table(
  "cred_epoch_part",
  (t) => ({
    epoch: t
      .bigint({ mode: "number" })
      .notNull()
      .references(() => credEpoch.epoch),
    /** leaves | tokens | nodes */
    kind: t.text().notNull(),
    /** leaves: number of the chunk; tokens: the first token id in it; nodes: 0. */
    place: t.bigint({ mode: "number" }).notNull(),
    bytes: bytes().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.epoch, t.kind, t.place] })],
);
