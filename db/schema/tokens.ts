/** Tokens of agents: claims and links, what markets say of them, what they traded. */
import { sql } from "drizzle-orm";
import { index, primaryKey } from "drizzle-orm/pg-core";
import { at, offchain, tokenId } from "./columns.ts";
import { directoryId } from "./directory.ts";

/** A token that a stranger says is an agent's: shown as claimed while no market names one, and never ranked by. */
export const directoryClaim = offchain.table("directory_claim", (t) => ({
  directoryId: directoryId().primaryKey(),
  tokenAddress: t.text(),
  tokenSymbol: t.text(),
  tokenName: t.text(),
  marketCapUsd: t.doublePrecision(),
  claimedAt: at().notNull(),
}));

/** Who linked an agent's token here, and what ties the token to that wallet: sorts and filters count it only then. */
export const tokenLink = offchain.table(
  "token_link",
  (t) => ({
    tokenId: tokenId().primaryKey(),
    /** Lower-case, of the own chain. */
    tokenAddress: t.text().notNull(),
    /** The agent's owner or wallet, whose request it was. */
    wallet: t.text().notNull(),
    /** A `TokenTie` (core/directory/token.ts); null where none was found, or none was looked for yet. */
    tie: t.text(),
    /** When it is to be checked again; null where nothing can change. */
    dueAt: at().defaultNow(),
  }),
  (t) => [index("token_link_due").on(t.dueAt).where(sql`due_at is not null`)],
);

/** What a market says about a token of the chain; one row per token, from its most liquid pair. */
export const tokenMarket = offchain.table("token_market", (t) => ({
  tokenAddress: t.text().primaryKey(),
  /** False when the market does not know the token. */
  known: t.boolean().notNull(),
  symbol: t.text(),
  name: t.text(),
  /** Fully diluted value where the market has no capitalisation; `basis` says which. */
  marketCapUsd: t.doublePrecision(),
  basis: t.text(),
  priceChange24h: t.doublePrecision("price_change_24h"),
  volume24hUsd: t.doublePrecision("volume_24h_usd"),
  liquidityUsd: t.doublePrecision(),
  source: t.text().notNull(),
  /** Null until the market has answered about it. */
  fetchedAt: at(),
  /** When the market last failed to answer about it; null after an answer. */
  failedAt: at(),
}));

/** The dollars that a token traded in the 24 hours before its last quote of a UTC day; kept for 30 days. */
export const tokenVolume = offchain.table(
  "token_volume",
  (t) => ({
    tokenAddress: t.text().notNull(),
    day: t.date().notNull(),
    volumeUsd: t.doublePrecision().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.tokenAddress, t.day] }), index("token_volume_day").on(t.day)],
);
