/** The off-chain profile: what people wrote about an agent, field by field. */
import type { FieldWrite } from "../core/profile-input.ts";
import type { Queryable } from "./transaction.ts";

/** Writes profile fields; a newer write replaces an older one, never the other way round. */
export async function writeProfileFields(
  tx: Queryable,
  tokenId: number,
  writes: FieldWrite[],
  at: Date,
): Promise<void> {
  if (writes.length === 0) return;
  await tx.query(
    `insert into offchain.profile_field (token_id, field, value, written_at)
     select $1, field, value, $4 from unnest($2::text[], $3::jsonb[]) as w(field, value)
     on conflict (token_id, field) do update set value = excluded.value, written_at = excluded.written_at
       where profile_field.written_at <= excluded.written_at`,
    [tokenId, writes.map((w) => w.field), writes.map((w) => JSON.stringify(w.value)), at],
  );
}

/** Removes the fields of a token that does not exist (any more). */
export async function deleteProfileFields(tx: Queryable, tokenId: number): Promise<void> {
  await tx.query("delete from offchain.profile_field where token_id = $1", [tokenId]);
}
