/** Jobs between agents (ERC-8183): what was read of the contract's logs, and the figures of it (core/commerce/). */
import { index, primaryKey } from "drizzle-orm/pg-core";
import type { JobEvent } from "../../core/commerce/jobs.ts";
import { at, block, offchain, readRanges } from "./columns.ts";
import { directoryId } from "./directory.ts";

/** The contract whose logs are read; one row at most. */
export const commerceContract = offchain.table("commerce_contract", (t) => ({
  /** Lower-case. */
  contract: t.text().primaryKey(),
  ...readRanges(),
}));

/** Blocks up to which it was read, with their hashes: where the chain still has the last of them, nothing was taken back. */
export const commerceMark = offchain.table("commerce_mark", (t) => ({
  block: block().primaryKey(),
  hash: t.text().notNull(),
}));

/** Its logs in canonical blocks. */
export const commerceLog = offchain.table(
  "commerce_log",
  (t) => ({
    blockHash: t.text().notNull(),
    logIndex: t.integer().notNull(),
    block: block().notNull(),
    /** Unix seconds. */
    at: t.bigint({ mode: "number" }).notNull(),
    txHash: t.text().notNull(),
    jobId: t.numeric().notNull(),
    event: t.jsonb().$type<JobEvent>().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.blockHash, t.logIndex] }),
    index("commerce_log_block").on(t.block),
    index("commerce_log_job").on(t.jobId),
  ],
);

/** Jobs as their logs have them, written with these in one commit: those that were funded. */
export const commerceJob = offchain.table(
  "commerce_job",
  (t) => ({
    jobId: t.numeric().primaryKey(),
    provider: t.text().notNull(),
    block: block().notNull(),
    logIndex: t.integer().notNull(),
    fundedAt: t.bigint({ mode: "number" }).notNull(),
    endedAt: t.bigint({ mode: "number" }),
    client: t.text().notNull(),
    evaluator: t.text(),
    token: t.text(),
    units: t.numeric().notNull(),
    state: t.text().notNull(),
    /** `Job`, its units as a decimal string. */
    job: t.jsonb().notNull(),
  }),
  (t) => [
    index("commerce_job_provider").on(t.provider, t.block, t.logIndex),
    index("commerce_job_client").on(t.client),
  ],
);

/** Accounts that are the provider of a job: a number that is new whenever what is known of their jobs changes. */
export const commerceProvider = offchain.table("commerce_provider", (t) => ({
  provider: t.text().primaryKey(),
  version: t.bigserial({ mode: "number" }).notNull(),
}));

/** The figures of an agent whose wallet is the provider of a job. */
export const commerceFigures = offchain.table(
  "commerce_figures",
  (t) => ({
    directoryId: directoryId().primaryKey(),
    wallet: t.text().notNull(),
    /** The version of the provider that they were computed from. */
    seen: t.bigint({ mode: "number" }).notNull(),
    /** `JobFigures`, its units as decimal strings. */
    figures: t.jsonb().notNull(),
    computedAt: at().notNull(),
  }),
  (t) => [index("commerce_figures_computed").on(t.computedAt), index("commerce_figures_wallet").on(t.wallet)],
);

/** Jobs of an agent that were weighed, each with what removes it. */
export const commerceWeighed = offchain.table(
  "commerce_weighed",
  (t) => ({
    directoryId: directoryId().notNull(),
    jobId: t.numeric().notNull(),
    /** A key of core/commerce/rules.ts; null where it is organic. */
    rule: t.text(),
    through: t.text(),
  }),
  (t) => [primaryKey({ columns: [t.directoryId, t.jobId] })],
);
