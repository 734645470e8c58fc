/** The search for agents by what they can do: a document per row of the directory, the words of all, and how far they are current. */
import { sql } from "drizzle-orm";
import { bigint, boolean, customType, doublePrecision, index, integer, smallint, text } from "drizzle-orm/pg-core";
import { at, offchain } from "./columns.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

/**
 * The text of a row of the directory as it is searched, and what its rank is computed from. Written by
 * db/discovery/write-documents.ts only, and made anew from the directory at any time.
 */
export const discoveryDocument = offchain.table(
  "discovery_document",
  {
    directoryId: bigint({ mode: "number" }).primaryKey(),
    /**
     * Lexemes of its words: weight A those of the name, B of offers and their tags, C of the beginning of the
     * description, D of the rest. Marks, which no word can be, stand for what is filtered by (core/discovery/marks.ts).
     */
    words: tsvector().notNull(),
    /** Trust in thousandths, as core/discovery/ranking.ts computes it from `factors`. */
    trust: smallint().notNull(),
    /** Values of the factors in percent, in the order of `FACTOR_KEYS`. */
    factors: smallint().array().notNull(),
    platform: text().notNull(),
    chainId: integer(),
    cred: smallint().notNull(),
    verified: boolean().notNull(),
    /** One bit per protocol, in the order of `PROTOCOLS`. */
    speaks: smallint().notNull(),
    /** Least known price of a call in US dollars. */
    priceUsd: doublePrecision(),
    owner: text(),
    /** Hash of the name as look-alikes share it; null for a name without letters. */
    nameKey: bigint({ mode: "number" }),
    /** Hash of the text without digits; null for a text too short to tell copies by. */
    textKey: bigint({ mode: "number" }),
    /** Similarity hash of the text, 52 bits; texts that differ in a few words differ in a few bits. */
    simhash: bigint({ mode: "number" }),
    /** An older document has the same text. */
    copy: boolean().notNull(),
    /** When its registry registered it. */
    registeredAt: at(),
    writtenAt: at().notNull(),
  },
  (t) => [
    // Without a list of pending entries, which every search would read from end to end.
    index("discovery_document_words").using("gin", t.words).with({ fastupdate: false }),
    index("discovery_document_text").on(t.textKey, t.registeredAt, t.directoryId).where(sql`text_key is not null`),
  ],
);

/** The lexemes of the documents, with the number of documents each is in: what is rare says more. */
export const discoveryWord = offchain.table(
  "discovery_word",
  {
    word: text().primaryKey(),
    /** A word as written; false for a stem that is none, and for marks. */
    written: boolean().notNull(),
    /** Estimated from a sample; 1 until it was counted. */
    documents: integer().notNull(),
  },
  () => [index("discovery_word_prefix").on(sql`word collate "C"`).where(sql`written`)],
);

/** How far the documents are current: one row. */
export const discoveryProgress = offchain.table("discovery_progress", {
  only: boolean().primaryKey().default(true),
  /** The commit snapshot whose changes are in the documents. */
  seenXmax: text().notNull(),
  seenInProgress: text().array().notNull(),
  /** The first fill has written the documents up to this id of the directory; null when it is done. */
  filledTo: bigint({ mode: "number" }),
  /** The round of refreshing has written the documents up to this id: ages, liveness and feedback change by themselves. */
  refreshedTo: bigint({ mode: "number" }).notNull().default(0),
  countedAt: at(),
});
