/** Preloaded into the Ponder process: a reorganisation locks no reader out, and no reader holds one up. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type pg from "pg";
import { PONDER_ROOT } from "./ponder-package.ts";

/**
 * Ponder drops its triggers while it rolls rows back, all in one transaction. DROP TRIGGER takes a table from its
 * readers, one table after the other: whoever reads two tables at once deadlocks with it, and Ponder tries again for a
 * minute with the tables it has already taken still locked. A trigger that is disabled fires as little as one that is
 * gone, disabling it lets everybody read on, and the CREATE OR REPLACE TRIGGER that follows enables it.
 */
const DROP = /^\s*drop trigger if exists "([^"']+)" on ("[^"']+"\."[^"']+");?\s*$/i;

/** The statement that is run in place of one of Ponder's; every other comes back as it is. */
export function gentle(text: string): string {
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

Client.prototype.query = function gently(this: pg.Client, first: unknown, ...rest: unknown[]) {
  if (typeof first === "string") return query.call(this, gentle(first), ...rest);
  const { text, submit } = (first ?? {}) as { text?: unknown; submit?: unknown };
  const plain = typeof text === "string" && submit === undefined;
  return query.call(this, plain ? { ...(first as object), text: gentle(text) } : first, ...rest);
} as typeof Client.prototype.query;
