/** The search for agents by what they can do: a document per row of the directory, the words of all, and how far they are current. */
import { sql } from "drizzle-orm";
import { customType, index, primaryKey } from "drizzle-orm/pg-core";
import { TRUST_FROM, TRUST_RANGES } from "../../core/discovery/levels.ts";
import { at, bytes, offchain } from "./columns.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });
const varbit = customType<{ data: string }>({ dataType: () => "varbit" });

/**
 * The text of a row of the directory as it is searched, and what its rank is computed from. Written only by
 * db/discovery/write-documents.ts, which can make it from the directory at any time.
 */
export const discoveryDocument = offchain.table(
  "discovery_document",
  (t) => ({
    directoryId: t.bigint({ mode: "number" }).primaryKey(),
    /**
     * Lexemes of its words: weight A those of the name, B of offers and their tags, C of the beginning of the
     * description, D of the rest. Filters use lexemes that no word can be (core/discovery/filter-lexemes.ts).
     */
    words: tsvector().notNull(),
    /** Trust in thousandths, as core/discovery/weights.ts computes it from `factors`. */
    trust: t.smallint().notNull(),
    /** Its range of trust, 0 to `TRUST_FROM.length`. */
    trustRange: t
      .smallint()
      .notNull()
      .generatedAlwaysAs(sql.raw(`width_bucket(trust::int4, array[${TRUST_FROM.join(", ")}])`)),
    /** Values of the factors in percent, in the order of `FACTOR_KEYS`. */
    factors: t.smallint().array().notNull(),
    platform: t.text().notNull(),
    chainId: t.integer(),
    cred: t.smallint().notNull(),
    verified: t.boolean().notNull(),
    /** False: the agent itself says that it is not active. */
    active: t.boolean().notNull().default(true),
    /** One bit per protocol, in the order of `PROTOCOLS`. */
    speaks: t.smallint().notNull(),
    /** Least known price of a call in US dollars. */
    priceUsd: t.doublePrecision(),
    owner: t.text(),
    /** Hash of the name as look-alikes share it; null for a name without letters. */
    nameKey: t.bigint({ mode: "number" }),
    /** Keys of its texts (core/discovery/copies.ts): a copy has one of those of its original. */
    textKeys: t.bigint({ mode: "number" }).array().notNull().default(sql`'{}'`),
    /** Hash of the text without digits and without the name, and of who runs the agent; null for a short text, or where its registry does not vouch for that. */
    siblingKey: t.bigint({ mode: "number" }),
    /** Similarity hash of the text, 52 bits; texts that differ in a few words differ in a few bits. */
    simhash: t.bigint({ mode: "number" }),
    /** When it first had its present `name_key`, of `discovery_first_seen`. */
    nameSince: at(),
    /** Another document had the same text before it. */
    copy: t.boolean().notNull(),
    /** Its name may be made to look like another one (core/discovery/look-alikes.ts). */
    disguised: t.boolean().notNull().default(false),
    /** Its disguised name looks like that of an older document of another owner. */
    imitation: t.boolean().notNull().default(false),
    registeredAt: at(),
    writtenAt: at().notNull(),
  }),
  (t) => [
    // With the shortest list of pending entries: every search reads it from end to end, and a document costs half as much.
    ...TRUST_RANGES.map((range) =>
      index(`discovery_document_words_${range}`)
        .using("gin", t.words)
        .with({ gin_pending_list_limit: 64 })
        .where(sql.raw(`trust_range = ${range}`)),
    ),
    // For filters that few documents meet, or none: a search would read each range from end to end.
    index("discovery_document_cred").on(t.trustRange, t.cred),
    index("discovery_document_price").on(t.trustRange, t.priceUsd).where(sql`price_usd is not null`),
    index("discovery_document_disguised").on(t.nameKey).where(sql`disguised`),
  ],
);

/**
 * When each row of the directory was first seen with a name or a text, by its key. A time never becomes later: not by a change
 * of the row, not by its removal and return, and not when all documents are written again. The first reading of the directory
 * takes the registration. Written only by db/discovery/first-seen.ts, which bounds the keys of a row.
 */
export const discoveryFirstSeen = offchain.table(
  "discovery_first_seen",
  (t) => ({
    directoryId: t.bigint({ mode: "number" }).notNull(),
    /** Of a name (`name_key`) or of a text (core/discovery/copies.ts). */
    key: t.bigint({ mode: "number" }).notNull(),
    since: at().notNull(),
    /** When its registry registered the row: it decides between two of one time. */
    registeredAt: at(),
    /** Something other than the row itself shows whose it is: a proven wallet or account, or a confirmed endpoint. */
    backed: t.boolean().notNull(),
    /** When the row changed to another name or text, or was removed; null while it has the key. */
    leftAt: at(),
  }),
  (t) => [
    primaryKey({ columns: [t.directoryId, t.key] }),
    index("discovery_first_seen_key")
      .on(t.key, sql`backed desc`, t.since, t.registeredAt, t.directoryId)
      .where(sql`left_at is null`),
  ],
);

/** The lexemes of the documents, with the number of documents each is in: what is rare says more. */
export const discoveryWord = offchain.table(
  "discovery_word",
  (t) => ({
    word: t.text().primaryKey(),
    /** A word as written; false for a stem that is none, and for marks. */
    written: t.boolean().notNull(),
    /** Estimated from a sample; 1 until it was counted. */
    documents: t.integer().notNull(),
  }),
  () => [index("discovery_word_prefix").on(sql`word collate "C"`).where(sql`written`)],
);

/** How far the documents are current: one row. */
export const discoveryProgress = offchain.table("discovery_progress", (t) => ({
  only: t.boolean().primaryKey().default(true),
  /** The commit snapshot whose changes are in the documents. */
  seenXmax: t.text().notNull(),
  seenInProgress: t.text().array().notNull(),
  /** The first fill has written the documents up to this id of the directory; null when it is done. */
  filledTo: t.bigint({ mode: "number" }),
  /** The round of refreshing has written the documents up to this id: ages, liveness and feedback change by themselves. */
  refreshedTo: t.bigint({ mode: "number" }).notNull().default(0),
  refreshedAt: at(),
  countedAt: at(),
}));

/**
 * A text that was sent to the provider of embeddings, and its vector. The row is written before the text is sent and stays
 * when its agent changes: what was answered is not paid again.
 */
export const discoveryVector = offchain.table(
  "discovery_vector",
  (t) => ({
    /** Of the text and the model (core/discovery/meaning.ts). */
    digest: bytes().primaryKey(),
    model: t.text().notNull(),
    askedAt: at().notNull(),
    /** Times it was sent, answered or not. */
    asks: t.smallint().notNull(),
    /** Null while no answer is known. */
    answeredAt: at(),
    /** A signed byte for each number; null where the answer could not be used. */
    vector: bytes(),
  }),
  (t) => [index("discovery_vector_answered").on(t.model, t.digest).where(sql`vector is not null`)],
);

/** Which text a row of the directory has, and the signs of its vector, by which the nearest are found. */
export const discoveryMeaning = offchain.table(
  "discovery_meaning",
  (t) => ({
    directoryId: t.bigint({ mode: "number" }).primaryKey(),
    digest: bytes().notNull(),
    model: t.text().notNull(),
    /** `written_at` of the document when its text was read. */
    readAt: at().notNull(),
    /** The sign of each number of the vector; null while there is none. */
    signs: varbit(),
  }),
  (t) => [index("discovery_meaning_digest").on(t.digest)],
);
