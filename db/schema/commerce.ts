/** Jobs between agents (ERC-8183): what was read of the contract's logs, and the figures of it (core/commerce/). */
import { bigint, bigserial, index, integer, jsonb, numeric, primaryKey, text } from "drizzle-orm/pg-core";
import { at, block, offchain } from "./columns.ts";
import { directory } from "./directory.ts";

/** The contract whose logs are read; one row at most. */
export const commerceContract = offchain.table("commerce_contract", {
  /** Lower-case. */
  contract: text().primaryKey(),
  /** The first block that was read, and the last. */
  fromBlock: block().notNull(),
  readTo: block().notNull(),
  readAt: at(),
  /** Reads that failed since the last that did not, and when to try again. */
  failures: integer().notNull().default(0),
  nextTryAt: at(),
});

/** Blocks up to which it was read, with their hashes: where the chain still has the last of them, nothing was taken back. */
export const commerceMark = offchain.table("commerce_mark", {
  block: block().primaryKey(),
  hash: text().notNull(),
});

/** Its logs in canonical blocks. */
export const commerceLog = offchain.table(
  "commerce_log",
  {
    blockHash: text().notNull(),
    logIndex: integer().notNull(),
    block: block().notNull(),
    /** Unix seconds. */
    at: bigint({ mode: "number" }).notNull(),
    txHash: text().notNull(),
    jobId: numeric().notNull(),
    /** `JobEvent`. */
    event: jsonb().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.blockHash, t.logIndex] }),
    index("commerce_log_block").on(t.block),
    index("commerce_log_job").on(t.jobId),
  ],
);

/** Jobs as their logs have them, written with these in one commit: those that were funded. */
export const commerceJob = offchain.table(
  "commerce_job",
  {
    jobId: numeric().primaryKey(),
    provider: text().notNull(),
    /** Where it was funded. */
    block: block().notNull(),
    logIndex: integer().notNull(),
    fundedAt: bigint({ mode: "number" }).notNull(),
    endedAt: bigint({ mode: "number" }),
    client: text().notNull(),
    evaluator: text(),
    token: text(),
    units: numeric().notNull(),
    state: text().notNull(),
    /** `Job`, its units as a decimal string. */
    job: jsonb().notNull(),
  },
  (t) => [
    index("commerce_job_provider").on(t.provider, t.block, t.logIndex),
    index("commerce_job_client").on(t.client),
  ],
);

/** Accounts that are the provider of a job: a number that is new whenever what is known of their jobs changes. */
export const commerceProvider = offchain.table("commerce_provider", {
  provider: text().primaryKey(),
  version: bigserial({ mode: "number" }).notNull(),
});

/** The figures of an agent whose wallet is the provider of a job. */
export const commerceFigures = offchain.table(
  "commerce_figures",
  {
    directoryId: bigint({ mode: "number" })
      .primaryKey()
      .references(() => directory.id, { onDelete: "cascade" }),
    wallet: text().notNull(),
    /** The version of the provider that they were computed from. */
    seen: bigint({ mode: "number" }).notNull(),
    /** `JobFigures`, its units as decimal strings. */
    figures: jsonb().notNull(),
    computedAt: at().notNull(),
  },
  (t) => [index("commerce_figures_computed").on(t.computedAt), index("commerce_figures_wallet").on(t.wallet)],
);

/** Jobs of an agent that were weighed, each with what removes it. */
export const commerceWeighed = offchain.table(
  "commerce_weighed",
  {
    directoryId: bigint({ mode: "number" })
      .notNull()
      .references(() => directory.id, { onDelete: "cascade" }),
    jobId: numeric().notNull(),
    /** A key of core/commerce/rules.ts; null where it is organic. */
    rule: text(),
    through: text(),
  },
  (t) => [primaryKey({ columns: [t.directoryId, t.jobId] })],
);
