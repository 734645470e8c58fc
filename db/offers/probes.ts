/** The log of probes: what came of each time an endpoint was asked. It is appended to and read, never rewritten. */
import type pg from "pg";
import type { SourceKind } from "../../core/offers/source-kinds.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { dropPartitions, makePartitions } from "../sql/time-partitions.ts";

/** Days that are kept: the longest window, and the probe that stands at its beginning. */
const KEPT_DAYS = 98;
const DAY_MS = 86_400_000;
/** Hours for which a probe stands where no other follows: what is daily may be late. */
const STANDS_HOURS = 36;

/** SQL of the key of an endpoint. */
const keyOf = (of: string) => `sha256(convert_to(${of}.kind || ' ' || ${of}.url, 'UTF8'))`;
/** Endpoints that were asked; `found`: hash of the offers as found, null where there was nothing to read. */
const SUBJECTS = t.records({
  kind: t.text,
  url: t.text,
  declared: t.nullable(t.text),
  found: t.nullable(t.text),
  status: t.int2,
  ms: t.nullable(t.int2),
  answers: t.bool,
});

const ADD_SUBJECTS = statement({
  name: "probe-subjects-add",
  params: { probes: SUBJECTS },
  // What conflicts takes a number of the sequence all the same: only new ones are tried.
  text: `
    insert into offchain.probe_subject (key, kind, url, declared, found)
    select ${keyOf("p")}, p.kind, p.url, p.declared, p.found from (select * from $probes) p
    where not exists (
      select from offchain.probe_subject s where s.key = ${keyOf("p")} and s.declared is not distinct from p.declared
        and s.found is not distinct from p.found)
    on conflict do nothing`,
});
const APPEND = statement({
  name: "probes-append",
  params: { probes: SUBJECTS, now: t.timestamptz },
  text: `
    insert into offchain.probe (at, subject, status, ms, answers)
    select $now, s.id, p.status, p.ms, p.answers from (select * from $probes) p
    join offchain.probe_subject s on s.key = ${keyOf("p")} and s.declared is not distinct from p.declared
      and s.found is not distinct from p.found
    on conflict do nothing`,
});

type LoggedProbes = Parameters<typeof APPEND.run>[1]["probes"];
/** Appends what came of asking endpoints. Part of the transaction that stores the rest of it. */
export async function appendProbes(tx: pg.ClientBase, probes: LoggedProbes, now: Date): Promise<void> {
  if (probes.length === 0) return;
  await ADD_SUBJECTS.run(tx, { probes });
  await APPEND.run(tx, { probes, now });
}

/** Rows of endpoints that are looked at for witnesses: those that are shown to be agents' first, then the most trusted. */
const LOOKED_AT = 20_000;
/** SQL of `siteOf` (core/urls.ts). @param name SQL of a host without its port */
const siteSql = (name: string) =>
  `case when ${name} ~ '^[0-9.]+$|]$' then ${name} else substring(${name} from '(?:[^.]+[.])?[^.]+$') end`;

/**
 * Endpoints that answered since a time, one of each site and owner, in an order by chance: of the thousand most trusted
 * sites, those that are shown to be agents' before others. However many agents a site names, it is one.
 */
export const answeredLately = statement({
  name: "probe-witnesses",
  params: { since: t.timestamptz },
  text: `
    with looked_at as (
      select s.*, confirmed_by is not null as confirmed, regexp_replace(host, ':[0-9]+$', '') as name
      from offchain.offer_source s where silent_since is null and answered_at > $since
      order by (confirmed_by is not null) desc, trust desc, directory_id limit ${LOOKED_AT}),
    sites as (
      select * from (
        select distinct on (site) * from (select *, ${siteSql("name")} as site from looked_at) r
        order by site, confirmed desc, trust desc, directory_id) one
      order by confirmed desc, trust desc, directory_id limit 1000)
    select kind, url, owner from (
      select distinct on (coalesce(d.owner_address, s.site)) s.kind, s.url, d.owner_address as owner
      from sites s join offchain.directory d on d.id = s.directory_id
      order by coalesce(d.owner_address, s.site), random()) one
    order by random() limit 200`,
  columns: { kind: t.narrow<SourceKind>(t.text), url: t.text, owner: t.nullable(t.text) },
}).rows;

/** The least cred, not below `least`, of which at most `most` rows have an endpoint that is shown to be theirs, and above. */
export const trustOfFrequent = statement({
  name: "probe-frequent-from",
  params: { least: t.int2, most: t.int8 },
  text: `
    select coalesce((
      select s.trust + 1 from offchain.offer_source s where s.trust >= $least and s.confirmed_by is not null
      order by s.trust desc offset $most limit 1), $least)::int2 as trust`,
  columns: { trust: t.int2 },
}).onlyValue;

const FORGET_SUBJECTS = statement({
  name: "probe-subjects-forget",
  text: "select from offchain.forget_probe_subjects()",
});

/**
 * Probes of an endpoint on a day, above which it is computed ahead: those that are asked in their daily turn have few. All its
 * later days with probes are then: a record reads what is missing between its days from no log, however many subjects it has.
 */
const MANY_PROBES = 8;
/** SQL of the day (UTC) of a time, and of when a day begins. */
const dayOf = (time: string) => `((${time}) at time zone 'UTC')::date`;
const beginOf = (day: string) => `(${day})::timestamp at time zone 'UTC'`;

/** Computes the first day that is over and not computed yet; what is asked at its end is stored within the hour. */
const COMPUTE_DAY = statement({
  name: "probe-day-compute",
  params: { now: t.timestamptz },
  text: `
    with next as materialized (
      select day from (
        select greatest(max(probes_to) + 1, ${dayOf("$now::timestamptz")} - ${KEPT_DAYS}) as day from offchain.offer_progress) n
      where ${beginOf("day + 1")} + interval '1 hour' <= $now), gone as (
      delete from offchain.probe_day where exists (select from next) and day < (select day from next) - ${KEPT_DAYS}), computed as (
      insert into offchain.probe_day (key, day, since, began, at, answers, up, answered_at, down_at, ms, subjects)
      select key, (select day from next), min(at), (array_agg(answers order by at))[1], max(at),
        (array_agg(answers order by at desc))[1], coalesce(sum(next_at - at) filter (where answers), '0'),
        max(answered_at), min(at) filter (where at > coalesce(answered_at, '-infinity')),
        array_agg(ms order by ms) filter (where answers and ms is not null), array_agg(distinct subject)
      from (
        select u.key, p.*, lead(p.at) over (w order by p.at) as next_at, max(p.at) filter (where p.answers) over w as answered_at
        from offchain.probe p join offchain.probe_subject u on u.id = p.subject
        where p.at >= ${beginOf("(select day from next)")} and p.at < ${beginOf("(select day + 1 from next)")}
        window w as (partition by u.key)) one
      group by key having count(*) > ${MANY_PROBES} or exists (select from offchain.probe_day r where r.key = one.key)
      on conflict do nothing)
    insert into offchain.offer_progress ("only", probes_to) select true, day from next
    on conflict ("only") do update set probes_to = excluded.probes_to`,
});

/**
 * Makes the partitions of now and next, drops those that no window needs, and computes a day of the log.
 * @param now by the clock of the database, which all that append share
 */
export async function keepProbes(db: Queryable, now: Date): Promise<void> {
  await makePartitions(db, { table: "probe", period: "week", now });
  const dropped = await dropPartitions(db, { table: "probe", before: new Date(now.getTime() - KEPT_DAYS * DAY_MS) });
  if (dropped > 0) await FORGET_SUBJECTS.run(db);
  await COMPUTE_DAY.run(db, { now });
}

/** Windows of an endpoint's record, in days. */
const WINDOWS = [7, 30, 90];

/**
 * SQL of an endpoint's record as JSON (`uptime`, core/views/offering.ts), recomputed from its log; null where it has none.
 * Whole days that are computed take the place of their probes: `since` and `began` are the first one's, `at` and `answers` the
 * last one's. Days in which a window begins, and those before the first and after the last that may be computed, are read from
 * the log.
 * @param of SQL of what has `kind` and `url` @param now SQL of a time
 * @param days of the log that are read; what stands at the beginning of a window is some days before it
 */
export const uptimeOf = (of: string, now: string, days = KEPT_DAYS): string => {
  const from = (last: number) => `${now} - interval '${last} days'`;
  const answered = (last: number) => {
    const [stands, inside] = [`greatest(g.until - greatest(g.at, ${from(last)}), '0')`, `g.since > ${from(last)}`];
    const up = `coalesce(sum(${stands}) filter (where g.answers), '0') + coalesce(sum(g.up) filter (where ${inside}), '0')`;
    const known = `sum(${stands}) + coalesce(sum(g.at - g.since) filter (where ${inside}), '0')`;
    return `trunc(extract(epoch from ${up}) / nullif(extract(epoch from ${known}), 0), 4)::float8`;
  };
  const begins = [...WINDOWS, days].map((last) => dayOf(from(last))).join(", ");
  return `(
  with computed as materialized (
    select *, r.day in (${begins}) as is_begin from offchain.probe_day r
    where r.key = ${keyOf(of)} and r.day >= ${dayOf(from(days))} and r.day < ${dayOf(now)}),
  gap as materialized (
    select ${beginOf("day")} as since, ${beginOf("day + 1")} as until, subjects from computed where is_begin
    union all
    select ${from(days)}, coalesce(${beginOf("min(day)")}, 'infinity'), null from computed
    union all
    select ${beginOf(`least(probes_to + 1, ${dayOf(now)})`)}, 'infinity', null
    from offchain.offer_progress where exists (select from computed)),
  known as materialized (
    select since, began, at, answers, up, answered_at, down_at, ms from computed where not is_begin
    union all
    select p.*
    from gap cross join lateral (
      select id from offchain.probe_subject where key = ${keyOf(of)} and gap.subjects is null
      union all select unnest(gap.subjects)) u cross join lateral (
      select p.at as since, p.answers as began, p.at, p.answers, interval '0', case when p.answers then p.at end,
        case when not p.answers then p.at end, case when p.answers then array[p.ms] end
      from offchain.probe p
      where p.subject = u.id and p.at >= greatest(gap.since, ${from(days)}) and p.at < gap.until and p.at <= ${now} offset 0) p
    where gap.since < gap.until)
  select json_build_object(${WINDOWS.map((last) => `'days${last}', ${answered(last)}`).join(", ")},
    'p50Ms', min(m.ms[1]), 'p95Ms', min(m.ms[2]),
    'downSince', ${t.isoTime("min(g.down_at) filter (where g.down_at > coalesce(g.last_answer, '-infinity'))")})
  from (
    select *, max(answered_at) over () as last_answer,
      case when not answers and not lead(began, 1, true) over next then lead(since) over next
        else least(lead(since, 1, ${now}) over next, at + interval '${STANDS_HOURS} hours') end as until
    from known window next as (order by at)) g, (
    select percentile_disc(array[0.5, 0.95]) within group (order by answer) as ms
    from known, unnest(ms) answer where since > ${from(30)}) m
  having count(*) > 0)`;
};
