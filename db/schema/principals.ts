/** Humans and organizations. */
import { sql } from "drizzle-orm";
import { bigint, index, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { folded } from "../sql/folded-text.ts";
import { at, offchain, tokenId } from "./columns.ts";

/** What is known of a human and of an organization alike. */
const principalColumns = () => ({
  id: text().primaryKey(),
  /** Null for one who signs in by access token. */
  wallet: text(),
  description: text().notNull(),
  image: text(),
  skills: text().array().notNull(),
  domains: text().array().notNull(),
  /** As stated: ids elsewhere (an object or a list) and what else the human or the organization states. */
  externalIds: jsonb().notNull().default({}),
  metadata: jsonb().notNull().default({}),
  /** Private: only the human itself, or who owns the organization, is ever shown them. */
  contact: jsonb().notNull(),
  notificationPreferences: jsonb().notNull().default({}),
  /** Its own identity token: counts while the wallet owns it and it was transferred no more than `tokenTransfers` times. */
  tokenId: tokenId(),
  tokenTransfers: bigint({ mode: "number" }),
  createdAt: at().notNull(),
  updatedAt: at().notNull(),
});

/** Human principals. The same wallet or account is the same human, and only that human changes the row. */
export const human = offchain.table(
  "human",
  (t) => ({
    ...principalColumns(),
    /** Who it is: the wallet, or `<issuer>#<subject>` of the identity provider. Never shown. */
    principal: t.text().notNull().unique(),
    name: t.text().notNull(),
    searchName: t.text().generatedAlwaysAs(sql.raw(folded("name"))),
    organization: t.text().notNull(),
    /** Accounts and services as the human states them: shown, never counted as proven. */
    linkedAccounts: t.jsonb().notNull(),
    services: t.jsonb().notNull(),
    /** Transactions the wallet has sent, as last read from the chain; null = never read. */
    transactionCount: t.bigint({ mode: "number" }),
    transactionCountAt: at(),
  }),
  (t) => [
    uniqueIndex("human_wallet").on(t.wallet),
    index("human_token").on(t.tokenId).where(sql`token_id is not null`),
    index("human_created").on(t.createdAt, t.id),
    index("human_transactions_due").on(t.transactionCountAt).where(sql`wallet is not null`),
  ],
);

/** Agents that their owners linked to a human. A link holds while the index shows the same owner and no further transfer. */
export const humanAgent = offchain.table(
  "human_agent",
  (t) => ({
    humanId: t
      .text()
      .notNull()
      .references(() => human.id, { onDelete: "cascade" }),
    tokenId: tokenId().notNull(),
    /** The owner who linked it, and how often the token had been transferred by then. */
    owner: t.text().notNull(),
    transfers: t.bigint({ mode: "number" }).notNull(),
    linkedAt: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.humanId, t.tokenId] }), index("human_agent_token").on(t.tokenId)],
);

/** Organizations, each owned by the principal that registered it. */
export const organization = offchain.table(
  "organization",
  (t) => ({
    ...principalColumns(),
    slug: t.text().notNull().unique(),
    /** The slug as the eye takes it: two that look alike are one. */
    slugKey: t.text().notNull().unique(),
    /** Its owner, as in `human`. Never shown. */
    principal: t.text().notNull(),
    displayName: t.text().notNull(),
    searchName: t.text().generatedAlwaysAs(sql.raw(folded("display_name"))),
    organizationType: t.text().notNull(),
    roles: t.text().array().notNull(),
    links: t.jsonb().notNull(),
    services: t.jsonb().notNull().default({}),
    /** Wallets (texts) and token ids (numbers) as the organization states them. */
    members: t.jsonb().notNull(),
  }),
  (t) => [
    index("organization_principal").on(t.principal),
    index("organization_wallet").on(t.wallet),
    index("organization_created").on(t.createdAt, t.id),
  ],
);

/** Slugs of deleted organizations: for a while only their former owner can take them. */
export const retiredSlug = offchain.table(
  "retired_slug",
  (t) => ({
    slugKey: t.text().primaryKey(),
    /** SHA-256 of the former owner's `principal`. */
    ownerHash: t.text().notNull(),
    retiredAt: at().notNull(),
  }),
  (t) => [index("retired_slug_retired").on(t.retiredAt)],
);
