/** Reads what is known about agents from where it is written: texts, offers, proofs, liveness, reviews. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import { earlierOwner, type Ownership, sharedWith } from "../../core/agents/caveats.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { PROTOCOLS, type Protocol } from "../../core/directory/protocols.ts";
import { type AgentText, MAX_OFFERS } from "../../core/discovery/document.ts";
import type { RankedFacts } from "../../core/discovery/weights.ts";
import { liveness } from "../../core/offers/liveness.ts";
import { type SourceKind, spokenOf } from "../../core/offers/source-kinds.ts";
import { reviewSummaryView, type SummaryStats } from "../../core/reviews/view.ts";
import { summaryStats } from "../agents/canonical-identity.ts";
import { ownershipOf } from "../agents/proof-ownership.ts";
import { othersAttested, othersLifted } from "../agents/shared-sql.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { registriesThat } from "../directory/registries-sql.ts";
import { reviewedNumber, reviewedRegistry } from "../directory/reviews-sql.ts";
import { holdsIdentity } from "../directory/score-sql.ts";
import { countingOffers, type EndpointRow, endpointStates, endpointsOf, unspokenBy } from "../offers/endpoints.ts";
import { family, type Queryable, t } from "../sql/statement.ts";
import { isIndexed } from "../sql/transaction.ts";

/** A row of the directory as the search reads it. `known` lacks what the document itself decides. */
export type KnownAgent = AgentText & {
  id: number;
  platform: string;
  chainId: number | null;
  /**
   * Who runs it: the owner that it was registered for, or the holder of its registry's namespace; null where neither is
   * known. The recipient of a transfer is no evidence: a token can be sent to anybody.
   */
  operator: string | null;
  verified: boolean;
  active: boolean;
  /** Something other than the agent shows whose it is: its proven wallet or accounts, or an endpoint that is confirmed. */
  backed: boolean;
  speaks: Protocol[];
  priceUsd: number | null;
  registeredAt: Date | null;
  /** When its token came to its owner; null where it was never transferred, or is none. */
  heldSince: Date | null;
  known: Omit<RankedFacts, "textQuality" | "copy">;
  /** Values of the factors as its document has them; empty for a row without one. */
  factors: number[];
};

const DAY_MS = 86_400_000;

/** Services of one row that are read. */
const MAX_SERVICES = 50;

const HAS_NAMESPACE = `d.platform in ${registriesThat("hasNamespaces")}`;

/** What the reviews of a row `d` are worth: of a registration, or of an own agent with all that it ever had. */
const REVIEWS = `(
  select ${summaryStats("g")} from offchain.review_figures g
  where g.registry = ${reviewedRegistry("d")} and g.agent_id = ${reviewedNumber("d")})`;

type OfferRow = AgentText["offers"][number] & { priceUsd: number | null };

const IS_OWN = `d.platform = '${OWN_PLATFORM}'`;

/** SQL of when the token of a row `d` came to its owner, Unix seconds; null where it was never transferred, or is none. */
export const HELD_SINCE = `case when d.platform in ('${OWN_PLATFORM}', '${ERC8004}') and d.token_id is not null then (
  select max(x.transferred_at) from onchain.transfer x
  where x.contract = d.registry and x.token_id = d.token_id::numeric and x."from" <> '${ZERO_ADDRESS}') end`;

/** `indexed`: the index has published its views; owners are read from them. `shared`: others are counted too. */
const ROWS = family({
  name: "discovery-rows",
  text: ({ ids, indexed, shared }: { ids: readonly number[]; indexed: boolean; shared: boolean }, $) => `
    select d.id, d.platform, d.chain_id as "chainId", d.name, d.description,
      coalesce(d.owner_address, case when ${HAS_NAMESPACE} then lower(split_part(d.agent_id, '/', 1)) end) as operator,
      ${indexed ? HELD_SINCE : "null::int8"} as "heldSince",
      d.wallet_proven as "verified", d.active, d.x402_supported as "x402", d.cred_score as cred,
      d.uses, d.used_at as "usedAt", d.created_at as "registeredAt",
      array(select left(s->>'name', 40) from jsonb_array_elements(
        case when jsonb_typeof(d.services) = 'array' then d.services else '[]' end) s
        where s->>'name' is not null limit ${MAX_SERVICES}) as services,
      array(select p.platform from offchain.proof p
        where ${IS_OWN} and p.token_id = d.token_id and p.status = 'verified') as proofs,
      ${indexed ? `case when ${IS_OWN} then (select ${ownershipOf("a", "d.registry")} from onchain.agent a where a.token_id = d.token_id) end` : "null::json"} as ownership,
      ${shared ? `case when d.coinbase then ${othersAttested("d.owner_address", (f) => `${f}.id <> d.id`)} else 0 end` : "0::int8"} as attestation,
      ${shared && indexed ? `case when ${IS_OWN} or not ${holdsIdentity("d")} then 0 else ${othersLifted("d")} end` : "0::int8"} as identity,
      (select json_agg(json_build_object('kind', o.kind, 'name', o.name, 'description', o.description, 'tags', o.tags,
         'priceUsd', o.price_usd) order by o.kind, o.source, o.position)
       from (${countingOffers("d.id", MAX_OFFERS)}) o) as offers,
      ${unspokenBy("d.id")} as unspoken,
      ${endpointsOf("d.id")} as endpoints,
      coalesce((select factors from offchain.discovery_document w where w.directory_id = d.id), '{}') as factors,
      ${REVIEWS} as reviews
    from offchain.directory d where d.id = any(${$(ids)}::int8[]) and d.removed_at is null`,
  columns: {
    id: t.int8,
    platform: t.text,
    chainId: t.nullable(t.int4),
    name: t.text,
    description: t.nullable(t.text),
    operator: t.nullable(t.text),
    heldSince: t.nullable(t.int8),
    verified: t.bool,
    active: t.bool,
    x402: t.bool,
    cred: t.int2,
    uses: t.int4,
    usedAt: t.nullable(t.timestamptz),
    registeredAt: t.nullable(t.timestamptz),
    services: t.array(t.text),
    proofs: t.array(t.text),
    ownership: t.nullable(t.json<Ownership>()),
    attestation: t.int8,
    identity: t.int8,
    offers: t.nullable(t.json<OfferRow[]>()),
    unspoken: t.array(t.narrow<SourceKind>(t.text)),
    endpoints: t.nullable(t.json<EndpointRow[]>()),
    factors: t.array(t.int2),
    reviews: t.nullable(t.json<SummaryStats>()),
  },
  examples: [
    { ids: [1], indexed: true, shared: true },
    { ids: [1], indexed: true, shared: false },
    { ids: [1], indexed: false, shared: false },
  ],
  prepared: true,
});

const PROTOCOL_NAMES = new Set(PROTOCOLS.map((protocol) => protocol.toLowerCase()));
/** The protocols of an agent, and what its services are called otherwise. */
const namesOf = (speaks: readonly Protocol[], services: readonly string[]): string[] => [
  ...new Set([...speaks, ...services.filter((name) => !PROTOCOL_NAMES.has(name.toLowerCase()))]),
];

const leastOf = (prices: readonly (number | null)[]): number | null => {
  const amounts = prices.filter((price) => price !== null);
  return amounts.length === 0 ? null : Math.min(...amounts);
};

/**
 * What is known about rows of the directory, in one statement; removed ones are left out.
 * @param options.shared whether the sentences about their cred say how many other agents share what lifts it
 */
export async function knownAgents(
  db: Queryable,
  ids: readonly number[],
  now: Date,
  { shared = false } = {},
): Promise<KnownAgent[]> {
  if (ids.length === 0) return [];
  const rows = await ROWS.rows(db, { ids, indexed: await isIndexed(db), shared });
  const days = (at: Date | null) => (at === null ? null : Math.max(0, (now.getTime() - at.getTime()) / DAY_MS));
  return rows.map(({ services, unspoken, x402, proofs, cred, uses, usedAt, offers, endpoints, reviews, ...rest }) => {
    const { ownership, attestation, identity, ...row } = rest;
    const heldSince = row.heldSince === null ? null : new Date(row.heldSince * 1000);
    const earlier = new Set(ownership?.earlier.map(({ proof }) => proof as string));
    const verified = row.verified && !earlier.has("wallet");
    const proven = proofs.filter((platform) => !earlier.has(platform)).length;
    const states = endpointStates(endpoints);
    // A proof that does not count for the score needs no word about its owner.
    const shown = ownership && {
      ...ownership,
      earlier: ownership.earlier.filter(({ proof }) => (proof === "wallet" ? row.verified : proofs.includes(proof))),
    };
    const speaks = spokenOf(services, { unspoken, takesX402: x402 });
    return {
      ...row,
      heldSince,
      operator: heldSince === null ? row.operator : null,
      verified,
      backed: verified || proven > 0 || states.some(({ named }) => !named),
      offers: offers ?? [],
      protocols: namesOf(speaks, services),
      priceUsd: leastOf((offers ?? []).map(({ priceUsd }) => priceUsd)),
      speaks,
      known: {
        cred,
        proofs: proven,
        walletProven: verified,
        caveats: {
          proofs: shown === null ? [] : earlierOwner(shown).map(({ says }) => says),
          cred: sharedWith({ attestation, identity }).map(({ says }) => says),
        },
        liveness: liveness(states, now),
        uses,
        usedDaysAgo: days(usedAt),
        reviews: reviews && reviewSummaryView(reviews),
        ageDays: days(row.registeredAt),
        heldDays: days(heldSince),
      },
    };
  });
}
