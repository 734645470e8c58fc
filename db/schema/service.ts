/** The service's own state: statistics, jobs, idempotency, API keys, revocations. */
import { boolean, index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { at, bytes, offchain } from "./columns.ts";

/** Holders of the service token, as last counted; one row. */
export const tokenStats = offchain.table("token_stats", {
  one: boolean().primaryKey().default(true),
  holders: integer().notNull(),
  updatedAt: at().notNull(),
});

/** The last run of each scheduled job. */
export const jobRun = offchain.table("job_run", {
  name: text().primaryKey(),
  lastStartedAt: at().notNull(),
  lastSuccessAt: at(),
  nextRunAt: at().notNull(),
  /** Until when the process that runs it need not renew the run; null: no run is under way. */
  runningUntil: at(),
  /** How many rows the last successful run changed. */
  rows: integer(),
  /** Why the last run failed, one sentence; null when it succeeded. */
  error: text(),
});

/** When work of each job last moved: a run began or ended, or was under way. */
export const jobMove = offchain.table("job_move", {
  name: text().primaryKey(),
  movedAt: at().notNull(),
});

/** Answers of writes by Idempotency-Key (IETF httpapi-idempotency-key-header). */
export const idempotency = offchain.table(
  "idempotency",
  {
    /** Who: the authenticated wallet, else the caller's address. */
    scope: text().notNull(),
    key: text().notNull(),
    /** Hash of method, path, query and body. */
    fingerprint: text().notNull(),
    /** running | done */
    state: text().notNull(),
    status: integer(),
    headers: jsonb(),
    body: text(),
    createdAt: at().notNull().defaultNow(),
    /** A running row older than this was left by a crash and may be taken over. */
    leaseUntil: at().notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index("idempotency_created").on(t.createdAt)],
);

/** Keys that the operator gives out; only their hashes are kept. */
export const apiKey = offchain.table("api_key", {
  id: text().primaryKey(),
  /** Whom it was given to. */
  name: text().notNull(),
  /** What it opens: scopes of db/callers/api-keys.ts, separated by spaces. */
  scope: text().notNull().default("sessions"),
  /** Reads a minute with scope `read`; null for the configured number. */
  readsPerMinute: integer(),
  /** SHA-256 of the whole key. */
  hash: bytes().notNull(),
  createdAt: at().notNull().defaultNow(),
  revokedAt: at(),
  /** To the minute. */
  lastUsedAt: at(),
});

/** Wallets that have ended their credentials: those dated before `revokedBefore` are over. */
export const credentialRevocation = offchain.table("credential_revocation", {
  wallet: text().primaryKey(),
  revokedBefore: at().notNull(),
});
