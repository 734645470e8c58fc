/** Endpoints of agents that are read, and the offers that came of it: which are to be listed, which are due, and how both are stored. */
import type pg from "pg";
import type { EndpointState } from "../../core/offers/liveness.ts";
import type { Offer } from "../../core/offers/offer.ts";
import type { Version } from "../../core/offers/offer-change.ts";
import { versionOf } from "../../core/offers/offer-versions.ts";
import type { Probe } from "../../core/offers/probe.ts";
import type { Source } from "../../core/offers/readers.ts";
import { REGISTRY } from "../directory/offers-sql.ts";
import { touchRows } from "../directory/write.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { type DueSource, MAX_SHARING } from "./due-sources.ts";
import { confirmSources, noteHosts, rowsPaidAt } from "./host-files.ts";
import { emitOfferChanges } from "./offer-events.ts";
import { listingSource, recordVersions } from "./offer-history.ts";
import { appendProbes } from "./probes.ts";
import { replaceOffers } from "./replace-offers.ts";

export const listProgress = statement({
  name: "offer-progress",
  text: `select coalesce(max(round_to), 0) as "roundTo", coalesce(max(new_to), 0) as "newTo" from offchain.offer_progress`,
  columns: { roundTo: t.int8, newTo: t.int8 },
}).one;

export const setListProgress = statement({
  name: "offer-progress-set",
  params: { roundTo: t.int8, newTo: t.int8 },
  text: `
    insert into offchain.offer_progress ("only", round_to, new_to) values (true, $roundTo, $newTo)
    on conflict ("only") do update set round_to = excluded.round_to, new_to = excluded.new_to`,
}).run;

/** What a row of the directory has to read, and what its registry gives. */
export type OfferListing = { id: number; trust: number; sources: readonly Source[]; offers: readonly Offer[] } & {
  /** What of it is the agent's own word; null for a row that is shown nowhere. */
  version: Version | null;
};

const DROP_SOURCES = statement({
  name: "offer-sources-drop",
  params: { ids: t.array(t.int8), sources: t.records({ id: t.int8, kind: t.text, url: t.text }) },
  text: `
    with gone as (
      delete from offchain.offer_source s where s.directory_id = any($ids) and not exists (
        select from (select * from $sources) r where r.id = s.directory_id and r.kind = s.kind and r.url = s.url)
      returning s.directory_id, s.kind, s.url), dropped as (
      delete from offchain.offer o using gone g
      where o.directory_id = g.directory_id and o.source = g.kind || ' ' || g.url)
    select distinct directory_id as id from gone`,
  columns: { id: t.int8 },
});
const ADD_SOURCES = statement({
  name: "offer-sources-add",
  params: {
    sources: t.records({ id: t.int8, kind: t.text, url: t.text, host: t.text, declared: t.text, trust: t.int2 }),
    now: t.timestamptz,
  },
  text: `
    insert into offchain.offer_source as s (directory_id, kind, url, host, declared, trust, next_try_at)
    select sources.*, $now from $sources
    on conflict (directory_id, kind, url) do update set trust = excluded.trust, declared = excluded.declared
    where (s.trust, s.declared) is distinct from (excluded.trust, excluded.declared)`,
});

/**
 * Stores what rows have to read and what their registries give; endpoints that a row no longer names are gone with their
 * offers.
 * @returns ids of the rows whose offers are different
 */
export async function storeListings(
  tx: pg.ClientBase,
  listings: readonly OfferListing[],
  now: Date,
): Promise<number[]> {
  const ids = listings.map(({ id }) => id);
  const sources = listings.flatMap(({ id, trust, sources }) => sources.map((source) => ({ id, trust, ...source })));
  const dropped = await DROP_SOURCES.rows(tx, { ids, sources });
  await ADD_SOURCES.run(tx, { sources, now });
  const given = listings.map(({ id, offers }) => ({ id, source: REGISTRY, offers }));
  const changed = [...dropped.map(({ id }) => id), ...(await replaceOffers(tx, given))];
  const versions = listings.flatMap(({ id, version }) => (version ? { source: listingSource(id), version } : []));
  await recordVersions(tx, versions, now);
  await noteHosts(tx, { ids, now });
  return [...new Set([...changed, ...(await confirmSources(tx, ids))])];
}

/** Rows of one host that are counted: enough for any budget. */
const MAX_COUNTED = 20_000;

const HOST_URLS = statement({
  name: "offer-host-urls",
  params: { hosts: t.array(t.text), now: t.timestamptz },
  text: `
    select h.host, (select count(distinct s.url)::int4 from (
      select s.url from offchain.offer_source s where s.host = h.host and s.checked_at > $now::timestamptz - interval '1 day'
      limit ${MAX_COUNTED}) s) as read, (select count(*)::int4 from (
      select distinct s.url from (
        select s.url from offchain.offer_source s where s.host = h.host limit ${MAX_COUNTED}) s) u) as urls
    from unnest($hosts::text[]) as h(host)`,
  columns: { host: t.text, read: t.int4, urls: t.int4 },
});

/** How many URLs each host of endpoints has, and how many of them were read within a day; `confirmed` is the caller's own count. */
export async function urlsOfHosts(db: Queryable, sources: readonly DueSource[], now: Date) {
  const hosts = [...new Set(sources.map(({ host }) => host))];
  return new Map(
    (await HOST_URLS.rows(db, { hosts, now })).map(({ host, ...urls }) => [host, { ...urls, confirmed: 0 }]),
  );
}

/** What came of reading an endpoint. */
export type ReadOutcome = {
  source: DueSource;
  /** Null: the read decides nothing, neither an answer nor silence. */
  status: Exclude<EndpointState["status"], "waiting"> | null;
  answers: boolean;
  /** Null: those that are known stay, with their version. */
  offers: readonly Offer[] | null;
  /** There may be more offers than could be read. */
  isPartial?: boolean;
  etag?: string | null;
  lastModified?: string | null;
  /** Hash of the offers, also of those that stay. */
  digest?: string | null;
  /** What was read is signed by a key of the host. */
  isSigned?: boolean;
  nextTryAt: Date;
  why: string | null;
  /** Null where nothing was asked, or what came says nothing of the endpoint. */
  probe: Probe | null;
};

/** `keeps`: the version that is known stays. */
type OutcomeRow = Omit<ReadOutcome, "source" | "offers" | "probe"> & {
  id: number;
  kind: string;
  url: string;
  keeps: boolean;
};

/**
 * SQL of when an endpoint `s` is read next, of what a read says in `r`: one that others ask for as often as they like puts
 * no turn off.
 */
const nextTry = (at: string) => `case when $onDemand then least(s.next_try_at, ${at}) else ${at} end`;

const STORE_READS = statement({
  name: "offer-sources-store",
  params: { outcomes: t.jsonb<readonly OutcomeRow[]>(), now: t.timestamptz, onDemand: t.bool },
  text: `
    update offchain.offer_source s set status = coalesce(r.status, s.status),
      etag = case when r.keeps then s.etag else r.etag end,
      last_modified = case when r.keeps then s.last_modified else r."lastModified" end,
      digest = case when r.keeps then s.digest else r.digest end,
      is_signed = case when r.keeps then s.is_signed else coalesce(r."isSigned", false) end, failures = case when r.answers then 0 when $onDemand then s.failures else s.failures + 1 end,
      answered_at = case when r.answers then $now else s.answered_at end,
      silent_since = case when r.answers then null when r.status is null then s.silent_since
        else coalesce(s.silent_since, $now) end,
      read_at = case when r.answers and r.status = 'read' then $now else s.read_at end, checked_at = $now,
      next_try_at = ${nextTry('r."nextTryAt"')}, why = r.why
    from (select * from jsonb_to_recordset($outcomes) as o(id int8, kind text, url text, status text, answers bool,
        keeps bool, etag text, "isSigned" bool, "lastModified" text, digest text, "nextTryAt" timestamptz, why text)
      order by id, kind, url) r
    where s.directory_id = r.id and s.kind = r.kind and s.url = r.url`,
});

/** Offers per transaction, unless one endpoint has more. */
const OFFERS_AT_ONCE = 4_000;

/** Sets of outcomes whose offers are few enough for one transaction. */
export function bySize(outcomes: readonly ReadOutcome[]): ReadOutcome[][] {
  const sets: ReadOutcome[][] = [];
  let room = 0;
  for (const outcome of outcomes) {
    const size = outcome.source.rows.length * (outcome.offers?.length ?? 0);
    if (sets.length === 0 || size > room) {
      sets.push([]);
      room = OFFERS_AT_ONCE;
    }
    sets.at(-1)!.push(outcome);
    room -= size;
  }
  return sets;
}

/** `checkedAt`: when requests were sent for it, which count against its host's budget; null when none was. */
export type DeferredSource = { source: DueSource; at: Date; checkedAt: Date | null };

/** Puts off the next read of endpoints whose turn has not come; on demand their turn stays as it is. */
export const deferSources = statement({
  name: "offer-sources-defer",
  given: (deferred: readonly DeferredSource[], { onDemand = false }: { onDemand?: boolean } = {}) => ({
    onDemand,
    sources: deferred.flatMap(({ source: { kind, url, rows }, ...put }) =>
      rows.map(({ id }) => ({ id, kind, url, ...put })),
    ),
  }),
  params: {
    onDemand: t.bool,
    sources: t.records({
      id: t.int8,
      kind: t.text,
      url: t.text,
      at: t.timestamptz,
      checkedAt: t.nullable(t.timestamptz),
    }),
  },
  text: `
    update offchain.offer_source s set next_try_at = case when $onDemand then s.next_try_at else r.at end,
      checked_at = coalesce(r.checked_at, s.checked_at)
    from (select * from $sources) r where s.directory_id = r.id and s.kind = r.kind and s.url = r.url`,
}).run;

const PUT_OFF_SHARING = statement({
  name: "offer-sources-put-off-sharing",
  params: { kind: t.text, url: t.text, read: t.array(t.int8), now: t.timestamptz },
  text: `
    update offchain.offer_source s set next_try_at = $now::timestamptz + interval '1 day' where (s.directory_id, s.kind, s.url) in (
      select o.directory_id, o.kind, o.url from offchain.offer_source o
      where hashtextextended(o.url, 0) = hashtextextended($url, 0) and o.url = $url and o.kind = $kind
        and o.next_try_at <= $now and not o.directory_id = any($read)
      limit ${MAX_COUNTED})`,
});

/** Puts off for a day the rows that name a URL in addition to those that share its read. */
export async function putOffSharing(db: Queryable, sources: readonly DueSource[], now: Date): Promise<void> {
  for (const { kind, url, rows } of sources)
    if (rows.length >= MAX_SHARING) await PUT_OFF_SHARING.run(db, { kind, url, read: rows.map(({ id }) => id), now });
}

/** Has those share a read whom its terms pay, however many others name the URL. */
export async function sharePayees(db: Queryable, { source, offers }: ReadOutcome): Promise<void> {
  const payees = offers?.flatMap(({ price }) => price?.map(({ payTo }) => payTo.toLowerCase()) ?? []) ?? [];
  if (source.kind !== "x402" || source.rows.length < MAX_SHARING || payees.length === 0) return;
  const read = source.rows.map(({ id }) => id);
  source.rows.push(...(await rowsPaidAt(db, { url: source.url, payees: [...new Set(payees)], read })));
}

/**
 * Stores what was read.
 * @param of.onDemand others choose how often the endpoints are asked: no failure is one more in a row
 * @returns ids of the rows whose offers, or whose liveness, are different
 */
export async function storeReads(
  tx: pg.ClientBase,
  outcomes: readonly ReadOutcome[],
  now: Date,
  { onDemand }: { onDemand: boolean },
): Promise<number[]> {
  const rows = outcomes.flatMap(({ source: { kind, url, rows }, offers, probe: _, ...outcome }) =>
    rows.map(({ id }) => ({ id, kind, url, keeps: offers === null, ...outcome })),
  );
  await STORE_READS.run(tx, { outcomes: rows, now, onDemand });
  await appendProbes(
    tx,
    outcomes.flatMap(({ source: { kind, url, declared }, status, answers, digest = null, probe }) =>
      probe === null || status === null
        ? []
        : { kind, url, declared, answers, found: status === "read" ? digest : null, ...probe },
    ),
    now,
  );
  // Of a row that has this version already, nothing is written again.
  const read = outcomes.flatMap(({ source: { kind, url, rows }, offers, digest = null }) =>
    offers === null
      ? []
      : rows
          .filter((row) => digest === null || row.digest !== digest)
          .map(({ id }) => ({ id, source: `${kind} ${url}`, offers })),
  );
  const other = outcomes.flatMap(({ source, status }) =>
    source.rows.flatMap((row) => (status === null || row.status === status ? [] : row.id)),
  );
  // A demand for credentials says nothing of what is offered.
  const versions = outcomes.flatMap(({ source: { kind, url }, status, offers, isPartial = false }) =>
    offers === null || status !== "read" ? [] : { source: `${kind} ${url}`, version: versionOf(offers), isPartial },
  );
  await recordVersions(tx, versions, now);
  await emitOfferChanges(tx, versions, now);
  const changed = [...other, ...(await replaceOffers(tx, read))];
  const ids = rows.map(({ id }) => id);
  return [...new Set([...changed, ...(await confirmSources(tx, ids))])];
}

/** Has everything that follows the directory read rows again. */
export const touchChanged = statement({
  name: "offers-touch",
  params: { ids: t.array(t.int8) },
  unlessEmpty: "ids",
  text: touchRows("select unnest($ids::int8[])"),
}).run;
