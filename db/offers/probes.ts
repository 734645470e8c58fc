/** The log of probes: what came of each time an endpoint was asked. It is appended to and read, never rewritten. */
import type pg from "pg";
import type { SourceKind } from "../../core/offers/source-kinds.ts";
import { statement, t } from "../sql/statement.ts";
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

/** Makes the partitions of now and next, and drops those that no window needs. */
export async function keepProbes(db: pg.Pool, now: Date): Promise<void> {
  await makePartitions(db, { table: "probe", period: "week", now });
  const dropped = await dropPartitions(db, { table: "probe", before: new Date(now.getTime() - KEPT_DAYS * DAY_MS) });
  if (dropped > 0) await FORGET_SUBJECTS.run(db);
}

/**
 * SQL of an endpoint's record as JSON (`uptime`, core/views/offering.ts), recomputed from its log; null where it has none.
 * @param of SQL of what has `kind` and `url` @param now SQL of a time
 * @param days of the log that are read: each costs the same; what stands at the beginning of a window is some days before it
 */
export const uptimeOf = (of: string, now: string, days = KEPT_DAYS): string => {
  const answered = (last: number) => {
    const from = `greatest(g.at, ${now} - interval '${last} days')`;
    const known = (which: string) =>
      `sum(extract(epoch from g.until - ${from})) filter (where g.until > ${from}${which})`;
    return `trunc(coalesce(${known(" and g.answers")}, 0) / nullif(${known("")}, 0), 4)::float8`;
  };
  const percentile = (share: number) =>
    `percentile_disc(${share}) within group (order by g.ms) filter (where g.answers and g.at > ${now} - interval '30 days')`;
  return `(
  select json_build_object('days7', ${answered(7)}, 'days30', ${answered(30)}, 'days90', ${answered(90)},
    'p50Ms', ${percentile(0.5)}, 'p95Ms', ${percentile(0.95)},
    'downSince', ${t.isoTime("min(g.at) filter (where not g.answers and g.at > coalesce(g.answered_at, '-infinity'))")})
  from (
    select p.*, max(p.at) filter (where p.answers) over () as answered_at,
      case when not p.answers and not lead(p.answers, 1, true) over next then lead(p.at) over next
        else least(lead(p.at, 1, ${now}) over next, p.at + interval '${STANDS_HOURS} hours') end as until
    from offchain.probe_subject u join offchain.probe p on p.subject = u.id
    where u.key = ${keyOf(of)} and p.at > ${now} - interval '${days} days' and p.at <= ${now}
    window next as (order by p.at)) g
  having count(*) > 0)`;
};
