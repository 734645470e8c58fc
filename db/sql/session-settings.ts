/** The settings that SQL of the service relies on: each session makes them, so that no role, database or server decides them. */

/** By their names in Postgres. What a pool sets itself, such as its timeouts, comes after these. */
export const SESSION_SETTINGS = {
  // Statements are repeated for conflicts of their own only, and locks are taken in one order.
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  // A migration and a backfill have no limit; pools of requests and jobs have theirs.
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  // A connection that listens is idle for hours.
  idle_session_timeout: "0",
  // Names of the service are qualified; nothing of a schema of the operator's may stand before them.
  search_path: "public",
  client_encoding: "UTF8",
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  // Compiling takes longer than what it saves in statements of some milliseconds.
  jit: "off",
} as const;

/** The settings as a session's command line (PostgreSQL manual, "options"). */
export const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
  .join(" ");
