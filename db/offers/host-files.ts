/** Which endpoints are the agents' that name them: what hosts say of their agents, and what else shows it. */
import type pg from "pg";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { EndpointState } from "../../core/offers/liveness.ts";
import type { Method } from "../../core/offers/offer.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { asksX402, ORIGIN } from "../directory/offers-sql.ts";
import { registriesThat } from "../directory/registries-sql.ts";
import { dueOf, IN_TURN, placesOf } from "../sql/due-turns.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/**
 * SQL of how a file names a row `d` (core/directory/named-agents.ts): by its registration or its proven wallet, not by its
 * owner: a token can be sent to anybody, without consent.
 */
const NAMES = `array[
  'eip155:' || d.chain_id || ':' || lower(d.registry) || '/' || d.agent_id,
  case when d.wallet_proven then lower(d.address) end]`;
const HASHES = `array(select md5(name)::uuid from unnest(${NAMES}) name where name is not null)`;
/** SQL of whether an address leads where it says: no redirector's parameter, no slash or dot that a server may decode. */
const isPlain = (url: string) => `${url} !~* '[?#\\\\]|%2f|%5c|%2e'`;

const NAMESPACE = "lower(split_part(d.agent_id, '/', 1))";
/**
 * SQL of the domain of a namespace such as `com.example`; null where it has one label only, and for `io.github.<account>`,
 * which its registry gives to a person signed in at GitHub: it proves no host, and the account may be another person's now.
 */
const DOMAIN = `(
  select string_agg(label, '.' order by place desc) from unnest(string_to_array(${NAMESPACE}, '.'))
    with ordinality as n(label, place) where ${NAMESPACE} !~ '^io\\.github(\\.|$)' having count(*) > 1)`;
const BARE_HOST = "split_part(s.host, ':', 1)";

/**
 * SQL of the folder of a registration file `f` (for `.well-known` the folder above it): on a host that several people share,
 * a file confirms nothing outside its folder.
 */
const FOLDER = "regexp_replace(f.uri, '(/\\.well-known)?/[^/]*$', '/')";

/** SQL of whether a row `d` is who is paid. @param payee SQL of an address in lower case */
const isPayee = (payee: string) =>
  `lower(d.address) = ${payee} and (d.wallet_proven or d.platform in ${registriesThat("listsPayees")})`;

/** SQL of why an endpoint `s` is the row `d`'s, in the order of `CONFIRMATIONS`. */
const CONFIRMED = `case
  when d.platform in ('${OWN_PLATFORM}', '${ERC8004}') and exists (
    select from offchain.host_file h where h.origin = ${ORIGIN} and h.names && ${HASHES}) then 'host_file'
  when d.platform = '${ERC8004}' and exists (
    select from offchain.registration_file f
    where f.registry = d.registry and f.agent_id = case when d.agent_id ~ '^[0-9]{1,78}$' then d.agent_id::numeric end
      and f.status in ('parsed', 'unreachable') and split_part(f.uri, '/', 1) || '//' || split_part(f.uri, '/', 3) = ${ORIGIN}
      and starts_with(s.url, ${FOLDER}) and ${isPlain("f.uri")} and ${isPlain("split_part(s.url, '?', 1)")}
      and f.uri !~ '/ip[fn]s/'
      and f.content -> 'agents' ?| ${NAMES}) then 'registration_file'
  when s.kind = 'x402' and exists (
    select from offchain.offer o, jsonb_array_elements(case jsonb_typeof(o.price) when 'array' then o.price else '[]' end) terms
    where o.directory_id = s.directory_id and o.source = 'x402 ' || s.url
      and ${isPayee("lower(terms ->> 'payTo')")}) then 'payee'
  when d.platform in ${registriesThat("hasNamespaces")} and right('.' || ${BARE_HOST}, length(${DOMAIN}) + 1) = '.' || ${DOMAIN} then 'namespace'
  end`;

const CONFIRM = statement({
  name: "offer-sources-confirm",
  params: { ids: t.array(t.int8) },
  text: `
    with now as materialized (
      select s.directory_id, s.kind, s.url, ${CONFIRMED} as by
      from offchain.offer_source s join offchain.directory d on d.id = s.directory_id
      where s.directory_id = any($ids)), changed as (
      update offchain.offer_source s set confirmed_by = now.by from now
      where s.directory_id = now.directory_id and s.kind = now.kind and s.url = now.url
        and s.confirmed_by is distinct from now.by
      returning s.directory_id)
    select distinct directory_id as id from changed`,
  columns: { id: t.int8 },
});

const NOTE_X402 = statement({
  name: "offer-sources-x402",
  params: { ids: t.array(t.int8) },
  text: `
    with differing as materialized (
      select d.id from offchain.directory d
      where d.id = any($ids) and d.x402_supported <> (d.x402_stated or ${asksX402("d.id")})
      order by d.id for no key update of d)
    update offchain.directory d set x402_supported = not d.x402_supported from differing n where d.id = n.id`,
});

/**
 * Brings what confirms the endpoints of rows up to date, and with it whether the rows take x402.
 * @returns ids of the rows of which that is another now
 */
export async function confirmSources(tx: Queryable, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const confirmed = await CONFIRM.rows(tx, { ids });
  await NOTE_X402.run(tx, { ids });
  return confirmed.map(({ id }) => id);
}

/** Rows that name a paid resource and whom its terms pay. @param payees addresses in lower case @param read rows that are known */
export const rowsPaidAt = statement({
  name: "offer-sources-paid",
  params: { url: t.text, payees: t.array(t.text), read: t.array(t.int8) },
  text: `
    select s.directory_id as id, s.status, s.etag, s.last_modified as "lastModified", s.digest, s.failures, null::text as method
    from offchain.offer_source s join offchain.directory d on d.id = s.directory_id
    where hashtextextended(s.url, 0) = hashtextextended($url, 0) and s.url = $url and s.kind = 'x402'
      and ${isPayee("any($payees)")} and not s.directory_id = any($read)
    order by s.directory_id limit 50`,
  columns: {
    id: t.int8,
    status: t.narrow<EndpointState["status"]>(t.text),
    etag: t.nullable(t.text),
    lastModified: t.nullable(t.text),
    digest: t.nullable(t.text),
    failures: t.int4,
    method: t.nullable(t.narrow<Method>(t.text)),
  },
}).rows;

/** Min time between two reads of a host for agents that name it meanwhile; a host with more failures in a row than this waits for its turn. */
const AGAIN = "10 minutes";
const MAX_SILENT = 5;

/** Has the hosts that rows name asked which agents are their own. */
export const noteHosts = statement({
  name: "host-files-note",
  params: { ids: t.array(t.int8), now: t.timestamptz },
  text: `
    insert into offchain.host_file as h (origin, trust, next_try_at)
    select ${ORIGIN}, max(s.trust), $now from offchain.offer_source s
    join offchain.directory d on d.id = s.directory_id and d.platform in ('${OWN_PLATFORM}', '${ERC8004}')
    where s.directory_id = any($ids) group by 1
    order by 1
    on conflict (origin) do update set trust = greatest(h.trust, excluded.trust),
      next_try_at = least(h.next_try_at, greatest($now, h.checked_at + interval '${AGAIN}'))
    where h.next_try_at > greatest($now, h.checked_at + interval '${AGAIN}') and h.failures <= ${MAX_SILENT} and exists (
      select from offchain.offer_source s
      where s.directory_id = any($ids) and s.status = 'waiting' and s.next_try_at = $now and ${ORIGIN} = h.origin)`,
}).run;

/**
 * Hosts whose file about their agents is due: first those that the most trusted agents name, and those that have waited longest.
 */
export const dueHostFiles = statement({
  name: "host-files-due",
  params: { now: t.timestamptz, limit: t.int8 },
  text: `
    with ${dueOf("offchain.host_file", ["origin", "failures"])}
    select origin, failures, exists (
      select from offchain.offer_source s where s.host = split_part(origin, '/', 3) and ${ORIGIN} = origin) as "isNamed"
    from (select *, ${placesOf("next_try_at")} from (select distinct * from due) d) placed
    order by ${IN_TURN}`,
  columns: { origin: t.text, failures: t.int4, isNamed: t.bool },
}).rows;

/** Forgets hosts that no agent names any more. */
export const forgetHosts = statement({
  name: "host-files-forget",
  params: { origins: t.array(t.text) },
  text: `
    delete from offchain.host_file h where h.origin = any($origins) and not exists (
      select from offchain.offer_source s where s.host = split_part(h.origin, '/', 3) and ${ORIGIN} = h.origin)`,
}).run;

/** Max rows that are checked again at once when files of hosts changed; the others have their turn in the round over all rows. */
const MAX_CONFIRMED = 2_000;

/** `names`: the agents that a host names, as `namedAgents` writes them; null where it gave no answer, and its last one stays. */
export type HostFileRead = { origin: string; names: readonly string[] | null; failures: number; nextTryAt: Date };

const STORE = statement({
  name: "host-files-store",
  params: { reads: t.jsonb<readonly HostFileRead[]>(), now: t.timestamptz },
  text: `
    with read as materialized (
      select r.*, case when r.names is null then h.names else array(
        select md5(n)::uuid from jsonb_array_elements_text(nullif(r.names, 'null')) n) end as hashes, h.names as before
      from jsonb_to_recordset($reads) as r(origin text, names jsonb, failures int4, "nextTryAt" timestamptz)
      join offchain.host_file h on h.origin = r.origin), stored as (
      update offchain.host_file h set names = r.hashes, failures = r.failures, checked_at = $now, next_try_at = r."nextTryAt"
      from read r where h.origin = r.origin)
    select distinct s.directory_id as id
    from read r
    join offchain.offer_source s on s.host = split_part(r.origin, '/', 3) and ${ORIGIN} = r.origin
    join offchain.directory d on d.id = s.directory_id and d.platform in ('${OWN_PLATFORM}', '${ERC8004}')
    where r.hashes <> r.before and (r.before && ${HASHES}) <> (r.hashes && ${HASHES})
    limit ${MAX_CONFIRMED}`,
  columns: { id: t.int8 },
});

/** Stores what hosts say. @returns ids of the rows whose endpoints are confirmed by it now, or no longer */
export async function storeHostFiles(tx: pg.ClientBase, reads: readonly HostFileRead[], now: Date): Promise<number[]> {
  const hosts = await STORE.values(tx, { reads, now });
  return confirmSources(tx, hosts);
}
