/** The histories of reviewers: whose are not read yet, and how they are stored. */
import type { Address } from "../../core/agents/facts.ts";
import { type AccountHistory, UNKNOWN_HISTORY } from "../../core/reviews/facts.ts";
import { reviewerHistory } from "../schema/reviews.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** Raised with what is read of a history: each is read again then. */
const READER_VERSION = 2;

/** Turns that an agent has had count up to this: agents with many reviewers do not fall behind new ones for ever. */
const MAX_TURNS = 20;

/**
 * Reviewers whose history is to be read, each with the block of its first review: those with proof first, then in turns of
 * the agents that they reviewed, and in a turn by the time of the first review. An agent's turn counts what was read for
 * it before, so that throwaway reviewers of one agent wait for each other, and not others for them.
 * @param due.before Unix seconds: later reviews may still be taken back
 */
export const dueHistories = statement({
  name: "reviewer-histories-due",
  params: { now: t.timestamptz, before: t.int8, limit: t.int8 },
  text: `
    with weighed as (
      select w.registry, w.agent_id, w.client, w.rank, h.address is null or coalesce(h.next_try_at <= $now, h.reader < ${READER_VERSION}) as due
      from offchain.review_weight w left join offchain.reviewer_history h on h.address = w.client
      where w.nothing is null
    ), had as materialized (
      select registry, agent_id, count(*) as turns from weighed where not due group by registry, agent_id
    ), firsts as materialized (
      select d.client, f.block, f.given_at from (select distinct client from weighed where due) d
      cross join lateral (
        select f.block, f.given_at from onchain.erc8004_feedback f
        where f.client = d.client order by f.given_at, f.block limit 1) f
      where f.given_at < $before
    ), turns as (
      select w.client, w.rank, f.block, f.given_at,
        row_number() over (partition by w.registry, w.agent_id order by w.rank, f.given_at, w.client)
          + least(${MAX_TURNS}, coalesce(k.turns, 0)) as turn
      from weighed w join firsts f on f.client = w.client
      left join had k on k.registry = w.registry and k.agent_id = w.agent_id where w.due
    )
    select client, block from (
      select distinct on (client) client, block, rank, turn, given_at from turns order by client, rank, turn) each
    order by rank, turn, given_at, client limit $limit`,
  columns: { client: t.narrow<Address>(t.text), block: t.int8 },
}).rows;

const HISTORY = columnsOf(reviewerHistory, { without: ["reader"] });

/** Stores a history, or with null when to look again. */
export const storeHistory = statement({
  name: "reviewer-history-store",
  given: (address: Address, history: AccountHistory | null, nextTryAt: Date | null) => {
    const { funder, origin, ...known } = history ?? UNKNOWN_HISTORY;
    return {
      ...{ address, nextTryAt, ...known },
      ...{ funder: funder?.address ?? null, funderSent: funder?.sent ?? null },
      ...{ origin: origin?.address ?? null, originSent: origin?.sent ?? null },
    };
  },
  params: HISTORY,
  // The figures of all agents that it reviewed are computed again.
  text: `
    with stored as (
      insert into offchain.reviewer_history (${t.namesOf(HISTORY)}, reader)
      values (${t.valuesOf(HISTORY)}, ${READER_VERSION})
      on conflict (address) do update set ${t.excludedOf(HISTORY)}, reader = excluded.reader
    )
    update offchain.review_figures g set seen = null
    where $nextTryAt::timestamptz is null and (g.registry, g.agent_id) in (
      select f.registry, f.agent_id from onchain.erc8004_feedback f where f.client = $address order by f.given_at limit 1000)`,
}).run;
