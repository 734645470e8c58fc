/** SQL of what reviews in the canonical ERC-8004 reputation registry say: which clients count, and how each rates an agent. */

/** Known clients of one agent whose ratings are read, and of each client its newest ratings. */
const [MAX_CLIENTS, MAX_OF_CLIENT] = [500, 100];
/** Ratings of one agent in which known clients are looked for: each costs its writer a transaction. */
const MAX_RATINGS = 20_000;
/** What the value of a rating is at its best, by its `tag1`: values of other tags have units that say nothing of good or bad. */
const SCALES: Record<string, 1 | 100> = {
  "": 100,
  starred: 100,
  uptime: 100,
  successRate: 100,
  reachable: 1,
  ownerVerified: 1,
};
/** The scales as rows of SQL: tag, best. */
export const SCALE_ROWS = Object.entries(SCALES)
  .map(([tag, best]) => `('${tag}', ${best})`)
  .join(", ");
const READABLE = Object.keys(SCALES)
  .map((tag) => `'${tag}'`)
  .join(", ");

/** The cred of the best agent that a client owns or is the wallet of; null for one that is unknown here. */
const credOfClient = (client: string): string => `(
  select max(c.score) from onchain.agent g join offchain.cred c on c.token_id = g.token_id
  where g.owner = ${client} or g.agent_address = ${client})`;

/**
 * How a client rates an agent, 0 to 1: the mean of its newest standing ratings of each tag; null where none has a scale.
 * @param d alias of an agent with `registry` and `token_id`, its id in the registry
 */
export const ratingBy = (client: string, d: string): string => `(
  select avg(least(1, greatest(0, n.value / 10::numeric ^ least(greatest(n.value_decimals, 0), 30) / n.best)))::float8
  from (
    select distinct on (f.tag1) f.value, f.value_decimals, t.best
    from (
      select * from onchain.erc8004_feedback f
      where f.registry = ${d}.registry and f.agent_id = ${d}.token_id and f.client = ${client}
      order by f.feedback_index desc limit ${MAX_OF_CLIENT}) f
    join (values ${SCALE_ROWS}) t(tag, best) on t.tag = f.tag1
    where not f.revoked
    order by f.tag1, f.feedback_index desc) n)`;

/**
 * The clients whose ratings of an agent count, as `client`, `score` and `rating`: those that own an agent of the service, or
 * are its wallet, and are not the rated agent's own owner or wallet. Clients are known before their number is bounded:
 * anyone may write any number of ratings.
 * @param d alias of an agent with `registry`, `token_id`, `owner_address` and `address`
 */
export const countingClients = (d: string): string => `
  select k.client, k.score, k.rating from (
    select k.client, k.score, ${ratingBy("k.client", d)} as rating from (
      select c.client, c.score from (
        select f.client, ${credOfClient("f.client")} as score
        from (
          select distinct f.client
          from (
            select * from onchain.erc8004_feedback f
            where f.registry = ${d}.registry and f.agent_id = ${d}.token_id limit ${MAX_RATINGS}) f
          where not f.revoked and f.tag1 in (${READABLE})
            and f.client is distinct from ${d}.owner_address and f.client is distinct from ${d}.address) f) c
      where c.score > 0 order by c.score desc, c.client limit ${MAX_CLIENTS}) k) k
  where k.rating is not null`;

/** An entry `f` as `Review`. */
export const REVIEW = `json_build_object(
  'client', f.client, 'index', f.feedback_index::text, 'value', f.value::text, 'decimals', f.value_decimals,
  'tag1', f.tag1, 'tag2', f.tag2, 'uri', f.feedback_uri, 'revoked', f.revoked, 'givenAt', f.given_at,
  'txHash', f.tx_hash,
  'responses', (select count(*) from onchain.erc8004_response s where s.registry = f.registry
    and s.agent_id = f.agent_id and s.client = f.client and s.feedback_index = f.feedback_index))`;
