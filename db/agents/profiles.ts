/** The off-chain profile of an agent, field by field. */
import { and, asc, eq } from "drizzle-orm";
import type { FieldWrite } from "../../core/agents/profile-input.ts";
import type { TraitInput } from "../../core/agents/trait-input.ts";
import { profileField, profileTrait } from "../schema/agents.ts";
import { lockText } from "../sql/locks.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";

const WRITES = t.records({ field: t.text, value: t.jsonb<FieldWrite["value"]>() });

/** Writes profile fields; a newer write replaces an older one, never the other way round. */
export const writeProfileFields = statement({
  name: "profile-fields-write",
  params: { tokenId: t.int8, writes: WRITES, at: t.timestamptz },
  unlessEmpty: "writes",
  text: `
    insert into offchain.profile_field (token_id, field, value, written_at)
    select $tokenId, field, value, $at from $writes
    on conflict (token_id, field) do update set value = excluded.value, written_at = excluded.written_at
      where profile_field.written_at <= excluded.written_at`,
}).run;

/** Removes the fields of a token that does not exist (any more). */
export async function deleteProfileFields(tx: Queryable, tokenId: number): Promise<void> {
  await orm(tx).delete(profileField).where(eq(profileField.tokenId, tokenId));
}

/** The off-chain traits of an agent. */
export const profileTraits = async (db: Queryable, tokenId: number): Promise<TraitInput[]> =>
  await orm(db)
    .select({ name: profileTrait.name, category: profileTrait.category })
    .from(profileTrait)
    .where(eq(profileTrait.tokenId, tokenId))
    .orderBy(asc(profileTrait.addedAt), asc(profileTrait.name));

/** Adds off-chain traits; one that is there already stays as it is. */
export const addProfileTraits = statement({
  name: "profile-traits-add",
  params: { tokenId: t.int8, traits: t.records({ name: t.text, category: t.text }), at: t.timestamptz },
  unlessEmpty: "traits",
  text: `
    insert into offchain.profile_trait (token_id, name, category, added_at)
    select $tokenId, name, category, $at from $traits
    on conflict do nothing`,
}).run;

/** Removes an off-chain trait that the chain holds now. */
export async function deleteProfileTrait(tx: Queryable, tokenId: number, name: string): Promise<void> {
  await orm(tx)
    .delete(profileTrait)
    .where(and(eq(profileTrait.tokenId, tokenId), eq(profileTrait.name, name)));
}

/** Brings off-chain fields that were written before `at` to what the chain was given then; fields without a write stay so. */
export const alignProfileFields = statement({
  name: "profile-fields-align",
  params: { tokenId: t.int8, writes: WRITES, at: t.timestamptz },
  text: `
    update offchain.profile_field p set value = writes.value, written_at = $at from $writes
    where p.token_id = $tokenId and p.field = writes.field and p.written_at <= $at`,
}).run;

/** Writes about one agent, one after the other until the transaction ends; different agents do not wait for each other. */
export async function lockAgentWrites(tx: Queryable, tokenId: number): Promise<void> {
  await lockText(tx, `agent:${tokenId}`);
}
