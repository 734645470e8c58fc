/**
 * Texts given out for Solana keys to sign: each for one address and one purpose, valid once and for a few minutes.
 * Bound: challenges, 30 a minute of a network, each kept for a day.
 */
import type { Address } from "../../core/agents/facts.ts";
import type { SolanaPurpose } from "../../core/callers/signed-texts.ts";
import type { SolanaAddress } from "../../core/solana/keys.ts";
import { narrow, nullable, type RowOf, statement, text, timestamptz } from "../sql/statement.ts";

export type SolanaChallenge = RowOf<typeof CHALLENGE>;

/** Time after its end at which a challenge is removed. */
const KEPT = "1 day";

const CHALLENGE = {
  /** Random; names the challenge. */
  nonce: text,
  address: narrow<SolanaAddress>(text),
  purpose: narrow<SolanaPurpose>(text),
  /** Receiver of the identity, where the text names one. */
  evmAddress: nullable(narrow<Address>(text)),
  issuedAt: timestamptz,
  expiresAt: timestamptz,
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
    insert into offchain.solana_challenge (nonce, address, purpose, evm_address, issued_at, expires_at)
    values ($nonce, $address, $purpose, $evmAddress, $issuedAt, $expiresAt)`,
}).run;

/** A challenge by its nonce, with the request that has used it (null: none yet); null for an unknown one. */
export const solanaChallenge = statement({
  name: "solana-challenge",
  params: { nonce: text },
  text: `
    select nonce, address, purpose, evm_address as "evmAddress", issued_at as "issuedAt", expires_at as "expiresAt",
           used_by as "usedBy"
    from offchain.solana_challenge where nonce = $nonce`,
  columns: { ...CHALLENGE, usedBy: nullable(text) },
}).maybeOne;

/**
 * Uses a challenge up.
 * @param by names the request: the same one may use it again, as a retry does
 * @returns false when another request has used it
 */
export const useSolanaChallenge = statement({
  name: "solana-challenge-use",
  given: (nonce: string, by: string, at: Date) => ({ nonce, by, at }),
  params: { nonce: text, by: text, at: timestamptz },
  text: `
    update offchain.solana_challenge set used_by = $by, used_at = coalesce(used_at, $at)
    where nonce = $nonce and (used_by is null or used_by = $by)`,
}).found;
