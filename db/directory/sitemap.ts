/** The agents of the directory by ranges of their ids, for crawlers. */
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Ids of one part: a file of them stays far below the 50,000 addresses that crawlers take. */
const SITEMAP_IDS = 5_000;

const LAST = statement({
  name: "sitemap-last",
  text: "select max(id) as id from offchain.directory",
  columns: { id: t.nullable(t.int8) },
});

/** The agents of one part, counted from 0; none for a part that there is not. */
export const sitemapPart = statement({
  name: "sitemap-part",
  given: (part: number) => ({ after: part * SITEMAP_IDS, upTo: (part + 1) * SITEMAP_IDS }),
  params: { after: t.int8, upTo: t.int8 },
  text: `
    select platform, agent_id as "agentId", token_id as "tokenId", name from offchain.directory
    where id > $after::int8 and id <= $upTo::int8 and removed_at is null order by id`,
  columns: { platform: t.text, agentId: t.text, tokenId: t.nullable(t.int8), name: t.text },
}).rows;

/** Number of parts that there are now. */
export async function sitemapParts(db: Queryable): Promise<number> {
  const { id } = await LAST.one(db);
  return Math.ceil((id ?? 0) / SITEMAP_IDS);
}
