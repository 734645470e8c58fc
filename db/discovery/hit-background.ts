/** What is shown of found agents in addition to their rows: services, offers, and whether its endpoints answer. One statement for a page. */
import { liveness } from "../../core/offers/liveness.ts";
import type { HitBackground } from "../../core/views/discovery.ts";
import { COUNTS, REGISTRY } from "../directory/offers-sql.ts";
import { type EndpointRow, endpointStates, endpointsOf, OF_ANOTHER, unspokenBy } from "../offers/endpoints.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/** Max offers of a row that are read: those that match a query are chosen among them. */
const MAX_OFFERS_READ = 50;
/** Max characters of a schema, or of terms of payment, that are shown. */
const MAX_JSON_CHARS = 4_096;

type BackgroundRow = Omit<HitBackground, "liveness"> & { endpoints: EndpointRow[] | null };

const BACKGROUNDS = statement({
  name: "discovery-hit-background",
  params: { ids: t.array(t.int8) },
  text: `
    select coalesce(json_agg(json_build_object(
      'id', d.id,
      'services', case jsonb_typeof(d.services) when 'array' then d.services else '[]' end,
      'offers', o.first, 'offerCount', o.counting, 'selfDeclaredCount', o.named,
      'confirmed', array(select s.url from offchain.offer_source s where s.directory_id = d.id and s.confirmed_by is not null),
      'unspoken', ${unspokenBy("d.id")},
      'endpoints', ${endpointsOf("d.id")}
    )), '[]') as rows
    from unnest((select $ids::int8[])) as asked(id) join offchain.directory d on d.id = asked.id
    cross join lateral (
      select count(*) filter (where o.counts) as counting, count(*) filter (where not o.counts) as named,
        coalesce(json_agg(json_build_object(
          'kind', o.kind, 'name', o.name, 'description', o.description, 'tags', o.tags, 'endpoint', o.endpoint, 'method', o.method,
          'priceUsd', o.price_usd, 'isRead', o.source <> '${REGISTRY}', 'named', not o.counts, 'isAnothers', not o.counts and ${OF_ANOTHER},
          'accepts', case when length(o.price::text) <= ${MAX_JSON_CHARS} then o.price end,
          'inputSchema', case when length(o.input_schema::text) <= ${MAX_JSON_CHARS} then o.input_schema end)
          order by o.place) filter (where o.place <= ${MAX_OFFERS_READ}), '[]') as first
      from (
        select c.*, row_number() over (order by c.counts desc, c.kind, c.source, c.position) as place
        from (select o.*, ${COUNTS} as counts from offchain.offer o where o.directory_id = d.id) c) o) o`,
  columns: { rows: t.json<BackgroundRow[]>() },
  prepared: true,
});

/** @returns by id of the directory; rows that are gone are left out */
export async function hitBackgrounds(
  db: Queryable,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, HitBackground>> {
  if (ids.length === 0) return new Map();
  const { rows } = await BACKGROUNDS.one(db, { ids });
  return new Map(
    rows.map(({ endpoints, ...row }) => [row.id, { ...row, liveness: liveness(endpointStates(endpoints), now) }]),
  );
}
