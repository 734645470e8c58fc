/** The service's own state: statistics, jobs, idempotency, API keys, revocations. */
import { index, primaryKey } from "drizzle-orm/pg-core";
import { at, bytes, offchain } from "./columns.ts";

/** Holders of the service token, as last counted; one row. */
export const tokenStats = offchain.table("token_stats", (t) => ({
  one: t.boolean().primaryKey().default(true),
  holders: t.integer().notNull(),
  updatedAt: at().notNull(),
}));

/** The last run of each scheduled job. */
export const jobRun = offchain.table("job_run", (t) => ({
  name: t.text().primaryKey(),
  lastStartedAt: at().notNull(),
  lastSuccessAt: at(),
  nextRunAt: at().notNull(),
  /** Until when the process that runs it need not renew the run; null: no run is under way. */
  runningUntil: at(),
  /** How many rows the last successful run changed. */
  rows: t.integer(),
  /** Why the last run failed, one sentence; null when it succeeded. */
  error: t.text(),
}));

/** When work of each job last moved: a run began or ended, or was under way. */
export const jobMove = offchain.table("job_move", (t) => ({
  name: t.text().primaryKey(),
  movedAt: at().notNull(),
}));

/** Answers of writes by Idempotency-Key (IETF httpapi-idempotency-key-header). */
export const idempotency = offchain.table(
  "idempotency",
  (t) => ({
    /** Who: the authenticated wallet, else the caller's address. */
    scope: t.text().notNull(),
    key: t.text().notNull(),
    /** Hash of method, path, query and body. */
    fingerprint: t.text().notNull(),
    /** running | done */
    state: t.text().notNull(),
    status: t.integer(),
    headers: t.jsonb(),
    body: t.text(),
    createdAt: at().notNull().defaultNow(),
    /** A running row older than this was left by a crash and may be taken over. */
    leaseUntil: at().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index("idempotency_created").on(t.createdAt)],
);

/** Keys that the operator gives out; only their hashes are kept. */
export const apiKey = offchain.table("api_key", (t) => ({
  id: t.text().primaryKey(),
  /** Whom it was given to. */
  name: t.text().notNull(),
  /** What it opens: scopes of db/callers/api-keys.ts, separated by spaces. */
  scope: t.text().notNull().default("sessions:write"),
  /** Reads a minute with scope `read`; null for the configured number. */
  readsPerMinute: t.integer(),
  /** SHA-256 of the whole key. */
  hash: bytes().notNull(),
  createdAt: at().notNull().defaultNow(),
  revokedAt: at(),
  /** To the minute. */
  lastUsedAt: at(),
}));

/** Wallets that have ended their credentials: those dated before `revokedBefore` are over. */
export const credentialRevocation = offchain.table("credential_revocation", (t) => ({
  wallet: t.text().primaryKey(),
  revokedBefore: at().notNull(),
}));
