/** Events of reviews in the canonical ERC-8004 registry, for the changes of the index that the dispatcher has claimed. */
import { checksum, ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { decimalText } from "../../core/directory/reviews.ts";
import { MAX_PER_DAY } from "../../core/events/events.ts";
import { isAttested } from "../agents/attestations.ts";
import { ownTokenOf, recordRegistrations } from "../agents/canonical-identity.ts";
import type { NewEvent } from "../events/append-events.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

const CLAIMED = statement({
  name: "reviews-claimed",
  params: { keys: t.array(t.text), since: t.int8, schema: t.text, now: t.int8 },
  // A change names its agent and transaction: the first change there is the first review there, and so on. Whether a review is
  // an event follows from it and from those before it on its day.
  text: `
    with claimed as materialized (
      select d.key, d.event_id, d.block, d.returns from offchain.dispatch d
      where d.key = any($keys) and d.kind = 'erc8004.feedback_given' and d.block_at >= $since
    ), change as materialized (
      select o.block_hash || '-' || o.id as key, o.tx_hash, o.agent_id, o.block_at,
        row_number() over (partition by o.tx_hash, o.agent_id order by o.id) as place
      from onchain.index_changes o
      where o.block in (select block from claimed) and o.kind = 'erc8004.feedback_given'
    ), agent as materialized (
      select e.registry, e.agent_id, e.owner, e.agent_wallet, min(o.block_at) as first, (${ownTokenOf("e")}) as token_id
      from claimed c join change o on o.key = c.key
      join onchain.erc8004_agent e
        on e.registry = (select registry from onchain.erc8004_agent limit 1) and e.agent_id = o.agent_id
      group by e.registry, e.agent_id, e.owner, e.agent_wallet
    ), placed as materialized (
      select f.*, f.given_at / 86400 as day,
        row_number() over (partition by f.tx_hash, f.agent_id order by f.client, f.feedback_index) as place,
        row_number() over (partition by f.agent_id, f.given_at / 86400
          order by f.given_at, f.client, f.feedback_index) as of_day,
        row_number() over (partition by f.agent_id, f.given_at / 86400, f.client
          order by f.given_at, f.feedback_index) as of_client
      from agent a join onchain.erc8004_feedback f
        on f.registry = a.registry and f.agent_id = a.agent_id and f.given_at >= a.first / 86400 * 86400
    ), review as materialized (
      select p.*, count(*) filter (where p.of_client = 1) over (
        partition by p.agent_id, p.day order by p.given_at, p.client, p.feedback_index) as reviewers
      from placed p
    )
    select c.key, c.block, c.returns, o.block_at as at, r.tx_hash as "txHash", a.registry, a.agent_id::text as "agentId", a.owner,
      nullif(a.agent_wallet, '${ZERO_ADDRESS}') as wallet, a.token_id as "tokenId", r.client,
      r.feedback_index::text as index, r.value::text as value, r.value_decimals as decimals, left(r.tag1, 64) as tag1,
      left(r.tag2, 64) as tag2
    from claimed c join change o on o.key = c.key
    join agent a on a.agent_id = o.agent_id
    join review r on r.tx_hash = o.tx_hash and r.agent_id = o.agent_id and r.place = o.place
    where r.of_day <= ${MAX_PER_DAY}
      or r.of_client = 1 and (r.reviewers <= ${MAX_PER_DAY} or ${isAttested("r.client", "$schema", "$now")})
    order by c.event_id`,
  columns: {
    key: t.text,
    block: t.int8,
    returns: t.int4,
    at: t.int8,
    txHash: t.narrow<Hex>(t.text),
    registry: t.narrow<Address>(t.text),
    agentId: t.text,
    owner: t.narrow<Address>(t.text),
    wallet: t.nullable(t.narrow<Address>(t.text)),
    tokenId: t.nullable(t.int8),
    client: t.narrow<Address>(t.text),
    index: t.text,
    value: t.text,
    decimals: t.int4,
    tag1: t.text,
    tag2: t.text,
  },
});

/**
 * The events of the reviews among claimed changes, one for each, in the chain's order. They are retracted and made final with
 * the changes.
 * Bound: of a registration on a day (UTC), by the chain: of each attested person the first review; the first reviews of a
 * hundred other accounts; and others among the day's first hundred reviews. So one account takes no other's event, and no
 * later review changes what was decided: claims come in batches.
 * @param keys of changes in `offchain.dispatch`
 * @param of.records as in `recordRegistrations` @param of.since no event of older reviews @param of.finalBlock last final block
 * @param of.schema of attestations of persons
 */
export async function reviewEvents(
  tx: Queryable,
  keys: readonly string[],
  of: { records: string; since: Date; now: Date; schema: Hex; finalBlock: number },
): Promise<NewEvent[]> {
  if (keys.length === 0) return [];
  // The event names the own agent, which the registration may have become a moment ago.
  await recordRegistrations(tx, { records: of.records, reviewed: keys });
  const [since, now] = [Math.ceil(of.since.getTime() / 1_000), Math.floor(of.now.getTime() / 1_000)];
  const rows = await CLAIMED.rows(tx, { keys, since, now, schema: of.schema });
  return rows.map(({ key, block, returns, at, txHash, tokenId, owner, wallet, ...review }) => ({
    type: "agent.reviewed",
    data: {
      registry: checksum(review.registry),
      agentId: review.agentId,
      client: checksum(review.client),
      index: review.index,
      value: decimalText(review.value, review.decimals),
      tags: [review.tag1, review.tag2].filter((tag) => tag !== ""),
    },
    fact: `${key} ${returns} review`,
    tokenId,
    at: new Date(at * 1_000),
    chain: {
      key,
      block,
      txHash,
      final: block <= of.finalBlock,
      agentAddress: wallet,
      owner,
      formerOwner: null,
    },
  }));
}
