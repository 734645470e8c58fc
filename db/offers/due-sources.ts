/** Which endpoints are read next, with the rows that share the read of each. */
import type { EndpointState } from "../../core/offers/liveness.ts";
import type { Method } from "../../core/offers/offer.ts";
import type { SourceKind } from "../../core/offers/source-kinds.ts";
import { dueOf, IN_TURN, placesOf } from "../sql/due-turns.ts";
import { statement, t } from "../sql/statement.ts";

type SourceRow = {
  id: number;
  status: EndpointState["status"];
  etag: string | null;
  lastModified: string | null;
  digest: string | null;
  failures: number;
  /** How it is called, as the row's offers at this URL state it: its registry's, or what was read before. */
  method: Method | null;
};

const SOURCE = {
  kind: t.narrow<SourceKind>(t.text),
  url: t.text,
  host: t.text,
  /** It is shown to be the endpoint of one of the rows. */
  isConfirmed: t.bool,
  /** It was never read. */
  isNew: t.bool,
  /** Who owns all the rows; null for several owners, or one that is not known. */
  owner: t.nullable(t.text),
  /** The highest cred of the rows that it is shown to be the endpoint of; 0 where there is none. */
  trust: t.int2,
  /** Hash of what declares it: the row that it is shown to be the endpoint of, else the first that named it. */
  declared: t.nullable(t.text),
  rows: t.json<SourceRow[]>(),
};
/** An endpoint that several rows may name, with the state of each. */
export type DueSource = t.RowOf<typeof SOURCE>;

/**
 * Max rows that share one read of a URL: those that it is shown to be the endpoint of, the oldest, which those that name it
 * later cannot displace, and the most trusted ones. A URL that more rows name is no one's own endpoint.
 */
export const MAX_SHARING = 50;

/** SQL of endpoints with the rows that share their read. @param due SQL of a query `due` of rows @param first SQL of rows that come first */
const sourcesSql = (due: string, first = "") => `
    with ${due}, distinct_due as (
      select kind, url, host, max(trust) as trust, min(next_try_at) as since from due group by kind, url, host), placed as (
      select *, ${placesOf("since")} from distinct_due)
    select w.kind, w.url, w.host, r."isConfirmed", r."isNew", r.owner, r.trust, r.declared, r.rows
    from placed w cross join lateral (
      select json_agg(json_build_object('id', s.directory_id, 'status', s.status, 'etag', s.etag,
        'lastModified', s.last_modified, 'digest', s.digest, 'failures', s.failures, 'method', (
          select o.method from offchain.offer o
          where o.directory_id = s.directory_id and o.kind = 'resource' and o.endpoint = s.url and o.method is not null
          limit 1)) order by s.directory_id) as rows, bool_or(s.confirmed_by is not null) as "isConfirmed",
        bool_and(s.checked_at is null) as "isNew",
        coalesce(max(s.trust) filter (where s.confirmed_by is not null), 0::int2) as trust,
        (array_agg(s.declared order by s.confirmed_by is null, s.directory_id))[1] as declared,
        case when count(*) < ${MAX_SHARING} and bool_and(d.owner_address is not null)
          and min(d.owner_address) = max(d.owner_address) then min(d.owner_address) end as owner
      from (select * from offchain.offer_source s
            where hashtextextended(s.url, 0) = hashtextextended(w.url, 0) and s.url = w.url and s.kind = w.kind
            order by ${first} s.confirmed_by is not null desc, s.directory_id = (
              select min(o.directory_id) from offchain.offer_source o
              where hashtextextended(o.url, 0) = hashtextextended(w.url, 0) and o.url = w.url and o.kind = w.kind) desc,
              s.trust desc, s.directory_id limit ${MAX_SHARING}) s
      join offchain.directory d on d.id = s.directory_id) r
    order by ${IN_TURN}`;
/**
 * Endpoints that are due, those of the most trusted rows first; every fourth is one that has been due longest.
 * @param limit of rows that are due by trust
 */
export const dueSources = statement({
  name: "offer-sources-due",
  params: { now: t.timestamptz, limit: t.int8 },
  text: sourcesSql(dueOf("offchain.offer_source", ["kind", "url", "host"])),
  columns: SOURCE,
}).rows;

/** Endpoints that somebody waits for (`askSources`), those of the most trusted rows first. */
export const askedSources = statement({
  name: "offer-sources-asked",
  params: { limit: t.int8 },
  text: sourcesSql(
    `due as materialized (
      select kind, url, host, trust, asked_at as next_try_at from offchain.offer_source
      where asked_at is not null order by trust desc limit $limit)`,
    "s.asked_at is not null desc,",
  ),
  columns: SOURCE,
}).rows;
