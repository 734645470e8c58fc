/** Pages of principals: filtered, then counted, then cut; the longest registered first, so that newcomers move no page. */
import { createHash } from "node:crypto";
import type { Queryable } from "../transaction.ts";

export type PageQuery = { search?: string | undefined; limit: number; offset: number };
/** Ids of a page in order, and the number of all that match. */
export type PrincipalPage = { total: number; ids: string[] };

/** @param matching SQL conditions on a row `p`, any of which matches the search; `$` makes a parameter of a value */
export async function pageOf(
  db: Queryable,
  table: "offchain.human" | "offchain.organization",
  { search, limit, offset }: PageQuery,
  matching: (search: string, $: (value: unknown) => string) => string[],
): Promise<PrincipalPage> {
  const values: unknown[] = [];
  const $ = (value: unknown) => `$${values.push(value)}`;
  const where = search === undefined ? "" : `where (${matching(search, $).join(" or ")})`;
  const text = `
    select (select count(*) from ${table} p ${where})::int4 as total,
           array(select p.id from ${table} p ${where} order by p.created_at, p.id
                 limit ${$(limit)}::int8 offset ${$(offset)}::int8) as ids`;
  const name = `principals-${createHash("sha1").update(text).digest("base64url").slice(0, 20)}`;
  const { rows } = await db.query({ name, text, values });
  return rows[0];
}
