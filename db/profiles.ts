/** The off-chain profile: what people wrote about an agent, field by field. */
import type { FieldWrite } from "../core/profile-input.ts";
import type { TraitInput } from "../core/trait-input.ts";
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

/** The off-chain traits of an agent. */
export async function profileTraits(db: Queryable, tokenId: number): Promise<TraitInput[]> {
  const { rows } = await db.query<TraitInput>(
    "select name, category from offchain.profile_trait where token_id = $1 order by added_at, name",
    [tokenId],
  );
  return rows;
}

/** Adds off-chain traits; one that is there already stays as it is. */
export async function addProfileTraits(
  tx: Queryable,
  tokenId: number,
  traits: readonly TraitInput[],
  at: Date,
): Promise<void> {
  if (traits.length === 0) return;
  await tx.query(
    `insert into offchain.profile_trait (token_id, name, category, added_at)
     select $1, name, category, $4 from unnest($2::text[], $3::text[]) as t(name, category)
     on conflict do nothing`,
    [tokenId, traits.map(({ name }) => name), traits.map(({ category }) => category), at],
  );
}

/** Removes an off-chain trait that the chain holds now. */
export async function deleteProfileTrait(tx: Queryable, tokenId: number, name: string): Promise<void> {
  await tx.query("delete from offchain.profile_trait where token_id = $1 and name = $2", [tokenId, name]);
}

/** Brings off-chain fields that were written before `at` to what the chain was given then; fields without a write stay so. */
export async function alignProfileFields(
  tx: Queryable,
  tokenId: number,
  writes: FieldWrite[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update offchain.profile_field p set value = w.value, written_at = $4
     from unnest($2::text[], $3::jsonb[]) as w(field, value)
     where p.token_id = $1 and p.field = w.field and p.written_at <= $4`,
    [tokenId, writes.map((w) => w.field), writes.map((w) => JSON.stringify(w.value)), at],
  );
}

/** Writes about one agent, one after the other until the transaction ends; different agents do not wait for each other. */
export async function lockAgentWrites(tx: Queryable, tokenId: number): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`agent:${tokenId}`]);
}
