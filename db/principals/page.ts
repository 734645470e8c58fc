/** Principals of either kind as they are found: the first of a value, and pages; the first registered first, so that new ones do not shift a page. */
import { holdsToken } from "../agents/token-ownership.ts";
import { folded } from "../sql/folded-text.ts";
import { family, type Queryable, statement, t } from "../sql/statement.ts";

type Kind = "human" | "organization";
export type PageQuery = { search?: string | undefined; limit: number; offset: number };
/** Ids of a page in order, and the number of all that match. */
type PrincipalPage = { total: number; ids: string[] };
/** @param identity address of the identity contract: a search may name a token id */
type PageOptions = PageQuery & { identity: string };

const EXAMPLES: PageOptions[] = [undefined, "name", "0xab", "12"].map((search) => ({
  search,
  limit: 1,
  offset: 0,
  identity: "0x",
}));

/** The id of the first with a value in a column; null for none. */
export const firstBy = (kind: Kind, column: "id" | "slug" | "wallet" | "principal") =>
  statement({
    name: `${kind}s-by-${column}`,
    params: { value: t.text },
    text: `select id from offchain.${kind} where ${column} = $value order by created_at, id limit 1`,
    columns: { id: t.text },
    prepared: true,
  }).value;

/**
 * A page by name, wallet or token id.
 * @param further SQL of a condition on a row `p` that matches the SQL of a search too
 */
export function pagesOf(kind: Kind, further?: (search: string) => string) {
  const page = family({
    name: `${kind}s-page`,
    text: ({ search, limit, offset, identity }: PageOptions, $) => {
      const matches: string[] = [];
      if (search !== undefined) {
        const text = `${$(search)}::text`;
        matches.push(`strpos(p.search_name, ${folded(text)}) > 0`);
        if (further) matches.push(further(text));
        if (/^0x[0-9a-f]{0,40}$/i.test(search)) matches.push(`starts_with(p.wallet, ${$(search.toLowerCase())})`);
        if (/^\d{1,15}$/.test(search))
          matches.push(`(p.token_id = ${$(Number(search))} and ${holdsToken("p", $(identity))})`);
      }
      const found = `offchain.${kind} p ${search === undefined ? "" : `where (${matches.join(" or ")})`}`;
      return `
    select (select count(*) from ${found})::int4 as total,
           array(select p.id from ${found} order by p.created_at, p.id
                 limit ${$(limit)}::int8 offset ${$(offset)}::int8) as ids`;
    },
    columns: { total: t.int4, ids: t.array(t.text) },
    examples: EXAMPLES,
    prepared: true,
  });
  return (db: Queryable, query: PageQuery, identity: string): Promise<PrincipalPage> =>
    page.one(db, { ...query, identity });
}
