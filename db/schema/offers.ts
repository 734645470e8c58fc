/** What agents offer: the endpoints that are read, with when they answered, and the skills, tools and paid resources. */
import { sql } from "drizzle-orm";
import { customType, index, primaryKey, unique } from "drizzle-orm/pg-core";
import { at, bytes, offchain } from "./columns.ts";
import { directoryId } from "./directory.ts";

/** US dollars of one call, read as a number. */
const dollars = customType<{ data: number; driverData: string }>({
  dataType: () => "numeric",
  fromDriver: Number,
});

/** An endpoint of a row of the directory that is read, and whether it lives. */
export const offerSource = offchain.table(
  "offer_source",
  (t) => ({
    directoryId: directoryId().notNull(),
    /** agent_card | mcp | x402 */
    kind: t.text().notNull(),
    url: t.text().notNull(),
    /** `host:port` of the URL. */
    host: t.text().notNull(),
    /** Hash of the canonical form of the registration's entry that names it. */
    declared: t.text(),
    /** Cred of the row when its endpoints were last listed: the most trusted are read first. */
    trust: t.smallint().notNull(),
    /** waiting | read | needs_credentials | unreadable | unreachable | refused */
    status: t.text().notNull().default("waiting"),
    etag: t.text(),
    lastModified: t.text(),
    /** Hash of the offers as read; those of an unchanged hash are not written again. */
    digest: t.text(),
    /** The document that was read last is signed by a key of its host. */
    isSigned: t.boolean().notNull().default(false),
    failures: t.integer().notNull().default(0),
    /** The last time it answered as its kind does; null when it never did. */
    answeredAt: at(),
    /** The first failure after the last answer; null while it answers. */
    silentSince: at(),
    /** When what it offers was read last, or shown to be what it was. */
    readAt: at(),
    checkedAt: at(),
    nextTryAt: at().notNull(),
    /** Since when somebody waits for a read; null while nobody does. Its turn (`nextTryAt`) stays. */
    askedAt: at(),
    /** Why the last read gave no offers, one sentence; null when it did. */
    why: t.text(),
    /** What shows that it is the agent's (`CONFIRMATIONS`); null while only the agent names it: it counts for nothing then. */
    confirmedBy: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.directoryId, t.kind, t.url] }),
    index("offer_source_due").on(t.trust, t.nextTryAt),
    index("offer_source_asked").on(t.trust).where(sql`asked_at is not null`),
    // The most trusted of those that are shown to be agents', the first seen first among equals; of others those that answer.
    index("offer_source_trusted_lately")
      .on(sql`(confirmed_by is not null)`, t.trust, t.directoryId.desc().nullsFirst())
      .where(sql`confirmed_by is not null or (silent_since is null and answered_at is not null)`),
    // For the bound of reads from one host in a day.
    index("offer_source_host").on(t.host, t.checkedAt),
    // Whether a host, or a URL, is shown to be another agent's, the first seen first.
    index("offer_source_confirmed_url")
      .on(t.host, sql`hashtextextended(url, 0)`, t.directoryId)
      .where(sql`confirmed_by is not null`),
    // Rows of one host share a read of the same URL.
    index("offer_source_url").on(sql`hashtextextended(url, 0)`),
  ],
);

/** An endpoint, what was declared of it and what was found at it: what probes are of. A row never changes. */
export const probeSubject = offchain.table(
  "probe_subject",
  (t) => ({
    id: t.integer().primaryKey().generatedAlwaysAsIdentity(),
    /** SHA-256 of kind and URL with a space between. */
    key: bytes().notNull(),
    kind: t.text().notNull(),
    url: t.text().notNull(),
    /** `declared` of the agent that it is shown to be the endpoint of, else of the first that named it. */
    declared: t.text(),
    /** Hash of the canonical form of its offers as found; null where there was nothing to read. */
    found: t.text(),
  }),
  (t) => [unique("probe_subject_key").on(t.key, t.declared, t.found).nullsNotDistinct()],
);

/**
 * The log of probes: one row for each time an endpoint was asked and it is known what came of it. No row is ever changed.
 * Partitioned by `at` in db/triggers.sql.
 */
export const probe = offchain.table(
  "probe",
  (t) => ({
    at: at().notNull(),
    subject: t.integer().notNull(),
    /** Of HTTP; below 100 a failure without an answer (`FAILURE_CAUSES`). */
    status: t.smallint().notNull(),
    /** Milliseconds until its first answer was read; null without one. */
    ms: t.smallint(),
    /** It answered as its kind does, or asked for credentials. */
    answers: t.boolean().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.subject, t.at] })],
);

/** What the log says of one day (UTC) of an endpoint that was asked often on it: computed from the log, which stays its source. */
export const probeDay = offchain.table(
  "probe_day",
  (t) => ({
    /** As of `probe_subject`. */
    key: bytes().notNull(),
    day: t.date().notNull(),
    /** Its first probe and its last, and whether each was answered. */
    since: at().notNull(),
    began: t.boolean().notNull(),
    at: at().notNull(),
    answers: t.boolean().notNull(),
    /** Of the time between these two, that in which it answered. */
    up: t.interval().notNull(),
    answeredAt: at(),
    /** The first failure after its last answer. */
    downAt: at(),
    /** Milliseconds of its answers. */
    ms: t.smallint().array(),
    subjects: t.integer().array().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.key, t.day] })],
);

/**
 * What an endpoint offered when it was read last, or an agent listed: compared with by the next reading, also where no agent
 * has named the endpoint meanwhile.
 */
export const offerVersion = offchain.table("offer_version", (t) => ({
  /** SHA-256 of `source`. */
  key: bytes().primaryKey(),
  /** As `source` of `offer`, of an endpoint; of what an agent lists "agent" and the id of its row. */
  source: t.text().notNull(),
  /** `versionHash` of `version`. */
  hash: t.text().notNull(),
  /** `Version` (core/offers/offer-change.ts). */
  version: t.jsonb().notNull(),
  firstAt: at().notNull(),
  /** When this version was first read. */
  since: at().notNull(),
  /** `Payee[]` (core/offers/payees.ts): of an endpoint, of what an agent lists all that were paid at its endpoints. */
  payees: t.jsonb().notNull().default([]),
  /** When its changes were told as events last. */
  toldAt: at(),
  /** Since when no agent names it; null while one does. */
  unnamedSince: at(),
}));

/** How it changed. A row is never removed while its `offer_version` stays: neighbours are folded into one. */
export const offerChange = offchain.table(
  "offer_change",
  (t) => ({
    /** Grows in the order of time. */
    id: t.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    key: bytes()
      .notNull()
      .references(() => offerVersion.key, { onDelete: "cascade" }),
    /** When it was read, and when the first of those that were folded into it. */
    at: at().notNull(),
    firstAt: at().notNull(),
    /** Changes that were folded into it, and itself. */
    changes: t.integer().notNull().default(1),
    /** Of the version that it led to. */
    hash: t.text().notNull(),
    /** `OfferChange` (core/offers/offer-change.ts). */
    change: t.jsonb().notNull(),
  }),
  (t) => [index("offer_change_key").on(t.key, t.id)],
);

/** What a host says of which agents are its own (core/directory/named-agents.ts). */
export const hostFile = offchain.table(
  "host_file",
  (t) => ({
    /** Scheme and host of the endpoints that agents name. */
    origin: t.text().primaryKey(),
    /** MD5 of each agent that it names. */
    names: t.uuid().array().notNull().default(sql`'{}'`),
    /** The highest cred of the rows that named the host: those of the most trusted are read first. */
    trust: t.smallint().notNull(),
    /** Reads in a row that found no agent. */
    failures: t.integer().notNull().default(0),
    checkedAt: at(),
    nextTryAt: at().notNull(),
  }),
  (t) => [index("host_file_due").on(t.trust, t.nextTryAt)],
);

/** A skill, tool or paid resource of a row of the directory. Texts are bounded and without invisible characters. */
export const offer = offchain.table(
  "offer",
  (t) => ({
    directoryId: directoryId().notNull(),
    /** skill | tool | resource */
    kind: t.text().notNull(),
    /** Kind and URL of the `offer_source` it was read at, with a space between; "registry" for one that its registry gives. */
    source: t.text().notNull(),
    /** From 0, as the source orders them. */
    position: t.smallint().notNull(),
    name: t.text().notNull(),
    description: t.text(),
    tags: t.text().array().notNull().default(sql`'{}'`),
    /** Where it is called. */
    endpoint: t.text(),
    /** How a paid resource is called; null where its terms do not say. */
    method: t.text(),
    /** Least price of a call; null where none is known. Only known stablecoins have a price in dollars. */
    priceUsd: dollars(),
    /** The x402 `accepts` that it is paid by: `[{scheme, network, asset, amount, payTo}]`. */
    price: t.jsonb(),
    inputSchema: t.jsonb(),
  }),
  (t) => [primaryKey({ columns: [t.directoryId, t.kind, t.source, t.position] })],
);

/** How far the endpoints of the directory are listed: one row. */
export const offerProgress = offchain.table("offer_progress", (t) => ({
  only: t.boolean().primaryKey().default(true),
  /** The running round over all rows has listed those up to this id. */
  roundTo: t.bigint({ mode: "number" }).notNull().default(0),
  /** Rows above this id were never listed: they come first. */
  newTo: t.bigint({ mode: "number" }).notNull().default(0),
  /** The last day of the log of probes that is computed (`probe_day`). */
  probesTo: t.date(),
}));
