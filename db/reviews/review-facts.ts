/** Reads what `computeReviews` is given: the reviews of agents and what the chain proves about their reviewers, any number of agents at once. */

import { ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { MAX_TAG, type ReviewsFacts } from "../../core/reviews/facts.ts";
import { MAX_ENTRIES } from "../../core/reviews/rules.ts";
import { isAttested } from "../agents/attestations.ts";
import { ownerActed, registrationsOf } from "../agents/canonical-identity.ts";
import { walletConfirmed } from "../agents/wallets.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { SCALE_ROWS } from "../directory/reviews-sql.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

/**
 * Whose reviews are weighed together: a registration, by the registry's address and its number; or an own agent with all
 * registrations that it ever had, by `OWN_PLATFORM` and its token.
 */
export type RegistryAgent = { registry: string; agentId: string };

/**
 * Of one agent, the reviewers that are weighed: those with proof, then those who came first. What is left out belongs to
 * the crowd, which divides one weight however many it has.
 */
const MAX_REVIEWERS = 10_000;
/** Of one reviewer, its first entries in which other agents are looked for; of an owner, the agents that it reviewed, and the oldest that it has here. */
const [MAX_OTHER_ENTRIES, MAX_AGENTS] = [200, 1_000];

/** The state of a registration `a` that its figures follow from, as its index changes with it. */
const SEEN = "a.agent_id || ':' || a.updated_block || ':' || a.feedback_count";
/** The same of several. */
const SEEN_OF_ALL = `string_agg(${SEEN}, ' ' order by a.agent_id)`;

/** SQL of the agents that have reviews, or had: registry and number, how many reviews, and the state that their figures follow from. */
export const SUBJECTS = `(
  select a.registry, a.agent_id, a.feedback_count as reviews, ${SEEN} as seen from onchain.erc8004_agent a
  union all
  select '${OWN_PLATFORM}', i.token_id::numeric, sum(a.feedback_count)::int4, ${SEEN_OF_ALL}
  from offchain.agent_registration i
  join onchain.erc8004_agent a on a.registry = i.registry and a.agent_id = i.agent_id group by i.token_id)`;

/** The value of an entry `f`, 0 to 100; null where its tag has no scale. */
export const VALUE = `(select (100 * least(1, greatest(0,
    f.value / 10::numeric ^ least(greatest(f.value_decimals, 0), 30) / t.best)))::float8
  from (values ${SCALE_ROWS}) t(tag, best) where t.tag = f.tag1)`;

const funder = (h: string) =>
  `case when ${h}.funder is not null then json_build_object('address', ${h}.funder, 'sent', ${h}.funder_sent) end`;

/** Whether a row `x` that has a registry and an agent's number is of the registrations `o`. */
export const isOf = (x: string, o: string) => `${x}.registry = ${o}.contract and ${x}.agent_id = any(${o}.ids)`;

/** The entries of a client about the registrations `o` that count: its newest, the newest first. @param client SQL of its address */
export const newestBy = (client: string, o: string) => `(
  select f.* from unnest(${o}.ids) u(id) cross join lateral (
    select * from onchain.erc8004_feedback f
    where f.registry = ${o}.contract and f.agent_id = u.id and f.client = ${client}
    order by f.feedback_index desc limit ${MAX_ENTRIES}) f
  order by f.given_at desc, f.agent_id desc, f.feedback_index desc limit ${MAX_ENTRIES})`;

/** Other agents that a client `c` of an agent `d` reviewed, each with the number of its reviewers as it was last counted. */
const RATED = `(
  select coalesce(json_agg(json_build_object('agent', o.agent_id::text, 'reviewers', g.reviewers)), '[]')
  from (
    select distinct f.registry, f.agent_id from (
      select f.registry, f.agent_id from onchain.erc8004_feedback f
      where f.client = c.client order by f.given_at limit ${MAX_OTHER_ENTRIES}) f
    where not (${isOf("f", "d")})) o
  join offchain.review_figures g on g.registry = o.registry and g.agent_id = o.agent_id)`;

/**
 * SQL of the side of an agent `d`: who has registered it, its wallets, and owners by an act of their own. An owner that was only
 * sent the token has done nothing: else a transfer to a critic, or to who gave critics their first money, would void their
 * reviews. The registry unsets the wallet in a transfer, so an owner with a wallet has acted.
 */
const SIDE = `
  with acted as materialized (
    select a.owner as address from onchain.erc8004_agent a
    where ${isOf("a", "o")} and (a.agent_wallet is not null or not exists (
      select from onchain.transfer x where x.contract = a.registry and x.token_id = a.agent_id and x."from" <> '${ZERO_ADDRESS}'))
    union
    select x."to" from onchain.transfer x
    where x.contract = o.contract and x.token_id = any(o.ids) and x."from" = '${ZERO_ADDRESS}'
    union
    select g.owner from onchain.agent g where g.token_id = o.own and ${ownerActed("g")})
  select address from acted
  union
  select a.agent_wallet from onchain.erc8004_agent a where ${isOf("a", "o")} and a.agent_wallet is not null
  union
  select i.wallet from offchain.agent_registration i where ${isOf("i", "o")}
  union
  (select g.agent_address from acted join onchain.agent g on g.owner = acted.address
    where ${ownerActed("g")} and ${walletConfirmed("g")} order by g.token_id limit ${MAX_AGENTS})`;

/** Owners and wallets of the agents that the side of an agent `d` reviewed. */
const MET = `array(
  select unnest(array[a.owner, a.agent_wallet]) from (
    select distinct f.registry, f.agent_id from (
      select f.registry, f.agent_id from onchain.erc8004_feedback f
      where f.client = any(d.side) order by f.given_at limit ${MAX_AGENTS}) f) f
  join onchain.erc8004_agent a on a.registry = f.registry and a.agent_id = f.agent_id)`;

/** The entries of a client `c` about an agent `d` that are weighed. */
const ENTRIES = `(
  select json_agg(json_build_object('index', f.feedback_index::text, 'value', ${VALUE},
    'tag', left(f.tag1, ${MAX_TAG}), 'revoked', f.revoked,
    'at', f.given_at, 'txHash', f.tx_hash))
  from ${newestBy("c.client", "d")} f)`;

/**
 * What a client `c` had paid to the wallets of an agent `d` before it first reviewed it, in units, of payments that are not of the
 * side of any of its rows that has the wallet. That it is the only payer takes nothing from it.
 */
const PAID = `(
  select coalesce(sum(p.units), 0)::float8 from (
    select min(p.units) as units from offchain.income_payment p
    where p.directory_id = any(d.listed) and p.payer = c.client and p.at < c.began
    group by p.block, p.log_index having bool_and(p.rule is null or p.rule = 'one_payer')) p)`;

/**
 * Whether an earlier review has the payment of a file `r` for its proof: one payment to a wallet proves one, of whichever
 * registration with that wallet.
 */
export const IS_USED = `exists (
  select from offchain.review_file e
  where e.proof_tx = r.proof_tx and e.payer = r.payer and e.proof_state = 'paid' and e.proof_wallet = r.proof_wallet
    and (e.given_at, e.client, e.agent_id, e.feedback_index) < (r.given_at, r.client, r.agent_id, r.feedback_index))`;

/**
 * What a client `c` had paid to the wallet that an agent `d` had before it first reviewed it, in units, by the transactions that its
 * reviews name: what the wallet is now is up to the agent. Those that are read as income are counted there, or removed by its rules.
 */
const PROVEN = `(
  select coalesce(sum(r.units), 0)::float8 from offchain.review_file r
  where r.registry = d.contract and r.agent_id = any(d.ids) and r.client = c.client and r.proof_state = 'paid'
    and r.paid_at < c.began and not ${IS_USED}
    and not exists (
      select from offchain.income_payment p
      where p.directory_id = any(d.listed) and p.tx_hash = r.proof_tx and p.payer = r.payer))`;

/** Some agents as the parameter of a statement. */
export const AGENTS = t.records({ registry: t.text, agentId: t.numeric });

/** The facts as they are read: the entries of each reviewer with it. */
type ReadFacts = Pick<ReviewsFacts, "side"> & {
  reviewers: (ReviewsFacts["reviewers"][number] & { entries: Omit<ReviewsFacts["reviews"][number], "reviewer">[] })[];
};

const FACTS = statement({
  name: "review-facts",
  params: { agents: AGENTS, schema: t.text, now: t.int8 },
  text: `
    with o as materialized (
      select r.*, i.contract, i.ids, case when r.registry = '${OWN_PLATFORM}' then r.agent_id::int8 end as own
      from (select * from $agents) r cross join lateral ${registrationsOf("r")} i
    ), d as materialized (
      select o.*, (select ${SEEN_OF_ALL} from onchain.erc8004_agent a where ${isOf("a", "o")}) as seen,
        array(select s.address from (${SIDE}) s) as side,
        array(
          select l.id from offchain.directory l
          where l.platform = '${ERC8004}' and l.agent_id = any(o.ids::text[]) and l.registry = o.contract
            or l.platform = '${OWN_PLATFORM}' and l.agent_id = o.own::text) as listed
      from o
    )
    select d.registry, d.agent_id::text as "agentId", d.seen, json_build_object(
      'side', coalesce((
        select json_agg(json_build_object('address', s.address, 'funder', ${funder("h")}, 'partners', '[]'::json))
        from unnest(d.side) s(address)
        left join offchain.reviewer_history h on h.address = s.address), '[]'),
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
            where ${isOf("f", "d")} group by f.client) b
          order by human desc, b.began, b.client limit ${MAX_REVIEWERS}) c
        left join offchain.reviewer_history h on h.address = c.client), '[]')) as facts
    from d cross join lateral (select ${MET} as met) m
    where d.seen is not null`,
  columns: { registry: t.text, agentId: t.text, seen: t.filtered(t.text), facts: t.json<ReadFacts>() },
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
  const rows = await FACTS.rows(db, { agents, schema, now: Math.floor(now.getTime() / 1_000) });
  return rows.map(({ facts: { side, reviewers }, ...agent }) => ({
    ...agent,
    facts: {
      side,
      reviewers: reviewers.map(({ entries: _, ...reviewer }) => reviewer),
      reviews: reviewers.flatMap(({ address, entries }) => entries.map((entry) => ({ reviewer: address, ...entry }))),
    },
  }));
}
