/** Rows of the directory whose offers are to be listed. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { statement, t } from "../sql/statement.ts";

/** Max stored items of a row that are read for offers: those that were seen first, because anybody can add to them. */
const MAX_ITEMS = 64;

/** SQL of the rows `d` of the directory that meet a condition. */
const rowsSql = (which: string) => `
    select d.id, greatest(0, d.cred_score)::int2 as trust, d.removed_at is null as "isShown",
      lower(d.owner_address) as owner, case when d.removed_at is null then d.services end as services,
      case when d.removed_at is null then array_to_json(array(
        select json_build_object('source', i.source, 'raw', i.raw)
        from (select i.* from offchain.directory_item i
              where i.platform = d.platform and i.agent_id = d.agent_id and i.source = any($sources)
              order by i.first_seen_at, i.source_id limit ${MAX_ITEMS}) i)) else '[]' end as items,
      case when d.removed_at is not null then null
        when d.platform = '${OWN_PLATFORM}' then
          (select p.value from offchain.profile_field p where p.token_id = d.token_id and p.field = 'skills')
        when d.platform = '${ERC8004}' and d.agent_id ~ '^[0-9]{1,78}$' then
          (select f.content -> 'skills' from offchain.registration_file f
           where f.registry = d.registry and f.agent_id = d.agent_id::numeric) end as skills,
      case when d.removed_at is null then
        (select p.value from offchain.profile_field p where p.token_id = d.token_id and p.field = 'domains'
           and d.platform = '${OWN_PLATFORM}') end as domains
    from offchain.directory d where ${which} order by d.id limit $limit`;
const LISTED_COLUMNS = {
  ...{ id: t.int8, trust: t.int2, isShown: t.bool, owner: t.nullable(t.text) },
  /** Null for a row that is shown nowhere. */
  services: t.nullable(t.jsonb<unknown>()),
  items: t.json<{ source: string; raw: unknown }[]>(),
  ...{ skills: t.nullable(t.jsonb<unknown>()), domains: t.nullable(t.jsonb<unknown>()) },
};
/** A row of the directory, with everything its endpoints and its registry's offers are read from. */
export type ListedRow = t.RowOf<typeof LISTED_COLUMNS>;
/** Rows of the directory above an id, by id. @param sources whose items have offers */
export const rowsToList = statement({
  name: "offer-rows",
  params: { after: t.int8, limit: t.int8, sources: t.array(t.text) },
  text: rowsSql("d.id > $after"),
  columns: LISTED_COLUMNS,
  prepared: true,
}).rows;

/** Rows of the directory of agents registered here, by id. */
export const ownRowsToList = statement({
  name: "offer-rows-own",
  given: ({
    tokenIds,
    limit,
    sources,
  }: {
    tokenIds: readonly number[];
    limit: number;
    sources: readonly string[];
  }) => ({ agentIds: tokenIds.map(String), limit, sources }),
  params: { agentIds: t.array(t.text), limit: t.int8, sources: t.array(t.text) },
  text: rowsSql(`d.platform = '${OWN_PLATFORM}' and d.agent_id = any($agentIds)`),
  columns: LISTED_COLUMNS,
  prepared: true,
}).rows;
