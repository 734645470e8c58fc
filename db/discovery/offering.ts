/** Reads what one agent offers, its endpoints, its trust, and who has the same name or one of the same endpoints. */
import { explained, trustOf } from "../../core/discovery/weights.ts";
import {
  type AlikeAgents,
  type EndpointView,
  MAX_ALIKE_SHOWN,
  MAX_COUNTED_ALIKE,
  type Offering,
} from "../../core/views/offering.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { uptimeOf } from "../offers/probes.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { hitBackgrounds } from "./hit-background.ts";
import { knownAgents } from "./known.ts";
import { paidWork } from "./paid-work.ts";

/** Endpoints of one row that are read. */
const MAX_SOURCES = 50;

/** SQL of an array of `Alike`, the oldest first. @param ids SQL of a query of ids @param own SQL of the owner of the agent asked about */
const agentsOf = (ids: string, own: string): string => `(
  select coalesce(json_agg(json_build_object(
    'platform', a.platform, 'agentId', a.agent_id, 'tokenId', a.token_id, 'name', a.name, 'credScore', a.cred_score,
    'registeredAt', ${t.isoTime("a.created_at")}, 'sameOwner', a.owner_address is not distinct from ${own} and ${own} is not null)
    order by a.created_at nulls last, a.id), '[]')
  from (
    select * from offchain.directory o where o.id in (${ids}) and o.removed_at is null
    order by o.created_at nulls last, o.id limit ${MAX_ALIKE_SHOWN}) a)`;

const SAME_NAME = `
  select f.directory_id as id
  from offchain.discovery_document own
  join offchain.discovery_first_seen f on f.key = own.name_key and f.left_at is null and f.directory_id <> own.directory_id
  where own.directory_id = d.id order by f.backed desc, f.since, f.registered_at, f.directory_id limit ${MAX_COUNTED_ALIKE}`;
const SAME_ENDPOINT = `
  select distinct s.directory_id as id
  from (select url from offchain.offer_source where directory_id = d.id order by kind, url limit ${MAX_SOURCES}) own
  cross join lateral (
    select s.directory_id from offchain.offer_source s
    where hashtextextended(s.url, 0) = hashtextextended(own.url, 0) and s.url = own.url and s.directory_id <> d.id
    limit ${MAX_COUNTED_ALIKE}) s
  limit ${MAX_COUNTED_ALIKE}`;
const alikes = (ids: string) => `json_build_object(
  'count', (select count(*) from (${ids}) c), 'agents', ${agentsOf(`select i.id from (${ids}) i`, "d.owner_address")})`;

const OFFERING = statement({
  name: "discovery-offering",
  params: { id: t.int8, now: t.timestamptz },
  text: `
    select d.platform, d.token_id as "tokenId", d.address, d.owner_address as "ownerAddress", d.x402_supported as "x402Supported",
      (select coalesce(json_agg(json_build_object('kind', s.kind, 'url', s.url, 'status', s.status,
         'answeredAt', ${t.isoTime("s.answered_at")}, 'silentSince', ${t.isoTime("s.silent_since")},
         'checkedAt', ${t.isoTime("s.checked_at")}, 'why', s.why, 'named', s.confirmed_by is null, 'confirmedBy', s.confirmed_by, 'isSigned', s.is_signed,
         'uptime', ${uptimeOf("s", "$now::timestamptz")}) order by s.kind, s.url), '[]')
       from (select * from offchain.offer_source where directory_id = d.id order by kind, url limit ${MAX_SOURCES}) s) as endpoints,
      coalesce((select w.copy from offchain.discovery_document w where w.directory_id = d.id), false) as copy,
      ${alikes(SAME_NAME)} as "sameName", ${alikes(SAME_ENDPOINT)} as "sameEndpoint"
    from offchain.directory d where d.id = $id and d.removed_at is null`,
  columns: {
    platform: t.text,
    tokenId: t.nullable(t.int8),
    address: t.nullable(t.text),
    ownerAddress: t.nullable(t.text),
    x402Supported: t.bool,
    endpoints: t.json<EndpointView[]>(),
    copy: t.bool,
    sameName: t.json<AlikeAgents>(),
    sameEndpoint: t.json<AlikeAgents>(),
  },
});

/** @param id of the directory @returns null for a row that is gone */
export async function offeringOf(db: Queryable, id: number, now: Date): Promise<Offering | null> {
  const [row, backgrounds, [known], work] = await Promise.all([
    OFFERING.maybeOne(db, { id, now }),
    hitBackgrounds(db, [id], now),
    knownAgents(db, [id], now, { shared: true }),
    paidWork(db, [id]),
  ]);
  const background = backgrounds.get(id);
  if (!row || !background || !known) return null;
  const { copy, ...rest } = row;
  const textQuality = (known.factors.at(-1) ?? 100) / 100;
  const trust =
    known.factors.length === 0
      ? null
      : {
          value: trustOf(known.factors) / 1_000,
          factors: explained(known.factors, { ...known.known, textQuality, copy }),
        };
  const { payments, jobs } = work.get(id) ?? { payments: null, jobs: null };
  const ownerSince = row.platform === ERC8004 ? (known.heldSince ?? known.registeredAt) : null;
  return { ...rest, ownerSince, background, trust, reviews: known.known.reviews, payments, jobs };
}
