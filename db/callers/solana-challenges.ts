/**
 * Texts given out for Solana keys to sign: each for one address and one purpose, valid once and for a few minutes.
 * Bound: challenges, 30 a minute of a network, each kept for a day.
 */
import { solanaChallenge as challenges } from "../schema/transactions.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

export type SolanaChallenge = t.RowOf<typeof CHALLENGE>;

/** Time after its end at which a challenge is removed. */
const KEPT = "1 day";

const CHALLENGE = columnsOf(challenges, { without: ["usedBy", "usedAt"] });

/** Keeps a challenge, and removes at most ten that ended long ago: their number follows the requests of a day. */
export const insertSolanaChallenge = statement({
  name: "solana-challenge-insert",
  params: CHALLENGE,
  text: `
    with old as (
      delete from offchain.solana_challenge where nonce in (
        select nonce from offchain.solana_challenge where expires_at < $issuedAt::timestamptz - interval '${KEPT}'
        order by expires_at limit 10 for update skip locked))
    insert into offchain.solana_challenge (${t.namesOf(CHALLENGE)}) values (${t.valuesOf(CHALLENGE)})`,
}).run;

/** A challenge by its nonce, with the request that has used it (null: none yet); null for an unknown one. */
export const solanaChallenge = statement({
  name: "solana-challenge",
  params: { nonce: t.text },
  text: `select ${t.fieldsOf(CHALLENGE)}, used_by as "usedBy" from offchain.solana_challenge where nonce = $nonce`,
  columns: { ...CHALLENGE, usedBy: t.nullable(t.text) },
}).maybeOne;

/**
 * Uses a challenge up.
 * @param by names the request: the same one may use it again, as a retry does
 * @returns false when another request has used it
 */
export const useSolanaChallenge = statement({
  name: "solana-challenge-use",
  params: { nonce: t.text, by: t.text, at: t.timestamptz },
  text: `
    update offchain.solana_challenge set used_by = $by, used_at = coalesce(used_at, $at)
    where nonce = $nonce and (used_by is null or used_by = $by)`,
}).found;
