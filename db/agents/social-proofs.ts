/** Records of social proofs: which account proves which agent, how it was last seen, and which are due for a check. */
import { and, eq, ne } from "drizzle-orm";
import type { Hex } from "../../core/agents/facts.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { proof, proofOwnership } from "../schema/agents.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

const RECORD = columnsOf(proof, { only: ["tokenId", "platform", "accountId", "handle", "username", "evidence"] });
export type ProofRecord = t.RowOf<typeof RECORD>;

/** Index that lets an account prove one agent at a time; lapsed records are outside of it. */
export const PROOF_ACCOUNT_INDEX = "proof_account";

/** The agent that an account proves; null when it proves none. */
export async function agentProvenBy(
  db: Queryable,
  platform: ProofPlatformKey,
  accountId: string,
): Promise<number | null> {
  const [row] = await orm(db)
    .select({ tokenId: proof.tokenId })
    .from(proof)
    .where(and(eq(proof.platform, platform), eq(proof.accountId, accountId), ne(proof.status, "lapsed")));
  return row?.tokenId ?? null;
}

/**
 * Records a proof just seen. An agent has one for each platform. Another account, or a proof that had lapsed, gets a new
 * beginning; the same account with a proof that counts is only confirmed.
 * @param txHash transaction of its trait, as far as known
 * @returns whether it begins now
 * @throws unique_violation on PROOF_ACCOUNT_INDEX when the account proves another agent
 */
export const recordProof = statement({
  name: "proof-record",
  given: (found: ProofRecord, txHash: Hex | null, now: Date) => ({ ...found, txHash, now }),
  params: { ...RECORD, txHash: t.nullable(t.narrow<Hex>(t.text)), now: t.timestamptz },
  text: `
    insert into offchain.proof as p (${t.namesOf(RECORD)}, status, verified_at, checked_at, tx_hash)
    values (${t.valuesOf(RECORD)}, 'verified', $now, $now, $txHash)
    on conflict (token_id, platform) do update set account_id = excluded.account_id, handle = excluded.handle,
      username = excluded.username, evidence = excluded.evidence, status = 'verified', checked_at = excluded.checked_at,
      failed_at = null, tx_hash = coalesce(excluded.tx_hash, p.tx_hash),
      verified_at = case when p.account_id = excluded.account_id and p.status <> 'lapsed' then p.verified_at
                         else excluded.verified_at end
    returning verified_at = $now as fresh`,
  columns: { fresh: t.bool },
}).onlyValue;

/** Whether an agent has a proof on a platform that has not lapsed. */
export async function proofStands(
  db: Queryable,
  { tokenId, platform }: Pick<ProofRecord, "tokenId" | "platform">,
): Promise<boolean> {
  const rows = await orm(db)
    .select({ platform: proof.platform })
    .from(proof)
    .where(and(eq(proof.tokenId, tokenId), eq(proof.platform, platform), ne(proof.status, "lapsed")));
  return rows.length > 0;
}

/** Stores the transaction of the trait that goes with a proof; null removes it. */
export async function setProofTransaction(
  tx: Queryable,
  { tokenId, platform }: Pick<ProofRecord, "tokenId" | "platform">,
  txHash: Hex | null,
): Promise<void> {
  await orm(tx)
    .update(proof)
    .set({ txHash })
    .where(and(eq(proof.tokenId, tokenId), eq(proof.platform, platform)));
}

/** The transaction that gave an agent a trait on chain, by any sender; null when the chain has no such trait. */
export const traitTransaction = statement({
  name: "proof-trait-transaction",
  params: { tokenId: t.int8, name: t.text, category: t.text },
  text: `
    select tx_hash from onchain.trait where token_id = $tokenId and name = $name and category = $category
    order by position limit 1`,
  columns: { tx_hash: t.narrow<Hex>(t.text) },
}).value;

/**
 * Records that were last confirmed before a moment; those with the oldest attempt, successful or not, come first, so that a
 * record that never gets an answer delays no other.
 */
export const proofsDue = statement({
  name: "proofs-due",
  params: { platform: t.narrow<ProofPlatformKey>(t.text), before: t.timestamptz, limit: t.int8 },
  text: `
    select ${t.fieldsOf(RECORD)} from offchain.proof
    where platform = $platform and status <> 'lapsed' and checked_at < $before
    order by greatest(checked_at, failed_at), token_id limit $limit`,
  columns: RECORD,
}).rows;

/** How many records were last confirmed before a moment, by platform. */
export const proofsOverdue = statement({
  name: "proofs-overdue",
  params: { due: t.records({ platform: t.text, before: t.timestamptz }) },
  text: `
    select due.platform, count(p.token_id) as count
    from $due left join offchain.proof p
      on p.platform = due.platform and p.status <> 'lapsed' and p.checked_at < due.before
    group by due.platform`,
  columns: { platform: t.text, count: t.int8 },
}).rows;

/** What a check of a recorded proof has shown. It applies while the record is of the same account and has not lapsed. */
export type ProofCheck = { tokenId: number; accountId: string } & (
  | { outcome: "stands"; handle: string; username: string | null; evidence: unknown }
  | { outcome: "vanished" | "unknown" }
);

const STORE_CHECKS = statement({
  name: "proof-checks",
  params: { platform: t.text, checks: t.jsonb<readonly ProofCheck[]>(), now: t.timestamptz },
  text: `
    with seen as (
      select * from jsonb_to_recordset($checks::jsonb) as s(
        "tokenId" int8, "accountId" text, outcome text, handle text, username text, evidence jsonb))
    update offchain.proof p set
      status = case seen.outcome when 'stands' then 'verified' when 'vanished' then 'lapsed' else 'stale' end,
      checked_at = case seen.outcome when 'unknown' then p.checked_at else $now end,
      failed_at = case seen.outcome when 'unknown' then $now::timestamptz end,
      handle = coalesce(seen.handle, p.handle),
      username = case seen.outcome when 'stands' then seen.username else p.username end,
      evidence = case seen.outcome when 'stands' then seen.evidence else p.evidence end
    from seen
    where p.platform = $platform and p.token_id = seen."tokenId" and p.account_id = seen."accountId"
      and p.status <> 'lapsed' and p.checked_at < $now
    returning p.token_id as "tokenId", p.handle, p.status`,
  columns: { tokenId: t.int8, handle: t.text, status: t.text },
});

/**
 * Stores what checks of one platform's proofs have shown. A proof without an answer becomes stale and stays due.
 * @param now when the checks began: a record confirmed since is left alone
 * @returns the proofs that lapsed
 */
export async function storeChecks(
  tx: Queryable,
  platform: ProofPlatformKey,
  checks: readonly ProofCheck[],
  now: Date,
): Promise<{ tokenId: number; handle: string }[]> {
  const stored = await STORE_CHECKS.rows(tx, { platform, checks, now });
  return stored.filter(({ status }) => status === "lapsed").map(({ tokenId, handle }) => ({ tokenId, handle }));
}

/** Removes the proofs of a token that does not exist, with the owners they were made under. */
export async function deleteProofs(tx: Queryable, tokenId: number): Promise<void> {
  await orm(tx).delete(proofOwnership).where(eq(proofOwnership.tokenId, tokenId));
  await orm(tx).delete(proof).where(eq(proof.tokenId, tokenId));
}
