/**
 * The cred formula as set-based statements: the values of core/cred/cred.ts for any number of agents at once. A signal
 * takes its input from the facts, the input and the time give its raw value, and the raw values the score. A row of
 * `offchain.cred` keeps all three, so the formula has two forms of one result: over the tables of the facts, for agents
 * whose facts may have changed, and over the kept inputs alone, for what time changes.
 */
import { SIGNALS } from "../../core/cred/cred.ts";
import type { Signal, SqlContext } from "../../core/signals/signal.ts";
import { countsUntil } from "../agents/attestations.ts";

/** SQL condition that a token id is among those concerned; its parameters begin at $4. */
export type Scope = (column: string) => string;
export const someTokens: Scope = (column) => `${column} = any($4::int8[])`;
export const tokenRange: Scope = (column) => `${column} between $4::int8 and $5::int8`;

/** SQL of the time in Unix seconds: the first parameter of the statement. */
const NOW_PARAMETER = "$1::int8";

/** Column of `offchain.cred` that keeps what a signal takes from the facts: of one that time does not move, its raw value. */
export const inputColumn = ({ key, sql }: Signal) => (sql.at ? `${key}_input` : key);

const timed = (signals: readonly Signal[]) => signals.filter(({ sql }) => sql.at);

/** The columns that follow from the facts alone. */
const inputColumns = (signals: readonly Signal[]) => signals.map(inputColumn);
const timedColumns = (signals: readonly Signal[]) => timed(signals).map(({ key }) => key);

/** Σ weight · raw in integers; adding half of a hundred before the division rounds half up. */
const scoreSql = (signals: readonly Signal[]) =>
  `(${signals.map(({ key, weight }) => `${weight} * ${key}`).join(" + ")} + 50) / 100`;

/** The raw values at a time of the signals that time moves, from a row `i` with their inputs. */
const timedSql = (now: string, signals: readonly Signal[]) =>
  timed(signals).map((signal) => `(${signal.sql.at!(`i.${inputColumn(signal)}`, now)})::int2 as ${signal.key}`);

/** What the signals take from the facts of the agents in scope, one row each. */
function inputsSql(inScope: Scope, signals: readonly Signal[]): string {
  const context: SqlContext = { inScope, countsUntil };
  const values = signals.map(
    (signal) => `(${signal.sql.value(context)})::${signal.sql.at ? "int8" : "int2"} as ${inputColumn(signal)}`,
  );
  return `
    select a.token_id, a.updated_block as seen_block,
      ${values.join(",\n      ")}
    from onchain.agent a${signals.map(({ sql }) => sql.join?.(context) ?? "").join("")}
    where ${inScope("a.token_id")}`;
}

/**
 * Inputs, raw values and score of the agents in scope from the tables of the facts, writing nothing; $1 is the time in
 * Unix seconds. "offset 0" keeps the planner from repeating an expression at each use of its value.
 */
export const scoresSql = (inScope: Scope, now = NOW_PARAMETER, signals: readonly Signal[] = SIGNALS) =>
  `select r.*, ${scoreSql(signals)} as score
   from (select ${["i.*", ...timedSql(now, signals)].join(", ")} from (${inputsSql(inScope, signals)} offset 0) i offset 0) r`;

/**
 * The same from the kept inputs: raw values and score of the agents in scope, with the stored `previous` score and the
 * stored raw values (`previous_…`) of the signals that time moves. Rows without inputs (migration 0063) are reconciled first.
 */
export const keptScoresSql = (inScope: Scope, now = NOW_PARAMETER, signals: readonly Signal[] = SIGNALS) => {
  const columns = [
    ...["i.token_id", "i.seen_block", "i.score as previous"],
    ...signals.filter(({ sql }) => !sql.at).map(({ key }) => `i.${key}`),
    ...timedSql(now, signals),
    ...timedColumns(signals).map((key) => `i.${key} as previous_${key}`),
  ];
  return `select r.*, ${scoreSql(signals)} as score
    from (select ${columns.join(", ")} from offchain.cred i
      where i.seen_block >= 0 and ${inScope("i.token_id")} offset 0) r`;
};

/**
 * SQL condition, of a full join of agents `a` and rows `c` of `offchain.cred`, that the row is missing, has no agent, or was
 * computed from other facts than those of its agent.
 */
export const isStale = (a: string, c: string) =>
  `(${c}.token_id is null or ${a}.token_id is null or ${c}.seen_block <> ${a}.updated_block)`;

/**
 * SQL of the score that is shown of an agent: the stored one; without one, the score that will be stored next, computed
 * for those few agents only. A part of a statement, without parameters of its own.
 * @param tokenId SQL of the agent's token id
 * @param stored SQL of its stored score, null when it has none
 */
export const shownScoreSql = (tokenId: string, stored: string) => `
  coalesce(${stored}, (
    select s.score from (select ${tokenId} as token_id) unscored, lateral (
      ${scoresSql((column) => `${column} = unscored.token_id`, "floor(extract(epoch from now()))::int8")}) s))`;

/** What an update of `offchain.cred c` marks from `differing d`: the transaction too, which spares a trigger for each row. */
const MARKED = `computed_at = $2::timestamptz,
      changed_xid = case when d.previous = d.score then c.changed_xid else pg_current_xact_id() end`;

/** Cause of a change that a reorganisation made. */
export const RETRACTED = "reorganisation";

/**
 * The agents of `differing` whose score changed, and their points of history: what both statements below end with. The
 * last point of an agent is its stored score, so that is looked up only where there is no stored score, or points were
 * taken back before; and by a function, for the planner would look at every month of the history.
 */
const MOVED_AND_RECORDED = `moved as (
    select token_id, score, seen_block, previous from differing where previous is distinct from score
  ), recorded as (
    insert into offchain.cred_history (token_id, score, cause, block, at)
    select m.token_id, m.score, $3::text, m.seen_block, $2::timestamptz
    from moved m
    where case when m.previous is null or $3::text = '${RETRACTED}' then offchain.cred_last_score(m.token_id) end
      is distinct from m.score
    order by m.token_id
  )`;

/**
 * Recomputes the agents in scope from their facts and writes the differences: their rows of `offchain.cred`, and a point
 * of history where the score changed; unchanged rows are not written. Deletes the scores of agents that do not exist:
 * `removed`, whose histories are for the caller to delete.
 *
 * Parameters: $1 the time in Unix seconds, $2 the same as timestamp, $3 the cause, from $4 the scope. `moved` has the
 * agents whose score changed, with the previous one (null for a first). Every table has the scope as a condition of its
 * own, although the joins imply it: the planner does not derive it, and would read whole tables for a few agents.
 */
export function recomputeSql(inScope: Scope, signals: readonly Signal[] = SIGNALS): string {
  const inputs = inputColumns(signals);
  const columns = ["score", ...inputs, ...timedColumns(signals), "seen_block"];
  const differs = (column: string) => `c.${column} is distinct from n.${column}`;
  // The facts differ although no newer block has changed them.
  const missed = inputs.map(differs).join(" or ");
  return `
  with differing as materialized (
    select n.*, c.token_id is null as fresh, c.score as previous, c.seen_block = n.seen_block and (${missed}) as missed
    from (${scoresSql(inScope, NOW_PARAMETER, signals)}) n
    left join offchain.cred c on c.token_id = n.token_id and ${inScope("c.token_id")}
    where c.token_id is null or ${columns.map(differs).join(" or ")}
  ), updated as (
    update offchain.cred c set ${columns.map((column) => `${column} = d.${column}`).join(", ")}, ${MARKED}
    from differing d where not d.fresh and c.token_id = d.token_id and ${inScope("c.token_id")}
  ), inserted as (
    insert into offchain.cred (token_id, ${columns.join(", ")}, computed_at)
    select token_id, ${columns.join(", ")}, $2::timestamptz from differing where fresh order by token_id
  ), ${MOVED_AND_RECORDED}, removed as (
    delete from offchain.cred c
    where ${inScope("c.token_id")}
      and not exists (select from onchain.agent a where a.token_id = c.token_id and ${inScope("a.token_id")})
    returning token_id
  )`;
}

/** Recomputes the agents in scope from their kept inputs, which only time changes; parameters and `moved` as above. */
export function refreshSql(inScope: Scope, signals: readonly Signal[] = SIGNALS): string {
  const keys = timedColumns(signals);
  return `
  with differing as materialized (
    select * from (${keptScoresSql(inScope, NOW_PARAMETER, signals)}) n
    where ${["n.previous <> n.score", ...keys.map((key) => `n.previous_${key} <> n.${key}`)].join(" or ")}
  ), updated as (
    update offchain.cred c set ${["score", ...keys].map((column) => `${column} = d.${column}`).join(", ")}, ${MARKED}
    from differing d where c.token_id = d.token_id and ${inScope("c.token_id")}
  ), ${MOVED_AND_RECORDED}`;
}

export const MOVED = 'select token_id as "tokenId", score, previous from moved order by token_id';
/** The same, then the agents without a score any more, by a null. */
export const MOVED_AND_REMOVED = `
  (select token_id as "tokenId", score, previous from moved order by token_id)
  union all select token_id, null, null from removed`;
export const MOVED_COUNT = "select count(*)::int4 as moved from moved";
/** `removed`: token ids. */
export const MOVED_AND_MISSED = `
  select (select count(*)::int4 from moved) as moved, (select count(*)::int4 from differing where missed) as missed,
    array(select token_id from removed) as removed`;
