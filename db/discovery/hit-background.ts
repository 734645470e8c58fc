/** What is shown of found agents beside their rows: services, offers, and whether its endpoints answer. One statement for a page. */
import { type EndpointState, liveness } from "../../core/offers/liveness.ts";
import type { HitBackground } from "../../core/views/discover.ts";
import { isoTime } from "../fragments.ts";
import { array, int8, json, statement } from "../statement.ts";
import type { Queryable } from "../transaction.ts";

/** Max offers of a row that are read: those that match a query are chosen among them. */
const MOST_READ = 50;
/** Max characters of a schema, or of terms of payment, that are shown. */
const MOST_JSON = 4_096;

type Times = "answeredAt" | "silentSince" | "checkedAt";
/** An endpoint as JSON has it: times in ISO 8601. */
type EndpointRow = Pick<EndpointState, "status"> & Record<Times, string | null>;
type BackgroundRow = Omit<HitBackground, "liveness"> & { endpoints: EndpointRow[] };

const BACKGROUNDS = statement({
  name: "discovery-hit-background",
  params: { ids: array(int8) },
  text: `
    select coalesce(json_agg(json_build_object(
      'id', d.id,
      'services', case jsonb_typeof(d.services) when 'array' then d.services else '[]' end,
      'offers', (
        select coalesce(json_agg(json_build_object(
          'kind', o.kind, 'name', o.name, 'description', o.description, 'tags', o.tags, 'endpoint', o.endpoint,
          'priceUsd', o.price_usd,
          'accepts', case when length(o.price::text) <= ${MOST_JSON} then o.price end,
          'inputSchema', case when length(o.input_schema::text) <= ${MOST_JSON} then o.input_schema end)
          order by o.kind, o.source, o.position), '[]')
        from (select * from offchain.offer where directory_id = d.id
              order by kind, source, position limit ${MOST_READ}) o),
      'offerCount', (select count(*) from offchain.offer where directory_id = d.id),
      'endpoints', (
        select coalesce(json_agg(json_build_object(
          'status', s.status, 'answeredAt', ${isoTime("s.answered_at")}, 'silentSince', ${isoTime("s.silent_since")},
          'checkedAt', ${isoTime("s.checked_at")})), '[]')
        from offchain.offer_source s where s.directory_id = d.id)
    )), '[]') as rows
    from unnest((select $ids::int8[])) as asked(id) join offchain.directory d on d.id = asked.id`,
  columns: { rows: json<BackgroundRow[]>() },
  prepared: true,
});

const timeOf = (iso: string | null): Date | null => (iso === null ? null : new Date(iso));

/** @returns by id of the directory; rows that are gone are left out */
export async function hitBackgrounds(
  db: Queryable,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, HitBackground>> {
  if (ids.length === 0) return new Map();
  const { rows } = await BACKGROUNDS.one(db, { ids });
  return new Map(
    rows.map(({ endpoints, ...row }) => {
      const states = endpoints.map(({ status, answeredAt, silentSince, checkedAt }) => ({
        status,
        answeredAt: timeOf(answeredAt),
        silentSince: timeOf(silentSince),
        checkedAt: timeOf(checkedAt),
      }));
      return [row.id, { ...row, liveness: liveness(states, now) }];
    }),
  );
}
