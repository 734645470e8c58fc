/** The cred formula as one set-based statement: the values of core/cred.ts for any number of agents at once. */
import { SIGNALS } from "../core/cred.ts";
import type { Signal, SqlContext } from "../core/signals/signal.ts";
import { stands } from "./attestations.ts";

/** SQL condition that a token id is among those concerned; its parameters begin at $4. */
export type Scope = (column: string) => string;
export const someTokens: Scope = (column) => `${column} = any($4::int8[])`;
export const tokenRange: Scope = (column) => `${column} between $4::int8 and $5::int8`;

/** SQL of the time in Unix seconds: the first parameter of the statement. */
const NOW_PARAMETER = "$1::int8";

/** Σ weight · raw in integers; adding half of a hundred before the division rounds half up. */
const scoreSql = (signals: readonly Signal[]) =>
  `(${signals.map(({ key, weight }) => `${weight} * ${key}`).join(" + ")} + 50) / 100`;

/** Raw values of the agents in scope, one row each. */
function rawSql(inScope: Scope, now: string, signals: readonly Signal[]): string {
  const context: SqlContext = { now, inScope, verificationCounts: (alias) => stands(alias, now) };
  return `
    select a.token_id, a.updated_block as seen_block,
      ${signals.map(({ key, sql }) => `(${sql.value(context)})::int2 as ${key}`).join(",\n      ")}
    from onchain.agent a${signals.map(({ sql }) => sql.join?.(context) ?? "").join("")}
    where ${inScope("a.token_id")}`;
}

/**
 * Raw values and score of the agents in scope, writing nothing; $1 is the time in Unix seconds. "offset 0" keeps the
 * planner from repeating the expression of a raw value at each of its uses.
 */
export const scoresSql = (inScope: Scope, now = NOW_PARAMETER, signals: readonly Signal[] = SIGNALS) =>
  `select r.*, ${scoreSql(signals)} as score from (${rawSql(inScope, now, signals)} offset 0) r`;

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

/**
 * Recomputes the agents in scope and writes the differences: their rows of `offchain.cred`, and a point of history where
 * the score changed; unchanged rows are not written. Deletes the scores and histories of agents that do not exist.
 *
 * Parameters: $1 the time in Unix seconds, $2 the same as timestamp, $3 the cause, from $4 the scope. `moved` has the
 * agents whose score changed, with the previous one (null for a first). Every table has the scope as a condition of its
 * own, although the joins imply it: the planner does not derive it, and would read whole tables for a few agents.
 */
export function recomputeSql(inScope: Scope, signals: readonly Signal[] = SIGNALS): string {
  const columns = ["score", ...signals.map(({ key }) => key), "seen_block"];
  return `
  with differing as materialized (
    select n.*, c.token_id is null as fresh, c.score as previous
    from (${scoresSql(inScope, NOW_PARAMETER, signals)}) n
    left join offchain.cred c on c.token_id = n.token_id and ${inScope("c.token_id")}
    where c.token_id is null or ${columns.map((column) => `c.${column} <> n.${column}`).join(" or ")}
  ), updated as (
    update offchain.cred c set ${columns.map((column) => `${column} = d.${column}`).join(", ")}, computed_at = $2::timestamptz
    from differing d where not d.fresh and c.token_id = d.token_id and ${inScope("c.token_id")}
  ), inserted as (
    insert into offchain.cred (token_id, ${columns.join(", ")}, computed_at)
    select token_id, ${columns.join(", ")}, $2::timestamptz from differing where fresh order by token_id
  ), moved as (
    select token_id, score, seen_block, previous from differing where previous is distinct from score
  ), recorded as (
    insert into offchain.cred_history (token_id, score, cause, block, at)
    select m.token_id, m.score, $3::text, m.seen_block, $2::timestamptz
    from moved m left join lateral (
      select h.score from offchain.cred_history h where h.token_id = m.token_id order by h.id desc limit 1) l on true
    where l.score is distinct from m.score
    order by m.token_id
  ), removed as (
    delete from offchain.cred c
    where ${inScope("c.token_id")}
      and not exists (select from onchain.agent a where a.token_id = c.token_id and ${inScope("a.token_id")})
    returning token_id
  ), removed_history as (
    delete from offchain.cred_history h using removed r where h.token_id = r.token_id
  )`;
}

export const MOVED = 'select token_id as "tokenId", score, previous from moved order by token_id';
export const MOVED_COUNT = "select count(*)::int4 as moved from moved";
