/** Exchange attestations as the index knows them, and which of them an agent was verified by. */
import type { Address, Hex } from "../core/facts.ts";
import { checkpointBlock } from "./index-state.ts";
import type { Queryable } from "./transaction.ts";

/** An EAS attestation. Times are Unix seconds; 0 = never. */
export type Attestation = {
  uid: Hex;
  schema: Hex;
  attester: Address;
  recipient: Address;
  data: Hex;
  /** From this block on the index has it; null when it is older than the index. */
  indexedFrom: number | null;
  expiresAt: number;
  revokedAt: number;
};

/**
 * SQL of whether the attestation of a verification `e` is part of the chain, `t` being the index's row of it: it has one,
 * or is too young or too old for it. One that the index has passed and has no row of was undone by a reorganisation.
 */
export const isOnChain = (e: string, t: string) => `(${t}.uid is not null or ${e}.indexed_from is null
    or ${e}.indexed_from > (select ${checkpointBlock("latest_checkpoint")} from onchain._ponder_checkpoint limit 1))`;

/** The attestations of a wallet under a schema by any of these attesters, newest first. @throws when there is no index */
export async function attestationsOf(
  db: Queryable,
  { recipient, schema, attesters }: { recipient: Address; schema: Hex; attesters: readonly Address[] },
): Promise<Attestation[]> {
  const { rows } = await db.query(
    `select uid, schema, attester, recipient, data, block as "indexedFrom", expires_at as "expiresAt",
       revoked_at as "revokedAt"
     from onchain.attestation where recipient = $1 and schema = $2 and attester = any($3)
     order by attested_at desc, block desc limit 20`,
    [recipient, schema, attesters],
  );
  return rows.map((row) => ({
    ...row,
    indexedFrom: Number(row.indexedFrom),
    expiresAt: Number(row.expiresAt),
    revokedAt: Number(row.revokedAt),
  }));
}

/**
 * Records by which attestation an agent is verified; another one replaces it, the same one changes nothing.
 * @returns whether it was recorded now
 */
export async function recordExchangeVerification(
  tx: Queryable,
  tokenId: number,
  { uid, attester, schema, recipient, indexedFrom, expiresAt }: Attestation,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into offchain.exchange_verification
       (token_id, attestation_uid, attester, schema_uid, recipient, expires_at, verified_at, indexed_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (token_id) do update set attestation_uid = $2, attester = $3, schema_uid = $4, recipient = $5,
       expires_at = $6, verified_at = $7, indexed_from = $8, tx_hash = null
       where exchange_verification.attestation_uid <> $2 or exchange_verification.recipient <> $5`,
    [tokenId, uid, attester, schema, recipient, expiresAt, at, indexedFrom],
  );
  return rowCount === 1;
}

/** Notes the transaction that told the identity contract; null when its block is gone. */
export async function noteExchangeTransaction(
  tx: Queryable,
  tokenId: number,
  uid: string,
  txHash: Hex | null,
): Promise<void> {
  await tx.query(
    "update offchain.exchange_verification set tx_hash = $3 where token_id = $1 and attestation_uid = $2",
    [tokenId, uid, txHash],
  );
}

/** The transaction in which the contract marked an agent as verified; null when the index has none. */
export async function verificationTransaction(
  db: Queryable,
  tokenId: number,
): Promise<{ txHash: Hex; block: number } | null> {
  const { rows } = await db.query(
    `select tx_hash as "txHash", block from onchain.points_award
     where token_id = $1 and reason = 'verified' order by block limit 1`,
    [tokenId],
  );
  return rows[0] ? { txHash: rows[0].txHash, block: Number(rows[0].block) } : null;
}
