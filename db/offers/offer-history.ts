/**
 * How what endpoints offer, and what agents list, has changed: each reading is compared with the version that is kept, in
 * the transaction that stores it, and a difference is appended.
 */
import { createHash } from "node:crypto";
import type pg from "pg";
import { canonicalHash } from "../../core/canonical-json.ts";
import type { OfferChange, Version } from "../../core/offers/offer-change.ts";
import { continued, differences, folded } from "../../core/offers/offer-versions.ts";
import { type Payee, paidBy, remembered } from "../../core/offers/payees.ts";
import { deleteInParts } from "../sql/batches.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/**
 * Bound: rows of history of one source. Of more, those two neighbours become one that cover the shortest part of their age:
 * what changes often is folded into itself, and what stands alone stays apart.
 */
const MOST_CHANGES = 50;
/** Begins the source of what an agent lists. */
const LISTING = "agent";
/** Days for which a source that no agent names any more is kept: named again, it is compared with what it was. */
const UNNAMED_DAYS = 30;
/** Of one agent: what it lists, and its endpoints (MAX_SOURCES in core/offers/readers.ts). */
const MAX_SOURCES = 9;

/** The source of what an agent lists. @param id of its row in the directory */
export const listingSource = (id: number): string => `${LISTING} ${id}`;
/** SQL of that source. @param id SQL */
export const listingSql = (id: string): string => `'${LISTING} ' || ${id}`;

const keyOf = (source: string) => createHash("sha256").update(source).digest("hex");
/** SQL of the key of a source. @param source SQL of its text */
export const keySql = (source: string) => `sha256(convert_to(${source}, 'UTF8'))`;

/** What was read of a source. `isPartial`: what is not in it is not known to be gone. */
export type ReadVersion = { source: string; version: Version; isPartial?: boolean };

const KEPT = statement({
  name: "offer-versions-kept",
  params: { given: t.records({ key: t.text, hash: t.text }) },
  text: `
    select given.key, v.hash, v.since, v.payees, case when v.hash <> given.hash then v.version end as version
    from $given join offchain.offer_version v on v.key = decode(given.key, 'hex')`,
  columns: {
    ...{ key: t.text, hash: t.text, since: t.timestamptz, payees: t.jsonb<Payee[]>() },
    version: t.nullable(t.jsonb<Version>()),
  },
});
type VersionRow = { key: string; source: string; previous: string | null; hash: string; version: Version } & {
  change: OfferChange | null;
  payees: Payee[];
};
// What another transaction has replaced meanwhile is compared with by the next reading.
const STORE = statement({
  name: "offer-versions-store",
  params: { versions: t.jsonb<readonly VersionRow[]>(), now: t.timestamptz },
  text: `
    with given as (
      select decode(v.key, 'hex') as key, v.source, v.previous, v.hash, v.version, nullif(v.change, 'null') as change, v.payees
      from jsonb_to_recordset($versions)
        as v(key text, source text, previous text, hash text, version jsonb, change jsonb, payees jsonb)), stored as (
      insert into offchain.offer_version as o (key, source, hash, version, first_at, since, payees)
      select key, source, hash, version, $now, $now, payees from given
      on conflict (key) do update set hash = excluded.hash, version = excluded.version, since = excluded.since,
        payees = case when starts_with(o.source, '${LISTING} ') then o.payees else excluded.payees end
      where o.hash = (select previous from given where given.key = o.key)
      returning key), appended as (
      insert into offchain.offer_change (key, at, first_at, hash, change)
      select key, $now, $now, hash, change from given join stored using (key) where change is not null
      returning key)
    select encode(key, 'hex') as key from appended`,
  columns: { key: t.text },
});

/**
 * Compares what was read with what is kept. Part of the transaction that stores it.
 * @param read each source once
 */
export async function recordVersions(tx: pg.ClientBase, read: readonly ReadVersion[], now: Date): Promise<void> {
  if (read.length === 0) return;
  const at = now.toISOString();
  const given = read.map((one) => ({ ...one, key: keyOf(one.source), hash: canonicalHash(one.version) }));
  const kept = new Map((await KEPT.rows(tx, { given })).map((row) => [row.key, row]));
  const versions = given.flatMap(({ key, source, hash, version, isPartial = false }): VersionRow[] => {
    const entry = kept.get(key);
    // What offers nothing is compared with nothing.
    if (!entry) {
      const first = { key, source, hash, version, previous: null, change: null };
      return version.items.length > 0 ? [{ ...first, payees: remembered([], paidBy(version.items), at) }] : [];
    }
    if (entry.version === null) return [];
    const after = continued(entry.version, version, isPartial);
    const row = { key, source, previous: entry.hash, hash: canonicalHash(after), version: after };
    if (row.hash === entry.hash) return [];
    const before = remembered(entry.payees, paidBy(entry.version.items), entry.since.toISOString());
    return [{ ...row, change: differences(entry.version, after), payees: remembered(before, paidBy(after.items), at) }];
  });
  if (versions.length === 0) return;
  const changed = await STORE.values(tx, { versions, now });
  if (changed.length > 0) await foldSurplus(tx, changed, now);
}

const SURPLUS = statement({
  name: "offer-changes-surplus",
  params: { keys: t.array(t.text), now: t.timestamptz },
  text: `
    select distinct on (c.key) c.id, c.change, c.before_id as "beforeId", b.change as "beforeChange"
    from (
      select id, key, at, change, lag(id) over w as before_id,
        extract(epoch from at - lag(first_at) over w) / (1 + extract(epoch from $now - at)) as share,
        count(*) over (partition by key) as rows
      from offchain.offer_change where key = any(array(select decode(unnest($keys::text[]), 'hex')))
      window w as (partition by key order by id)) c
    join offchain.offer_change b on b.id = c.before_id
    where c.rows > ${MOST_CHANGES} order by c.key, c.share, c.id`,
  columns: {
    id: t.int8,
    change: t.jsonb<OfferChange>(),
    beforeId: t.filtered(t.int8),
    beforeChange: t.jsonb<OfferChange>(),
  },
});
const FOLD = statement({
  name: "offer-changes-fold",
  params: { pairs: t.records({ id: t.int8, beforeId: t.int8, change: t.jsonb<OfferChange>() }) },
  text: `
    with pairs as (select * from $pairs), gone as (
      delete from offchain.offer_change c using pairs where c.id = pairs.before_id
      returning pairs.id, c.first_at, c.changes)
    update offchain.offer_change c set first_at = gone.first_at, changes = c.changes + gone.changes, change = pairs.change
    from gone join pairs on pairs.id = gone.id where c.id = gone.id`,
});

async function foldSurplus(tx: pg.ClientBase, keys: readonly string[], now: Date): Promise<void> {
  const pairs = (await SURPLUS.rows(tx, { keys, now })).map(({ id, beforeId, change, beforeChange }) => ({
    ...{ id, beforeId, change: folded(beforeChange, change) },
  }));
  if (pairs.length > 0) await FOLD.run(tx, { pairs });
}

/** SQL of whether an agent names a source. @param of SQL of what has it as `source` */
const isNamed = (of: string) => `(case when starts_with(${of}.source, '${LISTING} ')
    then exists (select from offchain.directory d where d.id = split_part(${of}.source, ' ', 2)::int8 and d.removed_at is null)
    else exists (
      select from offchain.offer_source s where hashtextextended(s.url, 0) = hashtextextended(split_part(${of}.source, ' ', 2), 0)
        and s.kind || ' ' || s.url = ${of}.source) end)`;
/** Versions of one statement, which are few enough for its time. */
const VERSIONS_AT_ONCE = 2_000;
const MARK_UNNAMED = statement({
  name: "offer-versions-mark-unnamed",
  params: { after: t.text, now: t.timestamptz },
  text: `
    with page as materialized (
      select key, source, unnamed_since from offchain.offer_version
      where key > decode($after, 'hex') order by key limit ${VERSIONS_AT_ONCE}), marked as (
      update offchain.offer_version v set unnamed_since = case when not ${isNamed("page")} then $now::timestamptz end
      from page where v.key = page.key and ${isNamed("page")} = (page.unnamed_since is not null))
    select encode(key, 'hex') as last from page order by key desc limit 1`,
  columns: { last: t.text },
});

/**
 * Removes what no agent has named for a month, with its history.
 * Check then write: nothing names it, then it goes: one statement, which asks again; named a moment later, it is new.
 * @returns the number of sources
 */
export async function forgetUnnamedVersions(db: Queryable, now: Date): Promise<number> {
  for (let page: { last: string } | null = { last: "" }; page; )
    page = await MARK_UNNAMED.maybeOne(db, { after: page.last, now });
  const since = new Date(now.getTime() - UNNAMED_DAYS * 86_400_000);
  const where = `unnamed_since < $1 and not ${isNamed("offer_version")}`;
  return deleteInParts(db, "offchain.offer_version", where, [since]);
}

/** What is kept of an agent and its endpoints, in one order. `confirmed`: it is shown to be the agent's. */
export const versionsOfAgent = statement({
  name: "offer-versions-of-agent",
  params: { id: t.int8 },
  text: `
    select v.source, v.hash, v.version, v.first_at as "firstAt", v.since, s."readAt", s.confirmed, v.payees
    from (
      select ${listingSql("$id::int8")} as source, null::timestamptz as "readAt", true as confirmed
      union all (select s.kind || ' ' || s.url, s.read_at, s.confirmed_by is not null from offchain.offer_source s
        where s.directory_id = $id order by s.kind, s.url limit ${MAX_SOURCES - 1})) s
    join offchain.offer_version v on v.key = ${keySql("s.source")} order by v.source collate "C"`,
  columns: {
    source: t.text,
    hash: t.text,
    version: t.jsonb<Version>(),
    ...{ firstAt: t.timestamptz, since: t.timestamptz, readAt: t.nullable(t.timestamptz), confirmed: t.bool },
    payees: t.jsonb<Payee[]>(),
  },
}).rows;

/** What has changed of some sources, the newest first. @param of.before an id: only those before it @param of.since a time */
export const changesOf = statement({
  name: "offer-changes",
  params: {
    sources: t.array(t.text),
    ...{ before: t.optional(t.int8), since: t.optional(t.timestamptz), limit: t.int8 },
  },
  text: `
    select c.id, v.source, c.at, c.first_at as "firstAt", c.changes, c.hash, c.change
    from offchain.offer_version v join offchain.offer_change c on c.key = v.key
    where v.key = any(array(select ${keySql("unnest($sources::text[])")}))
      and ($before::int8 is null or c.id < $before) and ($since::timestamptz is null or c.at > $since)
    order by c.id desc limit $limit`,
  columns: {
    ...{ id: t.int8, source: t.text, at: t.timestamptz, firstAt: t.timestamptz, changes: t.int4, hash: t.text },
    change: t.jsonb<OfferChange>(),
  },
}).rows;
