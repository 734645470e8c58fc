/** Mints, the transaction outbox and its attempts, writes on chain, token URIs. */
import { sql } from "drizzle-orm";
import { index, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { ListingInput } from "../../core/agents/listing-input.ts";
import type { NarrativeInput, PersonalityInput } from "../../core/agents/profile-input.ts";
import type { SolanaPurpose } from "../../core/callers/signed-texts.ts";
import type { SolanaAddress } from "../../core/solana/keys.ts";
import { at, block, offchain, tokenId } from "./columns.ts";

/** A request to mint, from acceptance to its token. */
export const mint = offchain.table(
  "mint",
  (t) => ({
    mintId: t.uuid().primaryKey(),
    /** The agent's wallet. */
    wallet: t.text().$type<Address>().notNull(),
    /**
     * The Solana key that registers; null where the wallet itself does. Each registrant registers once; being named by a
     * Solana key does not count as a wallet's registration.
     */
    solanaAddress: t.text().$type<SolanaAddress>(),
    /** Who registers, once. */
    registrant: t.text().generatedAlwaysAs(sql`coalesce(solana_address, wallet)`),
    /** The token's receiver; the wallet itself unless another principal pays. */
    recipient: t.text().$type<Address>().notNull(),
    name: t.text().notNull(),
    framework: t.text().notNull(),
    soulbound: t.boolean().notNull(),
    /** Index into the contract's MintOrigin enum. */
    origin: t.smallint().notNull(),
    personality: t.jsonb().$type<PersonalityInput>(),
    narrative: t.jsonb().$type<NarrativeInput>(),
    /** The agent's services, skills, domains and metadata, as far as they are given; null without any. */
    listing: t.jsonb().$type<ListingInput>(),
    referralCode: t.text(),
    /** Identifies the accepted request: a retry of it is answered alike. */
    fingerprint: t.text().notNull().unique(),
    /** pending → minted, or failed; back to pending when its block is reorganised away. */
    state: t.text().$type<"pending" | "minted" | "failed">().notNull(),
    tokenId: tokenId(),
    txHash: t.text().$type<Hex>(),
    block: block(),
    /** The contract's plain reason when failed. */
    error: t.text(),
    createdAt: at().notNull().defaultNow(),
    completedAt: at(),
    /** From when on its awards are to be queued, once its block is deep enough; null = none (any more). */
    awardsDueAt: at(),
  }),
  (t) => [
    index("mint_awards_due").on(t.awardsDueAt).where(sql`awards_due_at is not null`),
    uniqueIndex("mint_registrant").on(t.registrant).where(sql`state <> 'failed'`),
    uniqueIndex("mint_token").on(t.tokenId),
    index("mint_state").on(t.state),
  ],
);

/** Texts given out for Solana keys to sign, each good once and for five minutes. */
export const solanaChallenge = offchain.table(
  "solana_challenge",
  (t) => ({
    nonce: t.text().primaryKey(),
    address: t.text().$type<SolanaAddress>().notNull(),
    purpose: t.text().$type<SolanaPurpose>().notNull(),
    /** Receiver of the identity, where the text names one. */
    evmAddress: t.text().$type<Address>(),
    issuedAt: at().notNull(),
    expiresAt: at().notNull(),
    /** The request that used it, which alone may use it again. */
    usedBy: t.text(),
    usedAt: at(),
  }),
  (t) => [index("solana_challenge_expires").on(t.expiresAt)],
);

/** The transaction outbox: what is to happen on chain, each intent exactly once. */
export const transactionOutbox = offchain.table(
  "transaction_outbox",
  (t) => ({
    id: t.bigserial({ mode: "number" }).primaryKey(),
    /** Names the effect (`mint:<mintId>`, `verify:<tokenId>`): the same effect is never queued twice. */
    intentKey: t.text().notNull().unique(),
    to: t.text("to_address").$type<Address>().notNull(),
    data: t.text().$type<Hex>().notNull(),
    valueWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
    /** Signed only while no other intent can be signed, and within a share of the day's budget. */
    waits: t.boolean().notNull().default(false),
    /** Account that a free write counts for (core/transactions/free-gas.ts); null: paid for, or the service's own. */
    freeFor: t.text(),
    /** Its agent; null for a registration. */
    freeToken: t.bigint({ mode: "number" }),
    /** Networks that a free registration counts for, for a day. */
    freeNetworks: t.text().array(),
    freeKnown: t.boolean().notNull().default(false),
    freeAt: at(),
    /** Max gas of a free write, its value included, and what it has used; null = not known. */
    gasBound: t.bigint({ mode: "number" }),
    gasUsed: t.bigint({ mode: "number" }),
    /** queued → signed → mined | reverted; failed = refused by simulation, no nonce was used */
    state: t.text().$type<"queued" | "signed" | "mined" | "reverted" | "failed">().notNull().default("queued"),
    /** The account that signed it; nonces are its own. */
    sender: t.text(),
    nonce: t.bigint({ mode: "number" }),
    gasLimit: t.bigint({ mode: "number" }),
    /** The attempt that was mined. */
    txHash: t.text().$type<Hex>(),
    block: block(),
    blockHash: t.text().$type<Hex>(),
    /** Receipt logs as JSON-RPC gave them. */
    logs: t.jsonb(),
    error: t.text(),
    /** W3C traceparent of the request that asked for it; null where traces are not kept. */
    trace: t.text(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    signedAt: at(),
    minedAt: at(),
    /** Fees of the mined attempt by its receipt, the data fee of a rollup included; null before that. */
    costWei: t.numeric({ precision: 78, scale: 0 }),
  }),
  (t) => [
    index("transaction_outbox_cost").on(t.minedAt).where(sql`cost_wei is not null`),
    index("transaction_outbox_open").on(t.state, t.waits, t.id).where(sql`state in ('queued', 'signed')`),
    uniqueIndex("transaction_outbox_nonce").on(t.sender, t.nonce).where(sql`state in ('signed', 'mined', 'reverted')`),
    index("transaction_outbox_free_for").on(t.freeFor, t.freeAt).where(sql`free_for is not null`),
    index("transaction_outbox_free_token").on(t.freeToken, t.freeAt).where(sql`free_token is not null`),
    index("transaction_outbox_free_networks").on(t.freeAt).where(sql`free_networks is not null`),
    index("transaction_outbox_mined").on(t.block).where(sql`state in ('mined', 'reverted')`),
  ],
);

/** Every raw transaction ever signed for an intent: all share its nonce, any of them may be the one that is mined. */
export const transactionAttempt = offchain.table(
  "transaction_attempt",
  (t) => ({
    hash: t.text().$type<Hex>().primaryKey(),
    intentId: t
      .bigint({ mode: "number" })
      .notNull()
      .references(() => transactionOutbox.id),
    nonce: t.bigint({ mode: "number" }).notNull(),
    raw: t.text().$type<Hex>().notNull(),
    maxFeePerGasWei: t.numeric({ precision: 78, scale: 0 }).notNull(),
    maxPriorityFeePerGasWei: t.numeric({ precision: 78, scale: 0 }).notNull(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    /** When, and at which head, these bytes were last handed to a node; null = never yet. */
    broadcastAt: at(),
    broadcastBlock: block(),
    /** An empty transfer of the account to itself in place of the intent's call: it uses the nonce up and ends the intent. */
    filler: t.boolean().notNull().default(false),
  }),
  (t) => [index("transaction_attempt_intent").on(t.intentId)],
);

/**
 * Writes to an agent's profile on chain, in the order they were accepted. The newest of a slot says what the chain is to
 * hold there, and by which intent.
 */
export const chainWrite = offchain.table(
  "chain_write",
  (t) => ({
    id: t.bigserial({ mode: "number" }).primaryKey(),
    tokenId: tokenId().notNull(),
    /** The part written: `personality`, `narrative.origin`, `trait:<name>`, `verified`. */
    slot: t.text().notNull(),
    intentKey: t.text().notNull().unique(),
    /** The wallet that asked; it must still control the agent when the transaction is signed. */
    wallet: t.text().notNull(),
    acceptedAt: at().notNull(),
  }),
  (t) => [
    index("chain_write_slot").on(t.tokenId, t.slot, t.id),
    index("chain_write_accepted").on(t.tokenId, t.acceptedAt),
  ],
);

/** What the chain said of each token's URI, and what the service has set it to. */
export const tokenUri = offchain.table(
  "token_uri",
  (t) => ({
    tokenId: tokenId().primaryKey(),
    /**
     * none: the chain has none; queued: the service's transaction is under way; set: the chain has the service's; own: the
     * chain has another one; cleared: the chain has none although the service had set one; unknown: it could not be read.
     */
    state: t.text().$type<"none" | "queued" | "set" | "own" | "cleared" | "unknown">().notNull(),
    /** When the chain is to be asked next. */
    checkAt: at().notNull(),
    /** The PUBLIC_URL in the URI that the service last set, and in the one it set before that; null = none. */
    base: t.text(),
    formerBase: t.text(),
    /** Number of the newest intent, which is part of its key; 0 = none yet. */
    attempt: t.integer().notNull().default(0),
    /** When the token was chosen within the daily limit; null for tokens that the service minted itself. */
    filledAt: at(),
  }),
  (t) => [
    index("token_uri_check").on(t.checkAt).where(sql`state <> 'queued'`),
    index("token_uri_none").on(t.tokenId).where(sql`state = 'none'`),
    index("token_uri_without").on(t.tokenId).where(sql`state not in ('set', 'own')`),
    index("token_uri_base").on(t.base, t.tokenId).where(sql`state = 'set'`),
    index("token_uri_filled").on(t.filledAt).where(sql`filled_at is not null`),
  ],
);

/** Texts of human updates that were used; kept as long as their time would still be accepted, and longer. */
export const humanUpdate = offchain.table(
  "human_update",
  (t) => ({
    text: t.text().primaryKey(),
    tokenId: tokenId().notNull(),
    /** Hash of the request that used it: the same request again is the same update. */
    fingerprint: t.text().notNull(),
    usedAt: at().notNull(),
  }),
  (t) => [index("human_update_used").on(t.usedAt)],
);

/** What the sender knows of its account; one row. New writes are refused while it is not funded. */
export const senderState = offchain.table("sender_state", (t) => ({
  one: t.boolean().primaryKey().default(true),
  address: t.text().$type<Address>().notNull(),
  balanceWei: t.numeric({ precision: 78, scale: 0 }).notNull(),
  funded: t.boolean().notNull(),
  checkedAt: at().notNull(),
  /** Fees paid since midnight UTC, and what may be paid until the next; 0 = no limit. */
  spentWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  budgetWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  /** Of them and of what is under way, the cost of free writes, and of those for newcomers. */
  freeWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  newcomersWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  /** Max fee per gas of the newest offer, in wei; 0 = none yet. */
  feeWei: t.numeric({ precision: 78, scale: 0 }).notNull().default("0"),
  /** Until when nothing new is signed because the day's budget is used up; null = it is not. */
  pausedUntil: at(),
}));
