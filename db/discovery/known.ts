/** Reads what is known about agents from where it is written: texts, offers, proofs, liveness, feedback. */
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { type Protocol, protocolsOf } from "../../core/directory/protocols.ts";
import type { AgentText } from "../../core/discovery/document.ts";
import type { Known } from "../../core/discovery/ranking.ts";
import { type EndpointState, liveness } from "../../core/offers/liveness.ts";
import { array, bool, float8, int2, int4, int8, narrow, nullable, statement, text, timestamptz } from "../statement.ts";
import type { Queryable } from "../transaction.ts";
import { isIndexed } from "../transaction.ts";

/** A row of the directory as the search reads it. `known` lacks what the document itself decides. */
export type KnownAgent = AgentText & {
  id: number;
  platform: string;
  chainId: number | null;
  owner: string | null;
  verified: boolean;
  speaks: Protocol[];
  priceUsd: number | null;
  registeredAt: Date | null;
  known: Omit<Known, "textQuality" | "copy">;
};

const DAY_MS = 86_400_000;

const ROWS = statement({
  name: "discovery-rows",
  params: { ids: array(int8) },
  text: `
    select d.id, d.platform, d.chain_id as "chainId", d.name, d.description, d.owner_address as owner,
      d.wallet_proven as "verified", d.x402_supported as "x402", d.cred_score as cred, d.uses,
      d.used_at as "usedAt", d.created_at as "registeredAt",
      array(select lower(left(s->>'name', 40)) from jsonb_array_elements(
        case when jsonb_typeof(d.services) = 'array' then d.services else '[]' end) s where s->>'name' is not null limit 50) as services,
      (select count(distinct p.platform)::int4 from offchain.proof p
       where d.platform = '${OWN_PLATFORM}' and p.token_id = d.token_id and p.status = 'verified') as proofs
    from offchain.directory d where d.id = any($ids) and d.removed_at is null`,
  columns: {
    id: int8,
    platform: text,
    chainId: nullable(int4),
    name: text,
    description: nullable(text),
    owner: nullable(text),
    verified: bool,
    x402: bool,
    cred: int2,
    uses: int4,
    usedAt: nullable(timestamptz),
    registeredAt: nullable(timestamptz),
    services: array(text),
    proofs: int4,
  },
  prepared: true,
});

/** Ratings of one agent that are read: anyone may write any number. */
const MAX_RATINGS = 500;

/**
 * Ratings by clients that own an agent of the service, or are its wallet, and that are not the rated agent's own owner or
 * wallet: one per client, the mean of its own.
 */
const FEEDBACK = statement({
  name: "discovery-feedback",
  params: { ids: array(int8) },
  text: `
    select d.id, count(*)::int4 as authors, sum(a.score / 100.0)::float8 as weight,
      (sum(a.score * a.rating) / sum(a.score))::float8 as mean
    from offchain.directory d, lateral (
      select r.client, r.rating, (
        select max(c.score) from onchain.agent g join offchain.cred c on c.token_id = g.token_id
        where g.owner = r.client or g.agent_address = r.client) as score
      from (
        select f.client, avg(least(1, greatest(0, f.value / 10::numeric ^ (least(greatest(f.value_decimals, 0), 30) + 2))))::float8 as rating
        from (select * from onchain.erc8004_feedback f
              where f.registry = d.registry and f.agent_id = d.token_id and not f.revoked limit ${MAX_RATINGS}) f
        where f.client is distinct from d.owner_address and f.client is distinct from d.address
        group by f.client) r) a
    where d.id = any($ids) and d.platform = 'erc8004' and a.score > 0
    group by d.id`,
  columns: { id: int8, authors: int4, weight: float8, mean: float8 },
  prepared: true,
});

/** Endpoints of one row that are read. */
const MAX_SOURCES = 50;
const SOURCES = statement({
  name: "discovery-sources",
  params: { ids: array(int8) },
  text: `
    select a.id, s.status, s.answered_at as "answeredAt", s.silent_since as "silentSince", s.checked_at as "checkedAt"
    from unnest($ids::int8[]) as a(id), lateral (
      select * from offchain.offer_source s where s.directory_id = a.id order by s.kind, s.url limit ${MAX_SOURCES}) s`,
  columns: {
    id: int8,
    status: narrow<EndpointState["status"]>(text),
    answeredAt: nullable(timestamptz),
    silentSince: nullable(timestamptz),
    checkedAt: nullable(timestamptz),
  },
  prepared: true,
});

type Offers = { offers: AgentText["offers"]; priceUsd: number | null };
/** Offers of one row that are read. */
const MAX_OFFERS = 60;
const NO_OFFERS: Offers = { offers: [], priceUsd: null };

const OFFERS = statement({
  name: "discovery-offers",
  params: { ids: array(int8) },
  text: `
    select a.id, o.kind, o.name, o.description, o.tags, o.price_usd::float8 as "priceUsd"
    from unnest($ids::int8[]) as a(id), lateral (
      select * from offchain.offer o where o.directory_id = a.id order by o.kind, o.source, o.position limit ${MAX_OFFERS}) o`,
  columns: {
    id: int8,
    kind: text,
    name: text,
    description: nullable(text),
    tags: array(text),
    priceUsd: nullable(float8),
  },
  prepared: true,
});

/** Offers by row, and the least price among them. */
async function offersOf(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, Offers>> {
  const byId = new Map<number, { offers: AgentText["offers"][number][]; priceUsd: number | null }>();
  for (const { id, priceUsd, ...offer } of await OFFERS.rows(db, { ids })) {
    const known = byId.get(id) ?? { offers: [], priceUsd: null };
    known.offers.push(offer);
    if (priceUsd !== null) known.priceUsd = Math.min(known.priceUsd ?? priceUsd, priceUsd);
    byId.set(id, known);
  }
  return byId;
}

/** What is known about rows of the directory; removed ones are left out. */
export async function knownAgents(db: Queryable, ids: readonly number[], now: Date): Promise<KnownAgent[]> {
  if (ids.length === 0) return [];
  const rows = await ROWS.rows(db, { ids });
  const offers = await offersOf(db, ids);
  const sources = Map.groupBy(await SOURCES.rows(db, { ids }), ({ id }) => id);
  const feedback = new Map((await feedbackOf(db, ids)).map((row) => [row.id, row]));
  return rows.map(({ services, x402, proofs, cred, uses, usedAt, ...row }) => {
    const days = (at: Date | null) => (at === null ? null : Math.max(0, (now.getTime() - at.getTime()) / DAY_MS));
    const { offers: offered, priceUsd } = offers.get(row.id) ?? NO_OFFERS;
    return {
      ...row,
      offers: offered,
      priceUsd,
      speaks: protocolsOf(services, x402),
      known: {
        cred,
        proofs,
        walletProven: row.verified,
        liveness: liveness(sources.get(row.id) ?? [], now),
        uses,
        usedDaysAgo: days(usedAt),
        feedback: feedback.get(row.id) ?? { authors: 0, weight: 0, mean: 0 },
        ageDays: days(row.registeredAt),
      },
    };
  });
}

/** None while there is no index: a failing statement would end the caller's transaction. */
const feedbackOf = async (db: Queryable, ids: readonly number[]) =>
  (await isIndexed(db)) ? FEEDBACK.rows(db, { ids }) : [];
