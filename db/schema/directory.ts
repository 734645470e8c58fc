/** The directory: rows, pulls from registries, registration files. */
import { sql } from "drizzle-orm";
import { bigint, index, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import type { Registration } from "../../core/directory/foreign-registration-file.ts";
import { folded } from "../sql/folded-text.ts";
import { at, offchain, tokenId, transactionId } from "./columns.ts";

/** A name as it is sorted, and as it is searched. */
const loweredName = sql`lower(name collate "und-x-icu")`;
const foldedName = sql.raw(folded("name"));

/**
 * The terminal directory: agents of every registry, one row for each (platform, the platform's own id). Only what is
 * shown, sorted and filtered by is here; where it came from is in `directory_item`.
 */
export const directory = offchain.table(
  "directory",
  (t) => ({
    id: t.bigserial({ mode: "number" }).primaryKey(),
    /** Key of the registry, as in core/directory/platforms.ts. */
    platform: t.text().notNull(),
    /** Its id there, as the platform writes it. */
    agentId: t.text().notNull(),
    /** EVM addresses lower-case; other chains' as they write them. */
    address: t.text(),
    tokenId: tokenId(),
    chainId: t.integer(),
    name: t.text().notNull(),
    sortName: t.text().generatedAlwaysAs(loweredName),
    searchName: t.text().generatedAlwaysAs(foldedName),
    description: t.text(),
    imageUrl: t.text(),
    /** Contract or host of the registry. */
    registry: t.text(),
    ownerAddress: t.text(),
    /** `[{name, endpoint, version}]`: how to talk to it. */
    services: t.jsonb(),
    /** Its registry or its own file says that it takes x402. */
    x402Stated: t.boolean().notNull().default(false),
    /** It says so, or an endpoint that is shown to be its own asks for it (`asksX402`). */
    x402Supported: t.boolean().notNull().default(false),
    /** False: its registration file says that it is not active. */
    active: t.boolean().notNull().default(true),
    /** The protocols of its services, as core/directory/protocols.ts names them. */
    protocols: t.text().array().notNull().default(sql`'{}'`),
    /** Of an own agent: the platforms of its proofs that count, in the order of the alphabet. */
    proofs: t.text().array().notNull().default(sql`'{}'`),
    /** The exchange attests the owner's account; of an own agent, as its score counts it. */
    coinbase: t.boolean().notNull().default(false),
    /** The registry makes sure that the wallet is the agent's. */
    walletProven: t.boolean().notNull().default(false),
    /** Of an own agent: whether its wallet owns, verified or registered it. Null for other registries' agents. */
    walletConfirmed: t.boolean(),
    /** When its wallet was last seen to become another, or to be shown as its own; null: not since it was first seen. */
    addressSince: at(),
    /** Services and skills: what counts as traits. */
    traitCount: t.integer().notNull().default(0),
    createdAt: at(),
    credScore: t.smallint().notNull(),
    /** The token its registry names, or its owner linked. A claimed one is in `directory_claim`. */
    tokenAddress: t.text(),
    tokenSymbol: t.text(),
    tokenName: t.text(),
    /** Whether sorts and filters count the token (db/directory/token-sql.ts). */
    tokenCounts: t.boolean().notNull().default(false),
    /** What sorts and filters count of the token's market, in US dollars. Shown is what `token_market` says. */
    marketCapUsd: t.doublePrecision(),
    priceChange24h: t.doublePrecision("price_change_24h"),
    volume24hUsd: t.doublePrecision("volume_24h_usd"),
    liquidityUsd: t.doublePrecision(),
    /** Dollars that its token traded in the last 7 and 30 whole UTC days; null while there are none. */
    volume7dUsd: t.doublePrecision("volume_7d_usd"),
    volume30dUsd: t.doublePrecision("volume_30d_usd"),
    /** How often it was used, as its registry counts; and when last, as far as is known. */
    uses: t.integer().notNull().default(0),
    usedAt: at(),
    /** When its token was last seen to trade. */
    tradedAt: at(),
    activeAt: at().generatedAlwaysAs(sql`greatest(used_at, traded_at)`),
    /** core/directory/filters.ts publishes the formula. */
    trend: t
      .integer()
      .generatedAlwaysAs(
        sql`round(1000 * (log(1 + greatest(0, coalesce(volume_24h_usd, 0))) + log(1 + greatest(0, uses)::float8)))::int4`,
      ),
    /** Set when it is no longer in its registry; such a row is shown nowhere. */
    removedAt: at(),
    updatedAt: at().notNull().default(sql`clock_timestamp()`),
  }),
  (t) => [
    uniqueIndex("directory_agent").on(t.platform, t.agentId),
    index("directory_agent_id").on(sql`lower(agent_id)`).where(sql`removed_at is null`),
    index("directory_token_id").on(t.tokenId).where(sql`removed_at is null`),
    index("directory_address").on(sql`address collate "C"`).where(sql`removed_at is null`),
    index("directory_symbol").on(sql`lower(token_symbol)`).where(sql`removed_at is null`),
    index("directory_token").on(t.tokenAddress).where(sql`token_address is not null`),
    index("directory_owner").on(sql`owner_address collate "C"`).where(sql`owner_address is not null`),
    index("directory_active").on(t.activeAt).where(sql`removed_at is null`),
    // One index for each sort and direction: nulls are last and equal keys are by id, ascending, either way. Scores
    // change all the time and are in `directory_score`, so that their changes write none of these indexes.
    index("directory_by_name").on(sql`sort_name collate "C"`, t.id).where(sql`removed_at is null`),
    index("directory_by_name_down").on(sql`sort_name collate "C" desc nulls last`, t.id).where(sql`removed_at is null`),
    index("directory_by_created").on(sql`created_at`, t.id).where(sql`removed_at is null`),
    index("directory_by_created_down").on(sql`created_at desc nulls last`, t.id).where(sql`removed_at is null`),
    index("directory_by_platform").on(sql`platform collate "C"`, t.id).where(sql`removed_at is null`),
    index("directory_by_platform_down")
      .on(sql`platform collate "C" desc nulls last`, t.id)
      .where(sql`removed_at is null`),
    index("directory_by_cap")
      .on(sql`market_cap_usd`, t.id)
      .where(sql`removed_at is null and market_cap_usd is not null`),
    index("directory_by_volume")
      .on(sql`volume_24h_usd`, t.id)
      .where(sql`removed_at is null and volume_24h_usd is not null`),
    index("directory_by_trend_down")
      .on(sql`trend desc nulls last`, t.id)
      .where(sql`removed_at is null and active_at is not null`),
    index("directory_x402").on(t.id).where(sql`removed_at is null and x402_supported`),
  ],
);

/** The row of the directory that a row is about, and goes with. */
export const directoryId = () => bigint({ mode: "number" }).references(() => directory.id, { onDelete: "cascade" });

/**
 * The score of each row of the directory once more, for sorting and for following, kept by triggers on `directory`: a
 * change of score enters these indexes and none of the twenty of the wide row.
 */
export const directoryScore = offchain.table(
  "directory_score",
  (t) => ({
    id: t.bigint({ mode: "number" }).primaryKey(),
    /** Null for a row that is shown nowhere. */
    credScore: t.smallint(),
    /** The transaction that changed what is shown of the row, or of what is shown with it: readers follow it. */
    changedXid: transactionId().notNull().default(sql`pg_current_xact_id()`),
    /** The transaction that last changed more than the score: readers take the rest of a row as they know it since then. */
    rowXid: transactionId().notNull().default(sql`'0'`),
  }),
  (t) => [
    index("directory_score_changed").on(t.changedXid),
    index("directory_score_up").on(sql`cred_score`, t.id).where(sql`cred_score is not null`),
    index("directory_score_down").on(sql`cred_score desc nulls last`, t.id).where(sql`cred_score is not null`),
  ],
);

/** The first places by score as they were on each of the last days: what a row's place is compared with. */
export const directoryRank = offchain.table(
  "directory_rank",
  (t) => ({
    id: t.bigint({ mode: "number" }).notNull(),
    /** In UTC. */
    day: t.date().notNull(),
    /** From 1. */
    rank: t.integer().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.id, t.day] }), index("directory_rank_day").on(t.day)],
);

/**
 * Which rows of the directory have which proven wallet: those of different platforms that share one are the same agent.
 * Kept by a trigger on `directory`, in the transaction that proves, changes or withdraws a wallet.
 */
export const directoryAlias = offchain.table(
  "directory_alias",
  (t) => ({
    directoryId: directoryId().primaryKey(),
    wallet: t.text().notNull(),
  }),
  () => [index("directory_alias_wallet").on(sql`wallet collate "C"`)],
);

/** Where a directory row came from: the items of its source, one for most, several where a row gathers them (x402). */
export const directoryItem = offchain.table(
  "directory_item",
  (t) => ({
    source: t.text().notNull(),
    /** The source's own id of the item. */
    sourceId: t.text().notNull(),
    platform: t.text().notNull(),
    agentId: t.text().notNull(),
    /** The item as the source gave it. */
    raw: t.jsonb().notNull(),
    /** What was odd about it and read all the same, a sentence each. */
    warnings: t.text().array().notNull().default(sql`'{}'`),
    /** Hash of `raw`: an item that did not change is not read again. */
    digest: t.text().notNull(),
    /** Of an agent's items the first ones are read: a later item of any id takes no place of an earlier one. */
    firstSeenAt: at().notNull().defaultNow(),
    fetchedAt: at().notNull(),
    /** The last full sweep that saw it; those an ended sweep did not see are gone. */
    sweep: t.bigint({ mode: "number" }).notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.source, t.sourceId] }),
    index("directory_item_agent").on(t.platform, t.agentId),
    index("directory_item_sweep").on(t.source, t.sweep),
  ],
);

/** Items that could not be read, with the reason: the next version of an item that can be read takes its row away. */
export const directoryQuarantine = offchain.table(
  "directory_quarantine",
  (t) => ({
    source: t.text().notNull(),
    /** The source's id of the item; the digest of an item that has none. */
    sourceId: t.text().notNull(),
    reason: t.text().notNull(),
    raw: t.jsonb().notNull(),
    seen: t.integer().notNull().default(1),
    firstSeenAt: at().notNull(),
    lastSeenAt: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.source, t.sourceId] })],
);

/**
 * Validators of the pages of a source when they were last read: an unchanged page is neither sent nor read again. A page
 * without validators has no row.
 */
export const directoryPage = offchain.table(
  "directory_page",
  (t) => ({
    source: t.text().notNull(),
    /** Where the page begins, in the source's own terms, as JSON. */
    cursor: t.text().notNull(),
    etag: t.text(),
    lastModified: t.text(),
    /** Where the page behind it begins; null at the end. */
    next: t.jsonb(),
    expected: t.integer(),
    /** Its items, by the source's own ids. */
    sourceIds: t.text().array().notNull(),
    /** The last full sweep that came by. */
    sweep: t.bigint({ mode: "number" }).notNull(),
    /** When it was last read in full. */
    readAt: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.source, t.cursor] })],
);

/** How far the pull of each source has got: a new worker continues there after a crash. */
export const directoryPull = offchain.table("directory_pull", (t) => ({
  source: t.text().primaryKey(),
  /** Null between two runs. */
  mode: t.text().$type<"full" | "incremental">(),
  /** Number of the last full sweep begun. */
  sweep: t.bigint({ mode: "number" }).notNull().default(0),
  /** Number of the last full sweep that showed all there is. */
  wholeSweep: t.bigint({ mode: "number" }).notNull().default(0),
  /** Why the running or last pull does not show all there is, one sentence: then what it did not see is not gone. */
  partial: t.text(),
  /** Where the running pull continues, in the source's own terms; null at the beginning. */
  cursor: t.jsonb(),
  /** What an incremental pull begins from, in the source's own terms; null until a full sweep has ended. */
  watermark: t.jsonb(),
  /** Attempts in a row that ended at the cursor. */
  failures: t.integer().notNull().default(0),
  /** Items of the running pull, and how many there will be if the source says. */
  done: t.integer().notNull().default(0),
  expected: t.integer(),
  changed: t.integer().notNull().default(0),
  /** Items that could not be read, in the running or last pull. */
  quarantined: t.integer().notNull().default(0),
  startedAt: at(),
  lastSuccessAt: at(),
  lastFullAt: at(),
  nextRunAt: at(),
  /** Why the last attempt stopped, one sentence; null when it succeeded. */
  error: t.text(),
  /** What an operator may want to know of the last sweep, one sentence. */
  note: t.text(),
}));

/** Registration files of ERC-8004 agents as last fetched. */
export const registrationFile = offchain.table(
  "registration_file",
  (t) => ({
    registry: t.text().notNull(),
    agentId: t.numeric({ precision: 78, scale: 0 }).notNull(),
    uri: t.text().notNull(),
    status: t.text().$type<"parsed" | "unreadable" | "unreachable" | "refused" | "waiting">().notNull(),
    /** The file; null while none could be read. */
    content: t.jsonb().$type<Registration>(),
    errors: t.text().array().notNull().default(sql`'{}'`),
    warnings: t.text().array().notNull().default(sql`'{}'`),
    etag: t.text(),
    lastModified: t.text(),
    fetchedAt: at().notNull(),
    /** Failures in a row, and when to try again. */
    failures: t.integer().notNull().default(0),
    nextTryAt: at(),
  }),
  (t) => [primaryKey({ columns: [t.registry, t.agentId] }), index("registration_file_due").on(t.nextTryAt)],
);
