/** Reads what a verdict before a payment is made of, in one statement. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { Accept } from "../../core/offers/offer.ts";
import type { KnownEndpoint, PreflightFacts } from "../../core/preflight/facts.ts";
import { PAID_AGENTS } from "../income/followed.ts";
import { keySql, listingSql } from "../offers/offer-history.ts";
import { uptimeOf } from "../offers/probes.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { HELD_SINCE } from "./known.ts";

/** Endpoints of one host that are shown to be agents' and are looked through, rows that name a URL, and terms. */
const MAX_OF_HOST = 200;
const MAX_NAMING = 50;
const MAX_TERMS = 32;

/**
 * SQL of whether an offer `o` is read at source `s`, and what shows whose the source is shows it of the offer's place: terms
 * that pay an agent of one URL, a registration file of its folder, all else of the origin. Hosts are shared by strangers.
 */
const readAt = (s: string) => `o.directory_id = ${s}.directory_id and o.source = ${s}.kind || ' ' || ${s}.url and (case
    when ${s}.confirmed_by = 'payee' then o.endpoint = ${s}.url
    when ${s}.confirmed_by = 'registration_file'
      then starts_with(o.endpoint, regexp_replace(split_part(${s}.url, '?', 1), '[^/]*$', ''))
    else starts_with(o.endpoint, split_part(${s}.url, '/', 1) || '//' || ${s}.host || '/') end)`;
/** SQL of whether an offer `o` is what a URL that is asked about sells. @param s SQL of the source that it was read at */
const soldAt = (s: string) => `o.kind = 'resource' and o.endpoint = any($urls) and ${readAt(s)}`;
/** SQL of endpoints `s` of these URLs. */
const AT_URLS =
  "unnest($urls::text[]) u(url) join offchain.offer_source s on hashtextextended(s.url, 0) = hashtextextended(u.url, 0) and s.url = u.url";

/**
 * SQL of since when a row `d` has its wallet paid nowhere that is shown to be its own, where it had it paid somewhere before a
 * time: who moves to another URL with another account has switched as well. Of a URL that it only names it is told where the row is
 * asked about. @param since SQL of that time, in ISO 8601
 */
const movedSince = (since: string) => `case when ($id::int8 is not null or s.confirmed_by is not null) and exists (
    select from offchain.offer_version l, jsonb_array_elements(l.payees) p
    where l.key = ${keySql(listingSql("d.id"))} and p ->> 'payTo' = lower(d.address) and p ->> 'since' < ${since})
  and not exists (
    select from offchain.offer_source o join offchain.offer_version l on l.key = ${keySql("o.kind || ' ' || o.url")},
      jsonb_array_elements(l.payees) p
    where o.directory_id = d.id and o.confirmed_by is not null and p ->> 'payTo' = lower(d.address) and p ->> 'until' is null)
  then ${since} end`;
/**
 * SQL of until when the terms of a source `s` at these URLs paid the wallet of its row `d`, or other URLs did, where they pay
 * another account now, which is not its owner; null: it was never paid, it still is, or they show no terms at the moment.
 */
const WALLET_UNTIL = `(
  select case when w.others is null or w.pays then null else coalesce(w.until, ${movedSince("w.others")}) end
  from (
    select max(p ->> 'until') filter (where p ->> 'payTo' = lower(d.address)) as until,
      coalesce(bool_or(p ->> 'until' is null) filter (where p ->> 'payTo' = lower(d.address)), false) as pays,
      min(p ->> 'since') filter (where p ->> 'until' is null and p ->> 'payTo' like '0x%'
        and p ->> 'payTo' <> all(array[lower(d.address), coalesce(lower(d.owner_address), '')])) as others
    from offchain.offer_version v, jsonb_array_elements(v.payees) p
    where v.key = ${keySql("s.kind || ' ' || s.url")} and ($urls::text[] is null or p ->> 'endpoint' = any($urls))) w)`;

/**
 * SQL of the row that a URL is of: one whose own it is shown to be before one that only names it; one whose endpoint it is
 * before one that sells it in a document; of several that which is paid, then the own registry's, then the oldest.
 */
const OWNER_OF_URL = `
  select d.id from (
    (select s.directory_id, s.confirmed_by, true as named from ${AT_URLS} order by s.confirmed_by is null, s.directory_id limit ${MAX_NAMING})
    union all
    select s.directory_id, s.confirmed_by, false
    from (select * from offchain.offer_source h where h.host = $host and h.confirmed_by is not null
          order by h.directory_id, h.kind, h.url limit ${MAX_OF_HOST}) s
    join offchain.offer o on ${soldAt("s")}) found
  join offchain.directory d on d.id = found.directory_id and d.removed_at is null
  order by found.confirmed_by is null, found.named desc, lower(d.address) = any($payees) desc nulls last,
    d.platform = '${OWN_PLATFORM}' desc, d.id limit 1`;

const FACTS = statement({
  name: "preflight-facts",
  params: {
    id: t.nullable(t.int8),
    urls: t.nullable(t.array(t.text)),
    host: t.nullable(t.text),
    payees: t.array(t.text),
    now: t.timestamptz,
  },
  text: `
    with chosen as materialized (select coalesce($id::int8, (${OWNER_OF_URL})) as id),
    source as materialized (
      select s.* from chosen c join offchain.offer_source s on s.directory_id = c.id
      where $urls::text[] is null or s.url = any($urls) or exists (select from offchain.offer o where ${soldAt("s")}))
    select d.platform || '-' || d.agent_id as agent, lower(d.owner_address) as owner, d.cred_score as cred,
      case when exists (select from ${PAID_AGENTS} a where a.id = d.id) then lower(d.address) end as wallet,
      ${t.isoTime(`greatest(d.created_at, to_timestamp((${HELD_SINCE})::float8), d.address_since)`)} as "heldSince",
      (select coalesce(json_agg(json_build_object('url', s.url, 'confirmedBy', s.confirmed_by,
         'answeredAt', ${t.isoTime("s.answered_at")}, 'silentSince', ${t.isoTime("s.silent_since")},
         'checkedAt', ${t.isoTime("s.checked_at")},
         'uptime', ${uptimeOf("s", "$now::timestamptz", 40)}->'days30', 'walletUntil', ${WALLET_UNTIL}) order by s.kind, s.url), '[]') from source s) as endpoints,
      (select coalesce(json_agg(l.terms), '[]') from (
         select e.terms from offchain.offer o,
           jsonb_array_elements(case jsonb_typeof(o.price) when 'array' then o.price else '[]' end) with ordinality e(terms, place)
         where o.directory_id = d.id and o.kind = 'resource'
           and exists (select from offchain.offer_source s where s.confirmed_by is not null and ${readAt("s")})
           and ($urls::text[] is null or o.endpoint = any($urls))
         order by o.source, o.position, e.place limit ${MAX_TERMS}) l) as listed,
      array(
        select distinct o.platform || '-' || o.agent_id from ${AT_URLS} join offchain.directory o on o.id = s.directory_id
        where s.confirmed_by is not null and o.removed_at is null and o.id <> d.id
          and (s.confirmed_by <> 'payee' or exists (select from ${PAID_AGENTS} a where a.id = o.id))
          and lower(o.address) is distinct from lower(d.address) and lower(o.address) is distinct from lower(d.owner_address)
          and lower(o.owner_address) is distinct from lower(d.owner_address)
        order by 1 limit 5) as others,
      (select json_build_object('computedAt', ${t.isoTime("g.computed_at")}, 'voices', coalesce(g.figures->'voices', '[]'))
       from offchain.income_figures g where g.directory_id = d.id and g.wallet = d.address) as income
    from chosen c join offchain.directory d on d.id = c.id and d.removed_at is null`,
  columns: {
    agent: t.text,
    owner: t.nullable(t.text),
    cred: t.int2,
    wallet: t.nullable(t.text),
    heldSince: t.nullable(t.text),
    endpoints: t.json<KnownEndpoint[]>(),
    listed: t.json<Accept[]>(),
    others: t.array(t.text),
    income: t.nullable(t.json<NonNullable<PreflightFacts["income"]>>()),
  },
  prepared: true,
});

/**
 * What is known of an agent and of what it sells at a URL.
 * @param of.id its row of the directory; null: the one that the URL is of @param of.url as `foreignLink` writes it, without a fragment
 * @param of.payees lower-case addresses that are to be paid: of several agents whose own the URL is, the one that is paid is meant
 * @returns null where the directory has neither
 */
export async function preflightFacts(
  db: Queryable,
  { id, url, ...more }: { id: number | null; url: string | null; payees: readonly string[]; now: Date },
): Promise<PreflightFacts | null> {
  if (url === null) return FACTS.maybeOne(db, { id, urls: null, host: null, ...more });
  const plain = new URL(url);
  plain.search = "";
  return FACTS.maybeOne(db, { id, urls: [...new Set([url, plain.href])], host: plain.host.slice(0, 260), ...more });
}
