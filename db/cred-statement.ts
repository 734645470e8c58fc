/** The cred formula as one set-based statement: what core/cred.ts computes for one agent, for any number of them at once. */
import {
  DAY_SECONDS,
  DAY_VALUE,
  NARRATIVE_VALUE,
  POINT_VALUE,
  PROOF_VALUE,
  SIGNALS,
  STANDING,
  TRAIT_VALUE,
} from "../core/cred.ts";
import type { SignalKey } from "../core/facts.ts";
import { MINT_ORIGINS, UNKNOWN_ORIGIN } from "../core/mint-origins.ts";
import { NARRATIVE_FIELDS, type NarrativeField } from "../core/profile.ts";
import { BLANKS } from "../core/text.ts";
import { LINKED_TOKEN } from "../core/traits.ts";
import { stands } from "./attestations.ts";

/** SQL condition that a token id is among those concerned; its parameters begin at $4. */
export type Scope = (column: string) => string;
export const someTokens: Scope = (column) => `${column} = any($4::int8[])`;
export const tokenRange: Scope = (column) => `${column} between $4::int8 and $5::int8`;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** SQL of the raw age: `now` is SQL of the time in Unix seconds. */
export const ageSql = (mintedAt: string, now: string) =>
  `least(100, greatest(0, (${now} - ${mintedAt}) / ${DAY_SECONDS}) * ${DAY_VALUE})::int2`;

/** One text of the merged narrative counts unless it is blank (core/profile.ts: newest write wins, off chain on a tie). */
const writtenText = (field: NarrativeField) => `(btrim(coalesce(
        case when f.${field}_at >= to_timestamp(coalesce((a.narrative_at ->> '${field}')::int8, 0))
             then f.${field} else a.narrative ->> '${field}' end, ''), ${literal(BLANKS)}) <> '')::int4`;

/** SQL of the time in Unix seconds that a statement is told. */
const TOLD = "$1::int8";

/** Raw value of each signal over the joins of `rawSql`; `now` is SQL of the time in Unix seconds. */
const rawValues = (now: string): Record<SignalKey, string> => ({
  activity: `least(100, a.points * ${POINT_VALUE})`,
  traits: `least(100, (a.trait_count + coalesce(t.traits, 0)) * ${TRAIT_VALUE})`,
  verify: `least(100, (a.verified::int4 + coalesce(p.proofs, 0)) * ${PROOF_VALUE})`,
  coinbase: `case when e.token_id is not null and ${stands("e", now)} then 100 else 0 end`,
  age: ageSql("a.minted_at", now),
  narrative: `(${NARRATIVE_FIELDS.map(writtenText).join("\n      + ")}) * ${NARRATIVE_VALUE}`,
  origin: `case a.origin ${MINT_ORIGINS.map(({ raw }, index) => `when ${index} then ${raw}`).join(" ")} else ${UNKNOWN_ORIGIN.raw} end`,
  soulbound: "case when a.soulbound then 100 else 0 end",
});

const KEYS = SIGNALS.map((signal) => signal.key);
/** Σ weight · raw in integers; adding half of a hundred before the division rounds half up. */
const SCORE = `(${SIGNALS.map(({ key, weight }) => `${weight} * ${key}`).join(" + ")} + 50) / 100`;
const COLUMNS = ["score", ...KEYS, "seen_block"];

/** Raw values of the agents in scope, a row each. */
const rawSql = (inScope: Scope, now: string) => `
    select a.token_id, a.updated_block as seen_block,
      ${Object.entries(rawValues(now))
        .map(([key, value]) => `(${value})::int2 as ${key}`)
        .join(",\n      ")}
    from onchain.agent a
    left join (
      select token_id, count(*) as traits from offchain.profile_trait
      where not starts_with(lower(name collate "C"), ${literal(LINKED_TOKEN)}) and ${inScope("token_id")}
      group by token_id) t on t.token_id = a.token_id
    left join (
      select token_id, count(*) as proofs from offchain.proof
      where status in (${STANDING.map(literal).join(", ")}) and ${inScope("token_id")}
      group by token_id) p on p.token_id = a.token_id
    left join (
      select token_id, ${NARRATIVE_FIELDS.map(
        (field) => `
        max(value #>> '{}') filter (where field = 'narrative.${field}') as ${field},
        max(written_at) filter (where field = 'narrative.${field}') as ${field}_at`,
      ).join(",")}
      from offchain.profile_field
      where field like 'narrative.%' and ${inScope("token_id")}
      group by token_id) f on f.token_id = a.token_id
    left join offchain.exchange_verification e
      on e.token_id = a.token_id and e.recipient = a.owner
    where ${inScope("a.token_id")}`;

/**
 * Raw values and score of the agents in scope, writing nothing; $1 is the time in Unix seconds. "offset 0" keeps the
 * planner from writing each raw value out again wherever it is used.
 */
export const scoresSql = (inScope: Scope, now = TOLD) =>
  `select r.*, ${SCORE} as score from (${rawSql(inScope, now)} offset 0) r`;

/**
 * SQL of the score that is shown of an agent: the stored one, and while there is none the one that is about to be
 * stored, computed for those few agents only. A part of a statement without parameters of its own.
 * @param tokenId SQL of the agent's token id
 * @param stored SQL of its stored score, null when it has none
 */
export const shownScoreSql = (tokenId: string, stored: string) => `
  coalesce(${stored}, (
    select s.score from (select ${tokenId} as token_id) unscored, lateral (
      ${scoresSql((column) => `${column} = unscored.token_id`, "floor(extract(epoch from now()))::int8")}) s))`;

/**
 * Recomputes the agents in scope and writes what differs: their rows of `offchain.cred`, a point of history where the
 * score moved, nothing where all is as it was. Scores of agents that do not exist go, with their history.
 *
 * Parameters: $1 the time in Unix seconds, $2 the same as timestamp, $3 the cause, from $4 the scope. Gives the agents
 * whose score moved, with the previous one (null for a first). Every table is told the scope, although the joins
 * imply it: the planner does not see through them, and would read whole tables for a handful of agents.
 */
export const recomputeSql = (inScope: Scope) => `
  with differing as materialized (
    select n.*, c.token_id is null as fresh, c.score as previous
    from (${scoresSql(inScope)}) n left join offchain.cred c on c.token_id = n.token_id and ${inScope("c.token_id")}
    where c.token_id is null or ${COLUMNS.map((column) => `c.${column} <> n.${column}`).join(" or ")}
  ), updated as (
    update offchain.cred c set ${COLUMNS.map((column) => `${column} = d.${column}`).join(", ")}, computed_at = $2::timestamptz
    from differing d where not d.fresh and c.token_id = d.token_id and ${inScope("c.token_id")}
  ), inserted as (
    insert into offchain.cred (token_id, ${COLUMNS.join(", ")}, computed_at)
    select token_id, ${COLUMNS.join(", ")}, $2::timestamptz from differing where fresh order by token_id
  ), moved as (
    select token_id, score, seen_block, previous from differing where previous is distinct from score
  ), noted as (
    insert into offchain.cred_history (token_id, score, cause, block, at)
    select m.token_id, m.score, $3::text, m.seen_block, $2::timestamptz
    from moved m left join lateral (
      select h.score from offchain.cred_history h where h.token_id = m.token_id order by h.id desc limit 1) l on true
    where l.score is distinct from m.score
    order by m.token_id
  ), gone as (
    delete from offchain.cred c
    where ${inScope("c.token_id")}
      and not exists (select from onchain.agent a where a.token_id = c.token_id and ${inScope("a.token_id")})
    returning token_id
  ), forgotten as (
    delete from offchain.cred_history h using gone g where h.token_id = g.token_id
  )`;

export const MOVED = "select token_id, score, previous from moved order by token_id";
export const MOVED_COUNT = "select count(*)::int4 as moved from moved";
