/** Stored scores, their history and corrections. */
import { sql } from "drizzle-orm";
import { bigint, index, primaryKey, smallint } from "drizzle-orm/pg-core";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Signal } from "../../core/signals/signal.ts";
import { SIGNALS, type SignalKey } from "../../core/signals/signals.ts";
import { at, block, bytes, offchain, tokenId, transactionId } from "./columns.ts";

/** One row per Merkle root, whose transaction is the intent `root:<epoch>`. */
export const credEpoch = offchain.table(
  "cred_epoch",
  (t) => ({
    epoch: t.bigint({ mode: "number" }).primaryKey(),
    chainId: t.bigint({ mode: "number" }).notNull(),
    /** The contract of the identity token, lower-case. */
    registry: t.text().$type<Address>().notNull(),
    /** The contract of the roots, lower-case. */
    contract: t.text().$type<Address>().notNull(),
    root: t.text().$type<Hex>().notNull(),
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
    /**
     * `built`: its transaction is queued or under way. `published`: in a block. `failed`: never published; its number is not
     * used again. A reorganisation turns both of the latter into `built` again.
     */
    state: t.text().$type<"built" | "published" | "failed">().notNull(),
    txHash: t.text().$type<Hex>(),
    txBlock: block(),
    publishedAt: at(),
    /** Why it failed, a plain half-sentence. */
    error: t.text(),
    /** Whether the tree is stored: proofs can be made. */
    kept: t.boolean().notNull(),
  }),
  (t) => [
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

const rawValue = () => smallint().notNull();

/** Of the signals that time moves, what it moves them from: `inputColumn` (db/cred/cred-statement.ts). Null: a former version wrote the row. */
const timedInputs = () =>
  Object.fromEntries(
    SIGNALS.flatMap(({ key, sql }: Signal) => (sql.at ? [[`${key}Input`, bigint({ mode: "number" })]] : [])),
  ) as Record<never, never>;

/**
 * The score of each agent with the raw values it was computed from, and all that a later time needs to compute it again:
 * a pass over all agents reads this table. Narrow on purpose: such a pass may rewrite it.
 */
export const cred = offchain.table(
  "cred",
  (t) => ({
    tokenId: tokenId().primaryKey(),
    score: t.smallint().notNull(),
    /** The raw value of each signal, in a column named by its key. */
    ...(Object.fromEntries(SIGNALS.map(({ key }) => [key, rawValue()])) as Record<
      SignalKey,
      ReturnType<typeof rawValue>
    >),
    ...timedInputs(),
    /** `agent.updated_block` at the time of computing; the reconciler looks for inequality. */
    seenBlock: block().notNull(),
    computedAt: at().notNull(),
    /**
     * The transaction that gave the row its score, kept by the trigger `cred_mark_change`. A reader keeps the oldest
     * transaction that was running at its last read, and finds by it every score that it has not seen.
     */
    changedXid: transactionId().notNull().default(sql`pg_current_xact_id()`),
  }),
  (t) => [index("cred_changed").on(t.changedXid)],
);

/**
 * Points of the score history: one row per change, partitioned by months of ids (db/triggers.sql). Who inserts shows in the lock table until it commits from which id on
 * its rows may be (trigger `cred_history_announce`): what reads along by id waits for it.
 */
export const credHistory = offchain.table(
  "cred_history",
  (t) => ({
    id: t.bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    score: t.smallint().notNull(),
    /** What moved it: a kind of `index_changes`, `age`, `profile`, `reconcile`. */
    cause: t.text().notNull(),
    /** `agent.updated_block` seen; a retraction of block B removes the points with block >= B. */
    block: block().notNull(),
    at: at().notNull(),
  }),
  (t) => [index("cred_history_token").on(t.tokenId, t.id)],
);

/**
 * The months of the history: from which id on (`number` * 2^30) its points were made after which time. Of those before
 * the first row, the last point of each agent is kept.
 */
export const credHistoryPeriod = offchain.table("cred_history_period", (t) => ({
  number: t.bigint({ mode: "number" }).primaryKey(),
  beganAt: at().notNull(),
}));

/**
 * Agents whose points of history were taken back (trigger `cred_history_correct`): who follows the changes is to look at
 * their present score. Numbered with the history, and announced like it; the default of `id` is in triggers.sql.
 */
export const credCorrection = offchain.table("cred_correction", (t) => ({
  id: t.bigint({ mode: "number" }).primaryKey(),
  tokenId: tokenId().notNull(),
  at: at().notNull().defaultNow(),
}));

/** How far the scores were compared with the facts, and what was found; one row. */
export const credWalk = offchain.table("cred_walk", (t) => ({
  one: t.boolean().primaryKey().default(true),
  /** The token id at which the next part of the walk over all agents begins. */
  walked: tokenId().notNull().default(0),
  /** Scores found so far whose inputs had been missed. */
  missed: t.bigint({ mode: "number" }).notNull().default(0),
}));
