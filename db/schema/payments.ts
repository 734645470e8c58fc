/** Prices and the payment ledger. */
import { sql } from "drizzle-orm";
import { index, uniqueIndex } from "drizzle-orm/pg-core";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Operation } from "../../core/payments/prices.ts";
import type { PaymentState } from "../../core/payments/states.ts";
import { at, block, offchain } from "./columns.ts";

/** What things cost from when on: the newest row is in force. Without any, the configuration's phase and prices are. */
export const priceList = offchain.table("price_list", (t) => ({
  id: t.bigserial({ mode: "number" }).primaryKey(),
  /** free | paid */
  phase: t.text().notNull(),
  /** Operation → USDC units, as decimal strings; operations not named cost what the code says. */
  prices: t.jsonb().notNull(),
  since: at().notNull().default(sql`clock_timestamp()`),
}));

/** The ledger: every payment by every method, from the moment it is presented. States in core/payments/states.ts. */
export const payment = offchain.table(
  "payment",
  (t) => ({
    paymentId: t.uuid().primaryKey(),
    /** The key of its payment method: x402, transaction, mpp (payments/methods.ts). */
    method: t.text().notNull(),
    /** What it is to buy: an operation of core/payments/prices.ts. */
    operation: t.text().$type<Operation>().notNull(),
    state: t.text().$type<PaymentState>().notNull().default("new"),
    payer: t.text().$type<Address>().notNull(),
    payee: t.text().$type<Address>().notNull(),
    chainId: t.bigint({ mode: "number" }).notNull(),
    asset: t.text().$type<Address>().notNull(),
    amountUnits: t.numeric({ precision: 78, scale: 0 }).notNull(),
    /** The authenticated wallet of the request; null where none is asked for. */
    wallet: t.text().$type<Address>(),
    /** Hash of who, method, path, query and body: a payment pays for one request. */
    fingerprint: t.text().notNull(),
    /** What no other open payment may be for, such as the registration of one wallet. */
    uniqueKey: t.text(),
    /** What is to be done once it is paid, for the process that finishes it after a crash. */
    effect: t.jsonb(),
    /** What it bought: `mint:<mintId>`, `cred-report:<reportId>`. */
    bought: t.text(),
    /** The signed authorization as given, to settle it again; dropped when it can no longer be needed. */
    credential: t.jsonb(),
    /** Hash of the credential and the terms that were checked: only the very same credential resumes the payment. */
    digest: t.text(),
    /** The authorization is void from then on; null for what is settled already when presented. */
    validBefore: at(),
    /** First block that may hold its settlement: after the head for a bearer, an hour before it for the payer itself. */
    sinceBlock: block().notNull(),
    /** When a bearer presented it; null for the payer itself and for answered challenges (core/payments/claims.ts). */
    presentedAt: at(),
    /** Hash of the network that a bearer presented it from; its answer is given again there. */
    client: t.text(),
    /** How often the chain has refused what it bought: beyond a number its credit is not spent again. */
    chainRefusals: t.integer().notNull().default(0),
    /** Where the money moved. */
    txHash: t.text().$type<Hex>(),
    logIndex: t.integer(),
    nth: t.integer(),
    block: block(),
    blockHash: t.text().$type<Hex>(),
    /** Why it was released or is to be refunded, a stable word. */
    reason: t.text(),
    /** The answer it bought, for the same request again. */
    answerStatus: t.integer(),
    answerHeaders: t.jsonb(),
    answerBody: t.text(),
    /** Who works on it: after a takeover the former holder changes nothing. */
    lease: t.uuid(),
    leaseUntil: at(),
    createdAt: at().notNull().default(sql`clock_timestamp()`),
    updatedAt: at().notNull().default(sql`clock_timestamp()`),
    paidAt: at(),
    /** When it was sold for before it had its confirmations; null once it has them. */
    earlyAt: at(),
    /** Since when the transfer is deep enough in the chain to be taken for final. */
    finalAt: at(),
    /** When the sweep last looked for it on its chain; the payment with the oldest time is next. */
    sweptAt: at(),
  }),
  (t) => [
    uniqueIndex("payment_unique_key").on(t.uniqueKey).where(sql`state in ('new', 'settling', 'paid')`),
    index("payment_open").on(t.updatedAt).where(sql`state in ('new', 'settling', 'paid')`),
    index("payment_unfinal").on(t.block).where(sql`block is not null and final_at is null`),
    index("payment_early").on(t.earlyAt).where(sql`early_at is not null`),
    index("payment_released").on(t.validBefore).where(sql`state = 'released' and credential is not null`),
    index("payment_credit").on(t.payer).where(sql`state = 'refund_due'`),
    index("payment_wallet_credit").on(t.wallet).where(sql`state = 'refund_due'`),
    index("payment_bought").on(t.bought),
  ],
);

/**
 * The economic facts a payment consists of, each belonging to one payment only: `<chain>:<asset>:<from>:<nonce>` is an
 * authorization, `<chain>:<txHash>:<payer>:<payee>:<value>:<nth>` a transfer.
 */
export const paymentFact = offchain.table(
  "payment_fact",
  (t) => ({
    fact: t.text().primaryKey(),
    paymentId: t
      .uuid()
      .notNull()
      .references(() => payment.paymentId),
  }),
  (t) => [index("payment_fact_payment").on(t.paymentId)],
);
