/**
 * Texts given out for Solana keys to sign: each for one address and one purpose, valid once and for a few minutes.
 * Bound: challenges, 30 a minute of a network, each kept for a day.
 */
import type { Address } from "../../core/agents/facts.ts";
import type { SolanaPurpose } from "../../core/callers/signed-texts.ts";
import type { SolanaAddress } from "../../core/solana/keys.ts";
import { statement, t } from "../sql/statement.ts";

export type SolanaChallenge = t.RowOf<typeof CHALLENGE>;

/** Time after its end at which a challenge is removed. */
const KEPT = "1 day";

const CHALLENGE = {
  /** Random; names the challenge. */
  nonce: t.text,
  address: t.narrow<SolanaAddress>(t.text),
  purpose: t.narrow<SolanaPurpose>(t.text),
  /** Receiver of the identity, where the text names one. */
  evmAddress: t.nullable(t.narrow<Address>(t.text)),
  issuedAt: t.timestamptz,
  expiresAt: t.timestamptz,
};

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
  given: (nonce: string, by: string, at: Date) => ({ nonce, by, at }),
  params: { nonce: t.text, by: t.text, at: t.timestamptz },
  text: `
    update offchain.solana_challenge set used_by = $by, used_at = coalesce(used_at, $at)
    where nonce = $nonce and (used_by is null or used_by = $by)`,
}).found;
