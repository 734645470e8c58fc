/** Preloaded into the Ponder process: a rollback disables triggers instead of dropping them, so it and readers never block each other. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type pg from "pg";
import { PONDER_ROOT } from "./ponder-package.ts";

/**
 * Ponder drops its triggers while it rolls rows back, all in one transaction. DROP TRIGGER locks a table against its
 * readers, one table after the other. A reader of two tables deadlocks with it, and Ponder repeats the statement for a
 * minute while it keeps its locks on the other tables. A disabled trigger fires as little as a dropped one, the ALTER
 * TABLE does not block readers, and the CREATE OR REPLACE TRIGGER that follows enables it.
 */
const DROP = /^\s*drop trigger if exists "([^"']+)" on ("[^"']+"\."[^"']+");?\s*$/i;

/** Turns Ponder's DROP TRIGGER into a statement that disables the trigger; returns any other statement unchanged. */
export function disableInsteadOfDrop(text: string): string {
  const [whole, trigger, table] = DROP.exec(text) ?? [];
  if (whole === undefined) return text;
  return `do $$ begin
    if exists (select from pg_trigger where tgname = '${trigger}' and tgrelid = to_regclass('${table}')) then
      alter table ${table} disable trigger "${trigger}";
    end if;
  end $$`;
}

const { Client } = createRequire(join(PONDER_ROOT, "package.json"))("pg") as typeof pg;
const query = Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;

Client.prototype.query = function queryWithDisabledTriggers(this: pg.Client, first: unknown, ...rest: unknown[]) {
  if (typeof first === "string") return query.call(this, disableInsteadOfDrop(first), ...rest);
  const { text, submit } = (first ?? {}) as { text?: unknown; submit?: unknown };
  const plain = typeof text === "string" && submit === undefined;
  return query.call(this, plain ? { ...(first as object), text: disableInsteadOfDrop(text) } : first, ...rest);
} as typeof Client.prototype.query;
