/** Humans and organizations. */
import { sql } from "drizzle-orm";
import { bigint, index, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { folded } from "../sql/folded-text.ts";
import { at, offchain, tokenId } from "./columns.ts";

/** Human principals. The same wallet or account is the same human, and only that human changes the row. */
export const human = offchain.table(
  "human",
  {
    id: text().primaryKey(),
    /** Who it is: the wallet, or `<issuer>#<subject>` of the identity provider. Never shown. */
    principal: text().notNull().unique(),
    /** Null for a human who signs in by access token. */
    wallet: text(),
    name: text().notNull(),
    searchName: text().generatedAlwaysAs(sql.raw(folded("name"))),
    description: text().notNull(),
    image: text(),
    organization: text().notNull(),
    skills: text().array().notNull(),
    domains: text().array().notNull(),
    /** Accounts and services as the human states them: shown, never counted as proven. */
    linkedAccounts: jsonb().notNull(),
    services: jsonb().notNull(),
    /** As stated: ids elsewhere (an object or a list) and what else the human states. */
    externalIds: jsonb().notNull().default({}),
    metadata: jsonb().notNull().default({}),
    /** Private: only the human itself is ever shown them. */
    contact: jsonb().notNull(),
    notificationPreferences: jsonb().notNull().default({}),
    /** Its own identity token: counts while the wallet owns it and it was transferred no more than `tokenTransfers` times. */
    tokenId: tokenId(),
    tokenTransfers: bigint({ mode: "number" }),
    /** Transactions the wallet has sent, as last read from the chain; null = never read. */
    transactionCount: bigint({ mode: "number" }),
    transactionCountAt: at(),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
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
  {
    humanId: text()
      .notNull()
      .references(() => human.id, { onDelete: "cascade" }),
    tokenId: tokenId().notNull(),
    /** The owner who linked it, and how often the token had been transferred by then. */
    owner: text().notNull(),
    transfers: bigint({ mode: "number" }).notNull(),
    linkedAt: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.humanId, t.tokenId] }), index("human_agent_token").on(t.tokenId)],
);

/** Organizations, each owned by the principal that registered it. */
export const organization = offchain.table(
  "organization",
  {
    id: text().primaryKey(),
    slug: text().notNull().unique(),
    /** The slug as the eye takes it: two that look alike are one. */
    slugKey: text().notNull().unique(),
    /** Its owner, as in `human`. Never shown. */
    principal: text().notNull(),
    wallet: text(),
    displayName: text().notNull(),
    searchName: text().generatedAlwaysAs(sql.raw(folded("display_name"))),
    description: text().notNull(),
    image: text(),
    organizationType: text().notNull(),
    roles: text().array().notNull(),
    skills: text().array().notNull(),
    domains: text().array().notNull(),
    links: jsonb().notNull(),
    services: jsonb().notNull().default({}),
    externalIds: jsonb().notNull().default({}),
    metadata: jsonb().notNull().default({}),
    /** Private, as in `human`. */
    contact: jsonb().notNull(),
    notificationPreferences: jsonb().notNull().default({}),
    /** Wallets (texts) and token ids (numbers) as the organization states them. */
    members: jsonb().notNull(),
    /** Its identity token, as in `human`. */
    tokenId: tokenId(),
    tokenTransfers: bigint({ mode: "number" }),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (t) => [
    index("organization_principal").on(t.principal),
    index("organization_wallet").on(t.wallet),
    index("organization_created").on(t.createdAt, t.id),
  ],
);

/** Slugs of deleted organizations: for a while only their former owner can take them. */
export const retiredSlug = offchain.table(
  "retired_slug",
  {
    slugKey: text().primaryKey(),
    /** SHA-256 of the former owner's `principal`. */
    ownerHash: text().notNull(),
    retiredAt: at().notNull(),
  },
  (t) => [index("retired_slug_retired").on(t.retiredAt)],
);
