/** Reads what `weighReviews` is given: the reviews of agents and what the chain proves about their reviewers, any number of agents at once. */
import type { Hex } from "../../core/agents/facts.ts";
import { MAX_TAG, type ReviewsFacts } from "../../core/reviews/facts.ts";
import { MAX_ENTRIES } from "../../core/reviews/rules.ts";
import { isAttested } from "../agents/attestations.ts";
import { walletConfirmed } from "../agents/wallets.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { SCALE_ROWS } from "../directory/reviews-sql.ts";
import { array, int8, json, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { PROVEN } from "./proven-payments.ts";

/** An agent of the canonical registry. */
export type RegistryAgent = { registry: string; agentId: string };

/**
 * Of one agent, the reviewers that are weighed: those with proof, then those who came first. What is left out belongs to
 * the crowd, which divides one weight however many it has.
 */
const MAX_REVIEWERS = 10_000;
/** Of one reviewer, its first entries in which other agents are looked for; of an owner, the agents that it reviewed, and those that it has here. */
const [MAX_OTHER_ENTRIES, MAX_AGENTS] = [200, 1_000];

/** The state of an agent `a` that its figures follow from, as its index changes with it. */
export const SEEN = "a.updated_block || ':' || a.feedback_count";

/** The value of an entry `f`, 0 to 100; null where its tag has no scale. */
export const VALUE = `(select (100 * least(1, greatest(0,
    f.value / 10::numeric ^ least(greatest(f.value_decimals, 0), 30) / t.best)))::float8
  from (values ${SCALE_ROWS}) t(tag, best) where t.tag = f.tag1)`;

const funder = (h: string) =>
  `case when ${h}.funder is not null then json_build_object('address', ${h}.funder, 'sent', ${h}.funder_sent) end`;

/** Other agents that a client `c` of an agent `d` reviewed, each with the number of its reviewers as it was last counted. */
const RATED = `(
  select coalesce(json_agg(json_build_object('agent', o.agent_id::text, 'reviewers', g.reviewers)), '[]')
  from (
    select distinct f.registry, f.agent_id from (
      select f.registry, f.agent_id from onchain.erc8004_feedback f
      where f.client = c.client order by f.given_at limit ${MAX_OTHER_ENTRIES}) f
    where f.registry = d.registry and f.agent_id <> d.agent_id) o
  join offchain.review_figures g on g.registry = o.registry and g.agent_id = o.agent_id)`;

/** Owners and wallets of the agents that the side of an agent `d` reviewed. */
const MET = `array(
  select unnest(array[a.owner, a.agent_wallet]) from (
    select distinct f.registry, f.agent_id from (
      select f.registry, f.agent_id from onchain.erc8004_feedback f
      where f.client in (d.owner, d.agent_wallet) order by f.given_at limit ${MAX_AGENTS}) f) f
  join onchain.erc8004_agent a on a.registry = f.registry and a.agent_id = f.agent_id)`;

/** The newest entries of a client `c` about an agent `d`. */
const ENTRIES = `(
  select json_agg(json_build_object('index', f.feedback_index::text, 'value', ${VALUE},
    'tag', left(f.tag1, ${MAX_TAG}), 'revoked', f.revoked,
    'at', f.given_at, 'txHash', f.tx_hash))
  from (
    select * from onchain.erc8004_feedback f
    where f.registry = d.registry and f.agent_id = d.agent_id and f.client = c.client
    order by f.feedback_index desc limit ${MAX_ENTRIES}) f)`;

/**
 * What a client `c` had paid to the wallet of an agent `d` before it first reviewed it, in units, of payments that are not of the
 * agent's side. That it is the only payer takes nothing from it.
 */
const PAID = `(
  select coalesce(sum(p.units), 0)::float8 from offchain.income_payment p
  where p.directory_id = d.listed and p.payer = c.client and p.at < c.began and (p.rule is null or p.rule = 'one_payer'))`;

/** The facts as they are read: the entries of each reviewer with it. */
type ReadFacts = Pick<ReviewsFacts, "side"> & {
  reviewers: (ReviewsFacts["reviewers"][number] & { entries: Omit<ReviewsFacts["reviews"][number], "reviewer">[] })[];
};

const FACTS = statement({
  name: "review-facts",
  params: { registries: array(text), agentIds: array(text), schema: text, now: int8 },
  text: `
    with d as materialized (
      select a.registry, a.agent_id, a.owner, a.agent_wallet, ${SEEN} as seen, (
        select l.id from offchain.directory l
        where l.platform = '${ERC8004}' and l.agent_id = a.agent_id::text and l.registry = a.registry) as listed
      from unnest($registries::text[], $agentIds::text[]::numeric[]) r(registry, agent_id)
      join onchain.erc8004_agent a on a.registry = r.registry and a.agent_id = r.agent_id
    )
    select d.registry, d.agent_id::text as "agentId", d.seen, json_build_object(
      'side', (
        select json_agg(json_build_object('address', s.address, 'funder', ${funder("h")}, 'partners', '[]'::json))
        from (
          select d.owner as address union select d.agent_wallet where d.agent_wallet is not null
          union (select g.agent_address from onchain.agent g
            where g.owner = d.owner and ${walletConfirmed("g")} limit ${MAX_AGENTS})) s
        left join offchain.reviewer_history h on h.address = s.address),
      'reviewers', coalesce((
        select json_agg(json_build_object('address', c.client, 'firstAt', h.first_at, 'sent', h.sent,
          'previousAt', h.previous_at,
          'beganAt', (select min(f.given_at) from onchain.erc8004_feedback f where f.client = c.client),
          'funder', ${funder("h")}, 'origin', case when h.origin is not null then
            json_build_object('address', h.origin, 'sent', h.origin_sent) end, 'human', c.human,
          'agentCred', (select max(s.score) from onchain.agent g join offchain.cred s on s.token_id = g.token_id
            where g.owner = c.client),
          'paid', ${PAID} + ${PROVEN}, 'partners', '[]'::json, 'returned', c.client = any(m.met), 'rated', ${RATED}, 'entries', ${ENTRIES}))
        from (
          select b.client, b.began, ${isAttested("b.client", "$schema", "$now")} as human
          from (
            select f.client, min(f.given_at) as began from onchain.erc8004_feedback f
            where f.registry = d.registry and f.agent_id = d.agent_id group by f.client) b
          order by human desc, b.began, b.client limit ${MAX_REVIEWERS}) c
        left join offchain.reviewer_history h on h.address = c.client), '[]')) as facts
    from d cross join lateral (select ${MET} as met) m`,
  columns: { registry: text, agentId: text, seen: text, facts: json<ReadFacts>() },
});

/**
 * The facts of some agents, in one snapshot, bounded for each; agents that the index does not have are left out. Money between accounts
 * is not read: it counts as "none", which changes no reviewer's weight.
 */
export async function reviewFacts(
  db: Queryable,
  agents: readonly RegistryAgent[],
  { schema, now }: { schema: Hex; now: Date },
): Promise<(RegistryAgent & { seen: string; facts: ReviewsFacts })[]> {
  const found = await FACTS.rows(db, {
    registries: agents.map(({ registry }) => registry),
    agentIds: agents.map(({ agentId }) => agentId),
    schema,
    now: Math.floor(now.getTime() / 1_000),
  });
  return found.map(({ facts: { side, reviewers }, ...agent }) => ({
    ...agent,
    facts: {
      side,
      reviewers: reviewers.map(({ entries: _, ...reviewer }) => reviewer),
      reviews: reviewers.flatMap(({ address, entries }) => entries.map((entry) => ({ reviewer: address, ...entry }))),
    },
  }));
}
