/** The figures of reviewed agents: which are older than the index, and how they are stored. */
import type pg from "pg";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { RULES_VERSION, type SharedKey } from "../../core/reviews/rules.ts";
import { type Dimension, hasProof, type ReviewerWeight, type ReviewStats } from "../../core/reviews/stats.ts";
import { registrationsOf } from "../agents/canonical-identity.ts";
import { ERC8004 } from "../directory/erc8004-rows.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { AGENTS, isOf, type RegistryAgent, SUBJECTS } from "./review-facts.ts";

/** A cluster as it is stored: its id, how many it has, and what connects them. */
export type StoredCluster = { id: string; size: number; shares: SharedKey[] };

/** Agents whose figures are missing, older than the index or by other rules, those with few reviews first. */
export const staleStats = statement({
  name: "review-figures-stale",
  given: () => ({ rules: RULES_VERSION }),
  params: { rules: t.int2 },
  text: `
    select s.registry, s.agent_id::text as "agentId", s.reviews
    from ${SUBJECTS} s
    left join offchain.review_figures g on g.registry = s.registry and g.agent_id = s.agent_id
    where (s.reviews > 0 or g.agent_id is not null)
      and (g.seen is distinct from s.seen or g.rules <> $rules
        -- Something else than the index changed about reviewers of one of its registrations.
        or s.registry = '${OWN_PLATFORM}' and exists (
          select from offchain.agent_registration i
          join offchain.review_figures m on m.registry = i.registry and m.agent_id = i.agent_id and m.seen is null
          where i.token_id::numeric = s.agent_id))
    order by s.reviews, s.agent_id`,
  columns: { registry: t.filtered(t.text), agentId: t.filtered(t.text), reviews: t.filtered(t.int4) },
}).rows;

/** An agent that is to be weighed, with about how many reviews it has. */
export type DueAgent = RegistryAgent & { reviews: number };

/** Agents whose figures are the oldest: what is known of a reviewer changes without any change of the agent. */
export const oldestStats = statement({
  name: "review-figures-oldest",
  params: { before: t.timestamptz, limit: t.int8 },
  text: `
    select g.registry, g.agent_id::text as "agentId", g.reviewers as reviews from offchain.review_figures g
    where g.computed_at < $before order by g.computed_at limit $limit`,
  columns: { registry: t.text, agentId: t.text, reviews: t.int4 },
}).rows;

/** Counts the reviewers of some agents: the figures of other agents that they reviewed take it from there. */
export const countReviewers = statement({
  name: "review-figures-count",
  params: { agents: AGENTS },
  text: `
    insert into offchain.review_figures (registry, agent_id, reviewers)
    select agents.registry, agents.agent_id, (
      select count(distinct f.client)::int4 from onchain.erc8004_feedback f where ${isOf("f", "o")})
    from $agents cross join lateral ${registrationsOf("agents")} o
    order by agents.registry, agents.agent_id
    on conflict (registry, agent_id) do update set reviewers = excluded.reviewers
    where review_figures.reviewers <> excluded.reviewers`,
}).run;

/** Forgets agents that a reorganisation took back. */
export const forgetGone = statement({
  name: "review-figures-gone",
  text: `
    with gone as (
      delete from offchain.review_figures g
      where not exists (select from ${SUBJECTS} s where s.registry = g.registry and s.agent_id = g.agent_id)
      returning g.registry, g.agent_id
    ), files as (
      delete from offchain.review_file r using gone g where r.registry = g.registry and r.agent_id = g.agent_id)
    delete from offchain.review_weight w using gone g where w.registry = g.registry and w.agent_id = g.agent_id`,
}).run;

/** The figures of one agent as they are stored; before they were weighed all but the number of reviewers are null. */
export const FIGURES = {
  rules: t.filtered(t.int2),
  reviewers: t.int4,
  raw: t.nullable(t.float8),
  adjusted: t.nullable(t.float8),
  low: t.filtered(t.float8),
  high: t.filtered(t.float8),
  inflation: t.nullable(t.float8),
  voices: t.filtered(t.int4),
  crowd: t.filtered(t.float8),
  clusters: t.filtered(t.jsonb<StoredCluster[]>()),
  dimensions: t.filtered(t.jsonb<Dimension[]>()),
};
const STORED = { registry: t.text, agentId: t.numeric, seen: t.text, ...FIGURES };

const STORE_STATS = statement({
  name: "review-figures-store",
  params: { figures: t.records(STORED), now: t.timestamptz },
  text: `
    insert into offchain.review_figures (${t.namesOf(STORED)}, computed_at)
    select figures.*, $now from $figures order by figures.registry, figures.agent_id
    on conflict (registry, agent_id) do update set ${t.excludedOf(STORED)}, computed_at = excluded.computed_at`,
});

const TELL_DIRECTORY = statement({
  name: "review-figures-tell-directory",
  params: {
    figures: t.records({
      ...{ registry: t.text, agentId: t.numeric },
      ...{ adjusted: t.nullable(t.float8), low: t.float8, high: t.float8 },
    }),
  },
  text: `
    with changed as (
      select s.id from (select * from $figures) r
      join offchain.directory d on d.agent_id = r.agent_id::text and (d.platform = '${ERC8004}' and d.registry = r.registry
        or d.platform = '${OWN_PLATFORM}' and r.registry = '${OWN_PLATFORM}')
      join offchain.directory_score s on s.id = d.id
      left join offchain.review_figures g on g.registry = r.registry and g.agent_id = r.agent_id
      where (g.adjusted, g.low, g.high) is distinct from (r.adjusted, r.low, r.high)
      -- In the order of all who write many rows of the directory.
      order by s.id for update of s
    )
    update offchain.directory_score s set changed_xid = pg_current_xact_id() from changed c where s.id = c.id`,
});

const STORE_WEIGHTS = statement({
  name: "review-weights-store",
  params: {
    agents: t.records({ place: t.int4, registry: t.text, agentId: t.numeric }),
    weights: t.records({
      place: t.int4,
      address: t.text,
      rank: t.int2,
      nothing: t.nullable(t.text),
      evidenceLevel: t.text,
      share: t.float8,
      cluster: t.nullable(t.text),
      entries: t.int4,
    }),
  },
  text: `
    with agents as materialized (select * from $agents), given as materialized (
      select a.registry, a.agent_id, r.address as client, r.rank, r.nothing, r.evidence_level as standing, r.share, r.cluster, r.entries
      from (select * from $weights) r join agents a on a.place = r.place
    ), left_over as (
      delete from offchain.review_weight w using agents a
      -- "not in" is one hash; the planner, which knows no size of given, would walk it for each row of "not exists".
      where w.registry = a.registry and w.agent_id = a.agent_id
        and (w.registry, w.agent_id, w.client) not in (select g.registry, g.agent_id, g.client from given g)
    )
    insert into offchain.review_weight as w (registry, agent_id, client, rank, nothing, standing, share, cluster, entries)
    select g.* from given g
    left join offchain.review_weight w on w.registry = g.registry and w.agent_id = g.agent_id and w.client = g.client
    -- A row that is offered and not changed would be locked, which is a write.
    where w.client is null or (w.nothing, w.standing, w.share, w.cluster, w.entries) is distinct from
      (g.nothing, g.standing, g.share, g.cluster, g.entries)
    order by g.registry, g.agent_id, g.client
    on conflict (registry, agent_id, client) do update set rank = excluded.rank, nothing = excluded.nothing, standing = excluded.standing,
      share = excluded.share, cluster = excluded.cluster, entries = excluded.entries`,
});

/**
 * Stores the figures of some agents with what each reviewer counts, in one commit. Only weights that changed are written:
 * a review of an agent of many changes few.
 * Check then write: facts in one snapshot, then figures and weights; the index may change, or another worker weigh: `seen`
 * is stored with the figures, so those of older facts are stale for the next run, and rows are written in one order.
 * Rows of the directory whose figures change are marked as changed: discovery ranks by them.
 */
export const storeStats = (pool: pg.Pool, found: readonly WeighedAgent[], now: Date): Promise<void> =>
  transaction(pool, (tx) => writeStats(tx, found, now));

/** An agent with its figures. `seen` is of the facts that they were computed from. */
type WeighedAgent = RegistryAgent & { seen: string; weighed: ReviewStats };

/** `storeStats` as a part of the caller's transaction. */
export async function writeStats(tx: Queryable, found: readonly WeighedAgent[], now: Date): Promise<void> {
  const figures = found.map(({ weighed: { reviewers, clusters, interval, ...weighed }, ...agent }) => ({
    ...agent,
    ...weighed,
    reviewers: reviewers.length,
    low: interval[0],
    high: interval[1],
    clusters: clusters.map(({ id, reviewers: members, shares }) => ({ id, size: members.length, shares })),
  }));
  await TELL_DIRECTORY.run(tx, { figures });
  await STORE_STATS.run(tx, { figures, now });
  const rankOf = (one: ReviewerWeight) => (one.nothing !== null ? 2 : hasProof(one.evidenceLevel) ? 0 : 1);
  const weights = found.flatMap(({ weighed }, i) =>
    weighed.reviewers.map((one) => ({ place: i + 1, rank: rankOf(one), ...one })),
  );
  await STORE_WEIGHTS.run(tx, { agents: found.map((agent, i) => ({ place: i + 1, ...agent })), weights });
}
