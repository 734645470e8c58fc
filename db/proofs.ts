/** Records of social proofs: which account proves which agent, how it was last seen, and which are due to be looked at. */
import type { Hex } from "../core/facts.ts";
import type { ProofPlatformKey } from "../core/proof-platforms.ts";
import type { Queryable } from "./transaction.ts";

export type ProofRecord = {
  tokenId: number;
  platform: ProofPlatformKey;
  /** The platform's own id of the account. */
  accountId: string;
  handle: string;
  username: string | null;
  evidence: unknown;
};

/** Index that lets an account prove one agent at a time; lapsed records are outside of it. */
export const PROOF_ACCOUNT_INDEX = "proof_account";

/** The agent that an account proves; null when it proves none. */
export async function agentProvenBy(
  db: Queryable,
  platform: ProofPlatformKey,
  accountId: string,
): Promise<number | null> {
  const { rows } = await db.query(
    "select token_id from offchain.proof where platform = $1 and account_id = $2 and status <> 'lapsed'",
    [platform, accountId],
  );
  return rows[0] ? Number(rows[0].token_id) : null;
}

/**
 * Records a proof just seen. An agent has one for each platform: another account, or a proof that had lapsed, begins anew;
 * the same account that still stood was only looked at again.
 * @param txHash transaction of its trait, as far as known
 * @returns whether it begins now
 * @throws unique_violation on PROOF_ACCOUNT_INDEX when the account proves another agent
 */
export async function recordProof(tx: Queryable, proof: ProofRecord, txHash: Hex | null, now: Date): Promise<boolean> {
  const { rows } = await tx.query(
    `insert into offchain.proof as p
       (token_id, platform, account_id, handle, username, evidence, status, verified_at, checked_at, tx_hash)
     values ($1, $2, $3, $4, $5, $6, 'verified', $8, $8, $7)
     on conflict (token_id, platform) do update set account_id = excluded.account_id, handle = excluded.handle,
       username = excluded.username, evidence = excluded.evidence, status = 'verified', checked_at = excluded.checked_at,
       failed_at = null,
       tx_hash = coalesce(excluded.tx_hash, p.tx_hash),
       verified_at = case when p.account_id = excluded.account_id and p.status <> 'lapsed' then p.verified_at
                          else excluded.verified_at end
     returning verified_at = $8 as fresh`,
    [
      proof.tokenId,
      proof.platform,
      proof.accountId,
      proof.handle,
      proof.username,
      JSON.stringify(proof.evidence),
      txHash,
      now,
    ],
  );
  return rows[0].fresh;
}

/** Whether an agent has a proof on a platform that has not lapsed. */
export async function proofStands(
  db: Queryable,
  { tokenId, platform }: { tokenId: number; platform: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `select exists (select from offchain.proof where token_id = $1 and platform = $2 and status <> 'lapsed') as stands`,
    [tokenId, platform],
  );
  return rows[0].stands;
}

/** Notes the transaction of the trait that goes with a proof; null takes it back. */
export async function setProofTransaction(
  tx: Queryable,
  { tokenId, platform }: { tokenId: number; platform: string },
  txHash: Hex | null,
): Promise<void> {
  await tx.query("update offchain.proof set tx_hash = $3 where token_id = $1 and platform = $2", [
    tokenId,
    platform,
    txHash,
  ]);
}

/** The transaction that gave an agent a trait on chain, whoever sent it; null when the chain has no such trait. */
export async function traitTransaction(
  db: Queryable,
  tokenId: number,
  trait: { name: string; category: string },
): Promise<Hex | null> {
  const { rows } = await db.query(
    "select tx_hash from onchain.trait where token_id = $1 and name = $2 and category = $3 order by position limit 1",
    [tokenId, trait.name, trait.category],
  );
  return rows[0]?.tx_hash ?? null;
}

/**
 * Records that were last confirmed before a moment. Those come first that were neither confirmed nor asked about in vain
 * for the longest time: what never answers keeps no other from its turn.
 */
export async function proofsDue(
  db: Queryable,
  due: { platform: ProofPlatformKey; before: Date; limit: number },
): Promise<ProofRecord[]> {
  const { rows } = await db.query(
    `select token_id as "tokenId", platform, account_id as "accountId", handle, username, evidence
     from offchain.proof where platform = $1 and status <> 'lapsed' and checked_at < $2
     order by greatest(checked_at, failed_at), token_id limit $3`,
    [due.platform, due.before, due.limit],
  );
  return rows.map((row) => ({ ...row, tokenId: Number(row.tokenId) }));
}

/** What a look at a recorded proof has shown. It applies while the record is of the same account and has not lapsed. */
export type Checked = { tokenId: number; accountId: string } & (
  | { outcome: "stands"; handle: string; username: string | null; evidence: unknown }
  | { outcome: "vanished" | "unknown" }
);

/**
 * Writes down what was seen of proofs of one platform; one that could not be asked about goes stale and stays due.
 * @param now when looking began: a record confirmed since is left alone
 * @returns the proofs that lapsed
 */
export async function storeChecks(
  tx: Queryable,
  platform: ProofPlatformKey,
  checks: readonly Checked[],
  now: Date,
): Promise<{ tokenId: number; handle: string }[]> {
  const { rows } = await tx.query(
    `with seen as (
       select * from jsonb_to_recordset($2::jsonb) as s(
         "tokenId" int8, "accountId" text, outcome text, handle text, username text, evidence jsonb))
     update offchain.proof p set
       status = case seen.outcome when 'stands' then 'verified' when 'vanished' then 'lapsed' else 'stale' end,
       checked_at = case seen.outcome when 'unknown' then p.checked_at else $3 end,
       failed_at = case seen.outcome when 'unknown' then $3::timestamptz end,
       handle = coalesce(seen.handle, p.handle),
       username = case seen.outcome when 'stands' then seen.username else p.username end,
       evidence = case seen.outcome when 'stands' then seen.evidence else p.evidence end
     from seen
     where p.platform = $1 and p.token_id = seen."tokenId" and p.account_id = seen."accountId" and p.status <> 'lapsed'
       and p.checked_at < $3
     returning p.token_id, p.handle, p.status`,
    [platform, JSON.stringify(checks), now],
  );
  return rows
    .filter(({ status }) => status === "lapsed")
    .map(({ token_id, handle }) => ({ tokenId: Number(token_id), handle }));
}

/** Removes the proofs of a token that does not exist (any more). */
export async function deleteProofs(tx: Queryable, tokenId: number): Promise<void> {
  await tx.query("delete from offchain.proof where token_id = $1", [tokenId]);
}
