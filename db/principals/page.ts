/** Pages of principals: filtered, counted and cut; the first registered first, so that new ones do not shift a page. */
import { family, type Statement, t } from "../sql/statement.ts";

export type PageQuery = { search?: string | undefined; limit: number; offset: number };
/** Ids of a page in order, and the number of all that match. */
export type PrincipalPage = { total: number; ids: string[] };

/** A page of a table. @param identity address of the identity contract: a search may name a token id */
export type PageOptions = PageQuery & { identity: string };

const EXAMPLES: PageOptions[] = [undefined, "name", "0xab", "12"].map((search) => ({
  search,
  limit: 1,
  offset: 0,
  identity: "0x",
}));

/**
 * Declares the page of a table of principals.
 * @param matching SQL conditions on a row `p`, any of which matches the search; `$` makes a parameter of a value
 */
export const pageFamily = (
  name: string,
  table: "offchain.human" | "offchain.organization",
  matching: (search: string, identity: string, $: (value: unknown) => string) => string[],
): Statement<[PageOptions], PrincipalPage> =>
  family({
    name,
    text: ({ search, limit, offset, identity }: PageOptions, $) => {
      const where = search === undefined ? "" : `where (${matching(search, identity, $).join(" or ")})`;
      return `
    select (select count(*) from ${table} p ${where})::int4 as total,
           array(select p.id from ${table} p ${where} order by p.created_at, p.id
                 limit ${$(limit)}::int8 offset ${$(offset)}::int8) as ids`;
    },
    columns: { total: t.int4, ids: t.array(t.text) },
    examples: EXAMPLES,
    prepared: true,
  });
