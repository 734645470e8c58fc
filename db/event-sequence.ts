/**
 * The sequencer of the event log: assigns positions to appended events, appends events of score changes, and assigns
 * positions in the sequence of final events. It runs one pass at a time, so that positions become visible in their order
 * and no reader by position misses one.
 */
import { TIERS, tierWord } from "../core/tiers.ts";
import { eventIdSql, retractSql } from "./append-events.ts";
import { settledCredId } from "./cred-updates.ts";
import { bool, int4, int8, statement, timestamptz } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

/** Max rows of each kind per pass. */
const BATCH = 5_000;

/** Whether a pass would find something, as far as this transaction sees without waiting for a lock. */
export async function isSequencingDue(db: Queryable): Promise<boolean> {
  return (await DUE.one(db)).due;
}

const DUE = statement({
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
  columns: { due: bool },
  prepared: true,
});

const LOCK_LOG = statement({
  name: "event-log-lock",
  text: `select head, cred_after as "credAfter" from offchain.event_log for update`,
  columns: { head: int8, credAfter: int8 },
});
const MOVE_LOG = statement({
  name: "event-log-move",
  params: { head: int8, credAfter: int8 },
  text: "update offchain.event_log set head = $head, cred_after = $credAfter",
});

/**
 * One pass, in a transaction of the caller's that is READ COMMITTED: it sees what others commit while it waits.
 * @param since start of the log: first scores of agents registered before it are not appended
 * @returns the log's head, and whether there may be more to do
 */
export async function sequenceEvents(tx: Queryable, since: Date): Promise<{ head: number; more: boolean }> {
  const log = await LOCK_LOG.one(tx);
  const settled = await settledCredId(tx);
  const scores = await scoreRange(tx, log.credAfter, settled);
  await RETRACT_SCORES.run(tx, { after: log.credAfter, through: scores.through });
  const appended = await assignPositions(tx, log.head);
  const scored = await appendScores(tx, log.head + appended, { after: log.credAfter, through: scores.through, since });
  await finalizeScores(tx);
  const finals = await assignFinalPositions(tx, log.head + appended + scored);
  const head = log.head + appended + scored + finals;
  if (head > log.head || scores.through > log.credAfter) await MOVE_LOG.run(tx, { head, credAfter: scores.through });
  return { head, more: appended === BATCH || finals === BATCH || scores.through < settled };
}

/** Id of the score history up to which this pass appends events: at most `BATCH` points. */
async function scoreRange(tx: Queryable, after: number, settled: number): Promise<{ through: number }> {
  if (settled <= after) return { through: after };
  const last = await LAST_OF_BATCH.maybeOne(tx, { after, settled, skipped: BATCH - 1 });
  return { through: last?.id ?? settled };
}

const LAST_OF_BATCH = statement({
  name: "cred-history-batch",
  params: { after: int8, settled: int8, skipped: int8 },
  text: `
    select id from offchain.cred_history where id > $after and id <= $settled order by id offset $skipped limit 1`,
  columns: { id: int8 },
});

/** Condition on events of score changes that were undone: `$after` and `$through` are bounds of the ids of corrections. */
const VANISHED_SCORES = `
  e.type = 'cred.changed'
  and e.token_id in (select token_id from offchain.cred_correction where id > $after and id <= $through)
  and not exists (select from offchain.cred_history h where h.id = substr(e.source, 6)::int8)`;

const RETRACT_SCORES = statement({
  name: "retract-scores",
  params: { after: int8, through: int8 },
  text: retractSql(VANISHED_SCORES),
});

/** Assigns positions after `head` to appended events. @returns their number */
async function assignPositions(tx: Queryable, head: number): Promise<number> {
  return ASSIGN.run(tx, { head, limit: BATCH });
}

const ASSIGN = statement({
  name: "event-positions",
  params: { head: int8, limit: int8 },
  text: `with appended as materialized (
       select n.*, $head::int8 + row_number() over (order by n.append_id) as place from (
         select id, append_id from offchain.event where position is null order by append_id limit $limit) n
     )
     update offchain.event e set position = n.place,
       final_position = case
         when e.retracts is null then case when e.final and not e.retracted then n.place end
         -- Readers of final events get a retraction only if they got the event.
         else (select n.place from offchain.event t where t.id = e.retracts and t.final_position is not null) end
     from appended n where e.id = n.id`,
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
  params: { head: int8, after: int8, through: int8, since: timestamptz },
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
async function finalizeScores(tx: Queryable): Promise<void> {
  await FINALIZE_SCORES.run(tx);
}

const FINALIZE_SCORES = statement({
  name: "event-finalize-scores",
  text: `
    update offchain.event e set final = true from offchain.dispatcher_state d
    where not e.final and not e.retracted and e.type = 'cred.changed' and e.block <= d.settled_block`,
});

/** Assigns positions in the sequence of final events. @returns their number */
async function assignFinalPositions(tx: Queryable, head: number): Promise<number> {
  return ASSIGN_FINAL.run(tx, { head, limit: BATCH });
}

const ASSIGN_FINAL = statement({
  name: "event-final-positions",
  params: { head: int8, limit: int8 },
  text: `with due as materialized (
       select d.*, $head::int8 + row_number() over (order by d.position) as place from (
         select id, position from offchain.event
         where final and final_position is null and position is not null and not retracted and retracts is null
         order by position limit $limit) d
     )
     update offchain.event e set final_position = d.place from due d where e.id = d.id`,
});

/**
 * Deletes events at the beginning of the log that happened before a time, at most `limit`.
 * @returns number of deleted events; less than `limit` when no more are old enough
 */
export async function deleteOldEvents(
  tx: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return (await DELETE_OLD.one(tx, { before, limit })).deleted;
}

const DELETE_OLD = statement({
  name: "event-delete-old",
  params: { before: timestamptz, limit: int8 },
  text: `with oldest as materialized (
       select position, at from offchain.event where position is not null order by position limit $limit
     ), bound as materialized (
       select coalesce((select min(position) - 1 from oldest where at >= $before), (select max(position) from oldest)) as through
     ), deleted as (
       delete from offchain.event e using bound b where e.position <= b.through returning e.position
     ), kept as (
       update offchain.event_log set kept_after = (select max(position) from deleted) where exists (select from deleted)
     )
     select count(*)::int4 as deleted from deleted`,
  columns: { deleted: int4 },
});
