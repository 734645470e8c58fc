/**
 * The sequencer of the event log: assigns positions to appended events, appends events of score changes, and assigns
 * positions in the sequence of final events. It runs one pass at a time, so that positions become visible in their order
 * and no reader by position misses one.
 */
import { TIERS, tierWord } from "../../core/cred/tiers.ts";
import { settledCredId } from "../cred/cred-updates.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { eventIdSql, retractSql } from "./append-events.ts";

/** Of each kind. */
const ROWS_PER_PASS = 5_000;

/** Whether a pass would find something, as far as this transaction sees without waiting for a lock. */
export const isSequencingDue = statement({
  name: "event-sequence-due",
  text: `
      select exists (select from offchain.event where position is null)
          or exists (select from offchain.cred_history where id > l.cred_after)
          or exists (select from offchain.cred_correction where id > l.cred_after)
          or exists (select from offchain.event
                     where final and final_position is null and position is not null and not retracted and retracts is null)
          or exists (select from offchain.event e, offchain.dispatcher_state d
                     where not e.final and not e.retracted and e.type = 'cred.changed' and e.block <= d.settled_block) as due
      from offchain.event_log l`,
  columns: { due: t.bool },
  prepared: true,
}).onlyValue;

const LOCK_LOG = statement({
  name: "event-log-lock",
  text: `select head, cred_after as "credAfter" from offchain.event_log for update`,
  columns: { head: t.int8, credAfter: t.int8 },
});
const MOVE_LOG = statement({
  name: "event-log-move",
  params: { head: t.int8, credAfter: t.int8 },
  text: "update offchain.event_log set head = $head, cred_after = $credAfter",
});

/**
 * One pass, in a transaction of the caller's that is READ COMMITTED: it sees what others commit while it waits.
 * Check then write: head and settled ids, then places; late commits may come: the row lock of `event_log` makes places
 * unique, and ids are read up to `settledCredId` only.
 * @param since start of the log: first scores of agents registered before it are not appended
 * @returns the log's head, and whether there may be more to do
 */
export async function sequenceEvents(tx: Queryable, since: Date): Promise<{ head: number; more: boolean }> {
  const log = await LOCK_LOG.one(tx);
  const settled = await settledCredId(tx);
  const scores = await scoreRange(tx, log.credAfter, settled);
  if (scores.through > log.credAfter) await RETRACT_SCORES.run(tx, { after: log.credAfter, through: scores.through });
  const appended = await assignPositions(tx, log.head);
  const scored = await appendScores(tx, log.head + appended, { after: log.credAfter, through: scores.through, since });
  await finalizeScores(tx);
  const finals = await assignFinalPositions(tx, log.head + appended + scored);
  const head = log.head + appended + scored + finals;
  if (head > log.head || scores.through > log.credAfter) await MOVE_LOG.run(tx, { head, credAfter: scores.through });
  return { head, more: appended === ROWS_PER_PASS || finals === ROWS_PER_PASS || scores.through < settled };
}

/** Id of the score history up to which this pass appends events: at most `ROWS_PER_PASS` points. */
async function scoreRange(tx: Queryable, after: number, settled: number): Promise<{ through: number }> {
  if (settled <= after) return { through: after };
  const last = await LAST_OF_BATCH.maybeOne(tx, { after, settled, skipped: ROWS_PER_PASS - 1 });
  return { through: last?.id ?? settled };
}

const LAST_OF_BATCH = statement({
  name: "cred-history-batch",
  params: { after: t.int8, settled: t.int8, skipped: t.int8 },
  text: `
    select id from offchain.cred_history where id > $after and id <= $settled order by id offset $skipped limit 1`,
  columns: { id: t.int8 },
  prepared: true,
});

/**
 * Condition on events of score changes that were undone: `$after` and `$through` are bounds of the ids of corrections. A
 * point that is missing because the history of its month is no longer kept was not undone.
 */
const VANISHED_SCORES = `
  e.type = 'cred.changed'
  and e.token_id in (select token_id from offchain.cred_correction where id > $after and id <= $through)
  and substr(e.source, 6)::int8 >= (select min(number) << 30 from offchain.cred_history_period)
  and not exists (select from offchain.cred_history h where h.id = substr(e.source, 6)::int8)`;

const RETRACT_SCORES = statement({
  name: "retract-scores",
  params: { after: t.int8, through: t.int8 },
  text: retractSql(VANISHED_SCORES),
});

/** SQL of the place after `$head` of a key that is in the batch `a.ids`, which is in the order of its keys. */
const placeIn = (key: string) => `$head::int8 + width_bucket(${key}, a.ids)`;

/** Assigns positions after `head` to appended events. @returns their number */
async function assignPositions(tx: Queryable, head: number): Promise<number> {
  return (await ASSIGN.one(tx, { head, limit: ROWS_PER_PASS })).places;
}

// The next one and that of final positions take a batch as the array of its keys, in which a row finds its place, and name
// the condition of an index that has few rows: so with any statistics no plan compares rows with rows, or reads the whole
// log. They count the places given out, also one whose row is gone meanwhile: with the lock of the log, that makes places
// unique.
const ASSIGN = statement({
  name: "event-positions",
  params: { head: t.int8, limit: t.int8 },
  text: `with appended as materialized (
       select coalesce(array_agg(append_id order by append_id), '{}') as ids from (
         select append_id from offchain.event where position is null order by append_id limit $limit) n
     ), placed as (
       update offchain.event e set position = ${placeIn("e.append_id")},
         final_position = case
           when e.retracts is null then case when e.final and not e.retracted then ${placeIn("e.append_id")} end
           -- Readers of final events get a retraction only if they got the event.
           else (select ${placeIn("e.append_id")} from offchain.event t
                 where t.id = e.retracts and t.final_position is not null) end
       from appended a
       where e.position is null and e.append_id <= (select ids[cardinality(ids)] from appended)
     )
     select cardinality(ids) as places from appended`,
  columns: { places: t.int4 },
  prepared: true,
});

const TIER_SQL = `case ${TIERS.map((tier) => `when h.score >= ${tier.from} then '${tierWord(tier)}'`).join(" ")} end`;

/** Appends events of the points of the score history after an id, up to another. @returns their number */
async function appendScores(
  tx: Queryable,
  head: number,
  { after, through, since }: { after: number; through: number; since: Date },
): Promise<number> {
  if (through <= after) return 0;
  return APPEND_SCORES.run(tx, { head, after, through, since });
}

const APPEND_SCORES = statement({
  name: "event-append-scores",
  params: { head: t.int8, after: t.int8, through: t.int8, since: t.timestamptz },
  text: `with moved as materialized (
       select h.*, a.agent_address, a.owner, a.minted_at, p.score as previous
       from offchain.cred_history h
       left join onchain.agent a on a.token_id = h.token_id
       left join lateral (
         select p.score from offchain.cred_history p where p.token_id = h.token_id and p.id < h.id
         order by p.id desc limit 1) p on true
       where h.id > $after and h.id <= $through
     ), positioned as (
       select h.*, $head::int8 + row_number() over (order by h.id) as place,
              h.block <= coalesce((select settled_block from offchain.dispatcher_state), -1) as final
       from moved h where h.previous is not null or h.minted_at >= extract(epoch from $since::timestamptz)
     )
     insert into offchain.event (id, position, final_position, type, token_id, agent_address, owner, data, block, at,
       final, source)
     select ${eventIdSql("'cred.changed ' || h.id || ' ' || h.token_id || ' ' || h.score || ' ' || extract(epoch from h.at)")}, h.place,
       case when h.final then h.place end, 'cred.changed', h.token_id, h.agent_address, h.owner,
       jsonb_build_object('score', h.score, 'tier', ${TIER_SQL}, 'previous', h.previous, 'cause', h.cause),
       h.block, h.at, h.final, 'cred:' || h.id
     from positioned h`,
});

/** A score is final when the block it was computed from is. */
const finalizeScores = statement({
  name: "event-finalize-scores",
  text: `
    update offchain.event e set final = true from offchain.dispatcher_state d
    where not e.final and not e.retracted and e.type = 'cred.changed' and e.block <= d.settled_block`,
  prepared: true,
}).run;

/** Assigns positions in the sequence of final events. @returns their number */
async function assignFinalPositions(tx: Queryable, head: number): Promise<number> {
  return (await ASSIGN_FINAL.one(tx, { head, limit: ROWS_PER_PASS })).places;
}

/** Condition on an event of `as` that is final and has no final position yet. */
const newlyFinal = (as: string) =>
  `${as}.final and ${as}.final_position is null and not ${as}.retracted and ${as}.retracts is null`;

const ASSIGN_FINAL = statement({
  name: "event-final-positions",
  params: { head: t.int8, limit: t.int8 },
  text: `with due as materialized (
       select coalesce(array_agg(position order by position), '{}') as ids from (
         select position from offchain.event t where ${newlyFinal("t")} and position is not null
         order by position limit $limit) d
     ), placed as (
       update offchain.event e set final_position = ${placeIn("e.position")}
       from due a
       where ${newlyFinal("e")} and e.position <= (select ids[cardinality(ids)] from due)
     )
     select cardinality(ids) as places from due`,
  columns: { places: t.int4 },
  prepared: true,
});
