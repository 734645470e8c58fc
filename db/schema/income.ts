/** Payments that agents' wallets received: what was read of USDC's logs for whom, and what it is worth (core/income/). */
import { sql } from "drizzle-orm";
import { index, primaryKey } from "drizzle-orm/pg-core";
import { at, block, offchain, readRanges } from "./columns.ts";
import { directoryId } from "./directory.ts";

/** Addresses that are read together, by one filter of logs. */
export const incomeCohort = offchain.table("income_cohort", (t) => ({
  id: t.bigserial({ mode: "number" }).primaryKey(),
  /** `wallet`: payments to agents' wallets. `payer`: transfers to who paid them. `side`: transfers by agents' owners and wallets. */
  kind: t.text().notNull(),
  ...readRanges(),
}));

/** Blocks up to which a cohort was read, with their hashes: where the chain still has the last of them, nothing was taken back. */
export const incomeMark = offchain.table(
  "income_mark",
  (t) => ({
    cohort: t
      .bigint({ mode: "number" })
      .notNull()
      .references(() => incomeCohort.id, { onDelete: "cascade" }),
    block: block().notNull(),
    hash: t.text().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.cohort, t.block] })],
);

/** Who is in which cohort. */
export const incomeFollowed = offchain.table(
  "income_followed",
  (t) => ({
    /** Lower-case. */
    address: t.text().notNull(),
    kind: t.text().notNull(),
    cohort: t
      .bigint({ mode: "number" })
      .notNull()
      .references(() => incomeCohort.id),
    /** Payments up to this block are its past, which makes no events. */
    knownFrom: block().notNull().default(0),
    /** When something last changed that figures rest on. */
    changedAt: at().notNull().default(sql`clock_timestamp()`),
  }),
  (t) => [primaryKey({ columns: [t.address, t.kind] }), index("income_followed_cohort").on(t.cohort)],
);

/** Transfers of USDC in canonical blocks. */
export const incomeMove = offchain.table(
  "income_move",
  (t) => ({
    blockHash: t.text().notNull(),
    logIndex: t.integer().notNull(),
    block: block().notNull(),
    /** Unix seconds. */
    at: t.bigint({ mode: "number" }).notNull(),
    txHash: t.text().notNull(),
    sender: t.text().notNull(),
    recipient: t.text().notNull(),
    units: t.numeric().notNull(),
    /** Of the authorization that caused it; null for a plain transfer, and where the recipient is no agent's wallet. */
    nonce: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.blockHash, t.logIndex] }),
    index("income_move_recipient").on(t.recipient, t.block),
    index("income_move_sender").on(t.sender, t.block),
  ],
);

/** Accounts that money went through: how many transactions each has sent. Null: a contract. */
export const incomeAccount = offchain.table("income_account", (t) => ({
  address: t.text().primaryKey(),
  sent: t.bigint({ mode: "number" }),
}));

/** Transactions in which the side of an agent sent USDC and another account gave some to a payer: who sent to whom in them. */
export const incomeRoute = offchain.table(
  "income_route",
  (t) => ({
    blockHash: t.text().notNull(),
    txHash: t.text().notNull(),
    /** `[[from, to]]`, each pair once. */
    hops: t.jsonb().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.blockHash, t.txHash] })],
);

/** The figures of an agent whose wallet was paid. */
export const incomeFigures = offchain.table(
  "income_figures",
  (t) => ({
    directoryId: directoryId().primaryKey(),
    wallet: t.text().notNull(),
    /** Which state of what was read they were computed from. */
    seen: t.text().notNull(),
    /** `{rules, windows}`: what `weighIncome` made of the facts. */
    figures: t.jsonb().notNull(),
    computedAt: at().notNull(),
  }),
  (t) => [index("income_figures_computed").on(t.computedAt), index("income_figures_wallet").on(t.wallet)],
);

/** Payments to an agent's wallet, the newest of the longest window, each with what removes it. */
export const incomePayment = offchain.table(
  "income_payment",
  (t) => ({
    directoryId: directoryId().notNull(),
    block: block().notNull(),
    logIndex: t.integer().notNull(),
    txHash: t.text().notNull(),
    at: t.bigint({ mode: "number" }).notNull(),
    payer: t.text().notNull(),
    units: t.numeric().notNull(),
    /** A key of core/income/rules.ts; null where it is organic. */
    rule: t.text(),
    through: t.text(),
  }),
  (t) => [
    primaryKey({ columns: [t.directoryId, t.block, t.logIndex] }),
    index("income_payment_payer").on(t.directoryId, t.payer),
  ],
);
