/** Reviews of an agent in the canonical ERC-8004 reputation registry: the clients by weight, and each entry of a client. */
import { MAX_ENTRIES, type Review, type Reviewer } from "../../core/directory/reviews.ts";
import { array, bool, float8, int2, int4, int8, json, nullable, numeric, statement, text } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";
import { countingClients, REVIEW, ratingBy } from "./reviews-sql.ts";

/** An agent that is reviewed. @param owner, wallet lower-case */
export type ReviewedAgent = { registry: string; agentId: string; owner: string | null; wallet: string | null };

const AGENT = { registry: text, agentId: numeric };
/** The agent as `countingClients` reads it. */
const RATED = `(select $registry::text as registry, $agentId::numeric as token_id, $owner::text as owner_address,
    $wallet::text as address)`;

const COUNTING = statement({
  name: "erc8004-counting-clients",
  params: { ...AGENT, owner: nullable(text), wallet: nullable(text) },
  text: `
    select k.client, k.score, k.rating from ${RATED} d cross join lateral (${countingClients("d")}) k
    order by k.score desc, k.client`,
  columns: { client: text, score: int2, rating: float8 },
});

/** Whose ratings count, the most known first. */
export const countingReviewers = (
  db: Queryable,
  agent: ReviewedAgent,
): Promise<{ client: string; score: number; rating: number }[]> => COUNTING.rows(db, agent);

/** SQL of the next client of an agent after one. */
const nextAfter = (client: string) => `(
  select f.client from onchain.erc8004_feedback f
  where f.registry = $registry and f.agent_id = $agentId::numeric and f.client > ${client}
  order by f.client limit 1)`;

const OTHERS = statement({
  name: "erc8004-other-clients",
  params: { ...AGENT, after: text, counting: array(text), limit: int8 },
  // One step of the index for each client, whatever it has written.
  text: `
    with recursive step as (
      select ${nextAfter("$after")} as client
      union all
      select ${nextAfter("s.client")} from step s where s.client is not null
    )
    select client from step where client is not null and client <> all($counting) limit $limit`,
  columns: { client: text },
});

/** Clients other than those that count, in the order of their addresses. @param after lower-case; empty for the first */
export const otherReviewers = async (
  db: Queryable,
  { registry, agentId }: ReviewedAgent,
  page: { after: string; counting: readonly string[]; limit: number },
): Promise<string[]> => (await OTHERS.rows(db, { registry, agentId, ...page })).map(({ client }) => client);

const REVIEWERS = statement({
  name: "erc8004-reviewers",
  params: { ...AGENT, owner: nullable(text), wallet: nullable(text), clients: array(text) },
  text: `
    select c.client, c.client is not distinct from d.owner_address or c.client is not distinct from d.address as own,
      ${ratingBy("c.client", "d")} as rating, e.entries, e.taken_back as "takenBack", e.last_at as "lastAt",
      (select f.given_at from onchain.erc8004_feedback f
       where f.registry = d.registry and f.agent_id = d.token_id and f.client = c.client
       order by f.feedback_index limit 1) as "firstAt",
      (select ${REVIEW} from onchain.erc8004_feedback f
       where f.registry = d.registry and f.agent_id = d.token_id and f.client = c.client
       order by f.feedback_index desc limit 1) as latest,
      (select json_build_object('tokenId', g.token_id, 'name', g.name, 'credScore', s.score)
       from onchain.agent g join offchain.cred s on s.token_id = g.token_id
       where g.owner = c.client or g.agent_address = c.client
       order by s.score desc, g.token_id limit 1) as agent
    from ${RATED} d cross join unnest($clients::text[]) with ordinality c(client, place)
    cross join lateral (
      select count(*)::int4 as entries, count(*) filter (where f.revoked)::int4 as taken_back, max(f.given_at) as last_at
      from (
        select f.revoked, f.given_at from onchain.erc8004_feedback f
        where f.registry = d.registry and f.agent_id = d.token_id and f.client = c.client
        order by f.feedback_index desc limit ${MAX_ENTRIES}) f) e
    order by c.place`,
  columns: {
    client: text,
    own: bool,
    rating: nullable(float8),
    entries: int4,
    takenBack: int4,
    lastAt: int8,
    firstAt: int8,
    latest: json<Review>(),
    agent: nullable(json<Reviewer["agent"]>()),
  },
});

/** What is known of clients of an agent, in their order. */
export const reviewers = (db: Queryable, agent: ReviewedAgent, clients: readonly string[]): Promise<Reviewer[]> =>
  clients.length === 0 ? Promise.resolve([]) : REVIEWERS.rows(db, { ...agent, clients });

const ENTRIES = statement({
  name: "erc8004-reviews-of-client",
  params: { ...AGENT, client: text, before: nullable(numeric), limit: int8 },
  text: `
    select ${REVIEW} as review from onchain.erc8004_feedback f
    where f.registry = $registry and f.agent_id = $agentId::numeric and f.client = $client
      and ($before::numeric is null or f.feedback_index < $before::numeric)
    order by f.feedback_index desc limit $limit`,
  columns: { review: json<Review>() },
});

/** What one client wrote about an agent, the newest first. @param before an index: only entries before it */
export const reviewsOf = async (
  db: Queryable,
  { registry, agentId }: ReviewedAgent,
  page: { client: string; before: string | null; limit: number },
): Promise<Review[]> => (await ENTRIES.rows(db, { registry, agentId, ...page })).map(({ review }) => review);

const TOTAL = statement({
  name: "erc8004-feedback-count",
  params: AGENT,
  text: `
    select feedback_count as total from onchain.erc8004_agent where registry = $registry and agent_id = $agentId::numeric`,
  columns: { total: int4 },
});

/** Entries about an agent that were not taken back. */
export const reviewCount = async (db: Queryable, { registry, agentId }: ReviewedAgent): Promise<number> =>
  (await TOTAL.maybeOne(db, { registry, agentId }))?.total ?? 0;
