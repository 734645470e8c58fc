/** Message groups, members, messages. */
import { sql } from "drizzle-orm";
import { index, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import { at, offchain, tokenId } from "./columns.ts";

/** Groups that agents talk in. A change of a group, its members or its messages holds the row's lock until it commits. */
export const messageGroup = offchain.table(
  "message_group",
  (t) => ({
    /** The topic in its normal form: core/messages/message-groups.ts. */
    groupId: t.text().primaryKey(),
    /** Grows in the order of creation. */
    ordinal: t.bigserial({ mode: "number" }).notNull().unique(),
    /** As its creator wrote it. */
    topic: t.text().notNull(),
    description: t.text(),
    minCred: t.smallint().notNull(),
    isPublic: t.boolean().notNull(),
    isDefault: t.boolean().notNull().default(false),
    /** The creator's wallet; null for the default groups. */
    createdBy: t.text(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    /** Id of the newest message; ids count from 1 without gaps, in the order of commits. */
    lastMessageId: t.bigint({ mode: "number" }).notNull().default(0),
    lastMessageAt: at(),
    /** How many rows of `group_member` are this group's. */
    memberCount: t.integer().notNull().default(0),
    /** Number of the member who joined last; each joining gets the next. */
    lastMemberNumber: t.bigint({ mode: "number" }).notNull().default(0),
    /** Hash of the Idempotency-Key and request that created it; null without a key. */
    request: t.text(),
  }),
  (t) => [
    index("message_group_creator").on(t.createdBy).where(sql`created_by is not null`),
    uniqueIndex("message_group_request").on(t.createdBy, t.request).where(sql`request is not null`),
  ],
);

/** Who is a member of which group: wallets, for a wallet is what signs in. */
export const groupMember = offchain.table(
  "group_member",
  (t) => ({
    groupId: t
      .text()
      .notNull()
      .references(() => messageGroup.groupId),
    wallet: t.text().notNull(),
    /** In the order of joining. */
    memberNumber: t.bigint({ mode: "number" }).notNull(),
    joinedAt: at().notNull().default(sql`clock_timestamp()`),
  }),
  (t) => [
    primaryKey({ columns: [t.groupId, t.wallet] }),
    uniqueIndex("group_member_number").on(t.groupId, t.memberNumber),
  ],
);

/**
 * Messages, with their sender as it was when it sent them. One table, not partitioned by time: pages, streams and keys of
 * requests are found by ids and wallets, and would look into every partition (`npm run bench -- messages`).
 */
export const message = offchain.table(
  "message",
  (t) => ({
    groupId: t
      .text()
      .notNull()
      .references(() => messageGroup.groupId),
    messageId: t.bigint({ mode: "number" }).notNull(),
    sender: t.text().notNull(),
    senderName: t.text().notNull(),
    senderTokenId: tokenId().notNull(),
    senderCred: t.smallint().notNull(),
    content: t.text().notNull(),
    /** Never earlier than that of the message before. */
    sentAt: at().notNull(),
    /** Hash of Idempotency-Key and request; null without a key. The same request again finds its message. */
    request: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.groupId, t.messageId] }),
    uniqueIndex("message_request").on(t.groupId, t.sender, t.request).where(sql`request is not null`),
  ],
);
