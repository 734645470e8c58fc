/** Events of agents whose confirmed endpoints offer something else than before, at another price, or paid to another account. */
import type pg from "pg";
import type { Address } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import type { OfferChange } from "../../core/offers/offer-change.ts";
import { folded } from "../../core/offers/offer-versions.ts";
import { type Payee, payeesTold } from "../../core/offers/payees.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { appendEvents, type NewEvent } from "../events/append-events.ts";
import { statement, t } from "../sql/statement.ts";
import { keySql, listingSource, listingSql, type ReadVersion } from "./offer-history.ts";

/** Bound: own agents of one endpoint that are told of: they cost their maker a mint each. */
const MOST_AGENTS = 10;
/** Bound: rows whose endpoint it is shown to be, and agents of an account that it has paid which name it: the oldest. */
const MOST_READ = 100;
/** Bound: accounts that an endpoint has paid whose agents are looked at: those that it paid longest. */
const MOST_ACCOUNTS = 20;
/** Bound: one event of each type for an endpoint and an agent within so long: what changes meanwhile is in the next one. */
const AT_MOST_EVERY = "1 hour";
/** How old changes may be that are told: what was not told by then had nobody to be told of. */
const TOLD_WITHIN = "3 days";

/**
 * Own agents whose endpoint it is shown to be, the first ones; where there is none, the first of the canonical registry, each
 * with the changes that are to be told. An endpoint that has paid the agent's proven wallet is still the agent's: that it does
 * not any more is what is to be told.
 */
const AGENTS = statement({
  name: "offer-events-agents",
  params: { sources: t.array(t.text), now: t.timestamptz },
  text: `
    select a.source, a.id, platform, agent_id as "agentId", case when is_own then token_id end as "tokenId", owner,
      l.payees as known, l.first_at as "firstAt", (
        select coalesce(json_agg(c.change order by c.id), '[]') from offchain.offer_change c
        where c.key = a.key and c.at > greatest(a.told_at, $now::timestamptz - interval '${TOLD_WITHIN}')) as changes
    from (
      select s.source, v.key, v.told_at, d.id, d.platform, d.agent_id, d.token_id, d.owner_address as owner, d.platform = '${OWN_PLATFORM}' as is_own,
        row_number() over (partition by s.source order by d.platform <> '${OWN_PLATFORM}', d.confirmed_by is null, d.id) as place
      from (select source, split_part(source, ' ', 1) as kind, split_part(source, ' ', 2) as url from unnest($sources::text[]) source) s
      join offchain.offer_version v on v.key = ${keySql("s.source")}
        and (v.told_at is null or v.told_at <= $now::timestamptz - interval '${AT_MOST_EVERY}')
      cross join lateral (
        (select o.directory_id from offchain.offer_source o
         where o.host = split_part(s.url, '/', 3) and hashtextextended(o.url, 0) = hashtextextended(s.url, 0)
           and o.confirmed_by is not null and o.url = s.url and o.kind = s.kind
         order by o.directory_id limit ${MOST_READ})
        union
        select w.id from (
          select p."payTo" from jsonb_to_recordset(v.payees) p("payTo" text, since timestamptz, until timestamptz)
          group by 1 order by sum(coalesce(p.until, $now) - p.since) desc limit ${MOST_ACCOUNTS}) p
        cross join lateral (
          select a.id from offchain.directory a cross join lateral (
            select from offchain.offer_source o where (o.directory_id, o.kind, o.url) = (a.id, s.kind, s.url) offset 0) names
          where a.address collate "C" = p."payTo" and a.removed_at is null and a.wallet_proven
            and a.platform in ('${OWN_PLATFORM}', '${ERC8004}')
          order by a.id limit ${MOST_READ}) w) r
      cross join lateral (
        select d.*, f.confirmed_by from offchain.offer_source f
        join offchain.directory d on d.id = f.directory_id and d.removed_at is null and d.platform in ('${OWN_PLATFORM}', '${ERC8004}')
        where (f.directory_id, f.kind, f.url) = (r.directory_id, s.kind, s.url) offset 0) d) a
    join offchain.offer_version l on l.key = ${keySql(listingSql("a.id"))}
    where (is_own and place <= ${MOST_AGENTS}) or place = 1 order by a.source, place`,
  columns: {
    ...{ source: t.text, id: t.int8, platform: t.text, agentId: t.text },
    ...{ tokenId: t.nullable(t.int8), owner: t.nullable(t.narrow<Address>(t.text)) },
    ...{ known: t.jsonb<Payee[]>(), firstAt: t.timestamptz, changes: t.json<OfferChange[]>() },
  },
});

const NOTE_TOLD = statement({
  name: "offer-events-told",
  params: { sources: t.array(t.text), now: t.timestamptz },
  text: `
    update offchain.offer_version set told_at = $now
    where key = any(array(select ${keySql("unnest($sources::text[])")}))`,
});
const NOTE_PAYEES = statement({
  name: "offer-events-payees",
  params: { unions: t.records({ source: t.text, payees: t.jsonb<Payee[]>() }) },
  text: `
    update offchain.offer_version v set payees = n.payees from (select * from $unions) n where v.key = ${keySql("n.source")}`,
});

/**
 * Appends the events of changes, and of who is paid for the first time at any endpoint of an agent. Part of the transaction
 * that records the versions.
 * @param read each source once
 */
export async function emitOfferChanges(tx: pg.ClientBase, read: readonly ReadVersion[], now: Date): Promise<void> {
  if (read.length === 0) return;
  const agents = await AGENTS.rows(tx, { sources: read.map(({ source }) => source), now });
  const unions = new Map<number, Payee[]>();
  const events = agents.flatMap(({ source, id, tokenId, owner, known, firstAt, changes, ...agent }) => {
    const [kind, url] = source.split(" ");
    const { version } = read.find((one) => one.source === source)!;
    const change = folded(...changes);
    const of = { changed: change.payTo, known: unions.get(id) ?? known, firstAt, now };
    const { payTo, isHabit, union } = payeesTold(version, of);
    if (union) unions.set(id, union);
    return Object.entries({
      "agent.offer_changed": { added: change.added, removed: change.removed, changed: change.changed },
      "agent.price_changed": { prices: change.prices },
      "agent.pay_to_changed": { payTo, isHabit },
    }).flatMap(([type, lists]) => {
      if (!Object.values(lists).some((list) => Array.isArray(list) && list.length > 0)) return [];
      const fact = `${agent.platform} ${agent.agentId} ${now.toISOString()} ${source}`;
      const data = { ...agent, endpoint: { kind, url }, ...lists };
      return { source, event: { type, data, fact, tokenId, at: now, ...(tokenId === null && { owner }) } as NewEvent };
    });
  });
  await appendEvents(
    tx,
    events.map(({ event }) => event),
  );
  if (events.length > 0) await NOTE_TOLD.run(tx, { sources: events.map(({ source }) => source), now });
  if (unions.size > 0)
    await NOTE_PAYEES.run(tx, { unions: [...unions].map(([id, payees]) => ({ source: listingSource(id), payees })) });
}
