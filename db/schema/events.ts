/** The dispatcher of index changes, and the event log. */
import { sql } from "drizzle-orm";
import { index, primaryKey } from "drizzle-orm/pg-core";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { EventData, EventType } from "../../core/events/events.ts";
import { at, block, offchain, tokenId } from "./columns.ts";

/** What the dispatcher has taken from `onchain.index_changes`, one row per event and branch of the chain. */
export const dispatch = offchain.table(
  "dispatch",
  (t) => ({
    /** `<blockHash>-<event id>`: another branch is another key. */
    key: t.text().primaryKey(),
    eventId: t.text().notNull(),
    kind: t.text().notNull(),
    tokenId: tokenId(),
    wallet: t.text(),
    agentId: t.numeric({ precision: 78, scale: 0 }),
    block: block().notNull(),
    blockHash: t.text().notNull(),
    txHash: t.text().notNull(),
    blockAt: t.bigint({ mode: "number" }).notNull(),
    /** pending → queued → final, or retracted */
    state: t.text().notNull(),
    /** Rows claimed together become jobs together. */
    batch: t.bigint({ mode: "number" }).notNull(),
    /** The checkpoint at which the row was first missed; a retraction needs a later one. */
    missingCheckpoint: t.text(),
    dispatchedAt: at().notNull().default(sql`clock_timestamp()`),
    retractedAt: at(),
    /** How often it has come back after a retraction. */
    returns: t.integer().notNull().default(0),
  }),
  (t) => [
    index("dispatch_open").on(t.state, t.block).where(sql`state in ('pending', 'queued')`),
    index("dispatch_pending").on(t.batch).where(sql`state = 'pending'`),
    index("dispatch_token").on(t.tokenId),
    index("dispatch_event").on(t.eventId),
  ],
);

/** Numbers the dispatcher's batches. */
export const dispatchBatch = offchain.sequence("dispatch_batch");

/** The index the dispatcher last compared everything it ever dispatched with; one row. */
export const dispatcherState = offchain.table("dispatcher_state", (t) => ({
  one: t.boolean().primaryKey().default(true),
  schema: t.text().notNull(),
  /** Every event up to this block is dispatched and final; passes start above it. */
  settledBlock: block().notNull().default(0),
}));

/**
 * The event log: what happened, in one order for all readers. A row is written in the transaction that makes it true, and
 * gets its place afterwards, from one sequencer at a time (db/events/event-sequence.ts): a reader that has seen a position
 * has seen everything before it. Partitioned by `at` (db/triggers.sql), so that old events go by dropping a table; no index
 * spans partitions, so the sequencer's lock makes a place unique.
 */
export const event = offchain.table(
  "event",
  (t) => ({
    /** `evt_` and a hash of the fact, which determines `at`: the same fact noted again is the same row. */
    id: t.text().notNull(),
    /** The order in which rows without a place get theirs. */
    appendId: t.bigserial({ mode: "number" }).notNull(),
    /** Null until it has its place. */
    position: t.bigint({ mode: "number" }),
    /** Its place for readers of final events only; null while it may be taken back, or when it was. */
    finalPosition: t.bigint({ mode: "number" }),
    type: t.text().$type<EventType>().notNull(),
    tokenId: tokenId(),
    /** The agent's wallet and its owner at that time. */
    agentAddress: t.text().$type<Address>(),
    owner: t.text().$type<Address>(),
    /** Who owned it before, of a transfer. */
    formerOwner: t.text().$type<Address>(),
    /** As it is shown. */
    data: t.jsonb().$type<EventData>().notNull(),
    block: block(),
    txHash: t.text().$type<Hex>(),
    /** When it happened. */
    at: at().notNull(),
    /** No reorganisation can take it back. */
    final: t.boolean().notNull(),
    retracted: t.boolean().notNull().default(false),
    /** The event that this one takes back. */
    retracts: t.text(),
    /**
     * Key in `dispatch` of what it came from, `usdc:<block hash>-<log index>` of a payment, `cred:<id>` of the point of history; null
     * for what nothing takes back.
     */
    source: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.id, t.at] }),
    index("event_position").on(t.position),
    index("event_final_position").on(t.finalPosition).where(sql`final_position is not null`),
    index("event_unsequenced").on(t.appendId).where(sql`position is null`),
    index("event_source").on(t.source).where(sql`source is not null and type <> 'cred.changed'`),
    index("event_agent").on(t.tokenId, t.position).where(sql`not retracted and retracts is null`),
    index("event_open").on(t.block).where(sql`not final and not retracted`),
    index("event_newly_final")
      .on(t.position)
      .where(sql`final and final_position is null and not retracted and retracts is null`),
  ],
);

/** How far the event log has got; one row, whose lock is the sequencer's. */
export const eventLog = offchain.table("event_log", (t) => ({
  one: t.boolean().primaryKey().default(true),
  /** The last place given out. */
  head: t.bigint({ mode: "number" }).notNull().default(0),
  /** Events up to here are too old to be read; their rows go with the partition of their day. */
  keptAfter: t.bigint({ mode: "number" }).notNull().default(0),
  /** The last point of the score history that was read. */
  credAfter: t.bigint({ mode: "number" }).notNull().default(0),
}));
