/** Texts given out for Solana keys to sign: each for one address and one purpose, good once, and not for long. */
import type { Address } from "../core/facts.ts";
import type { SolanaPurpose } from "../core/signed-texts.ts";
import type { SolanaAddress } from "../core/solana/keys.ts";
import type { Queryable } from "./transaction.ts";

export type SolanaChallenge = {
  /** Random; names the challenge. */
  nonce: string;
  address: SolanaAddress;
  purpose: SolanaPurpose;
  /** Receiver of the identity, where the text names one. */
  evmAddress: Address | null;
  issuedAt: Date;
  expiresAt: Date;
};

/** Those that ended this long ago are removed. */
const KEPT = "1 day";

/** Keeps a challenge, and removes a few that ended long ago: their number follows the requests of a day. */
export async function insertSolanaChallenge(db: Queryable, challenge: SolanaChallenge): Promise<void> {
  await db.query(
    `with old as (
       delete from offchain.solana_challenge where nonce in (
         select nonce from offchain.solana_challenge where expires_at < $5::timestamptz - interval '${KEPT}'
         order by expires_at limit 10 for update skip locked))
     insert into offchain.solana_challenge (nonce, address, purpose, evm_address, issued_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      challenge.nonce,
      challenge.address,
      challenge.purpose,
      challenge.evmAddress,
      challenge.issuedAt,
      challenge.expiresAt,
    ],
  );
}

/** A challenge by its nonce, with what has used it (null: nothing yet); null for an unknown one. */
export async function solanaChallenge(
  db: Queryable,
  nonce: string,
): Promise<(SolanaChallenge & { usedBy: string | null }) | null> {
  const { rows } = await db.query(
    `select nonce, address, purpose, evm_address as "evmAddress", issued_at as "issuedAt", expires_at as "expiresAt",
            used_by as "usedBy"
     from offchain.solana_challenge where nonce = $1`,
    [nonce],
  );
  return rows[0] ?? null;
}

/**
 * Uses a challenge up.
 * @param by names the request: the same one may use it again, as a retry does
 * @returns false when another request has used it
 */
export async function useSolanaChallenge(tx: Queryable, nonce: string, by: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update offchain.solana_challenge set used_by = $2, used_at = coalesce(used_at, $3)
     where nonce = $1 and (used_by is null or used_by = $2)`,
    [nonce, by, at],
  );
  return rowCount === 1;
}
