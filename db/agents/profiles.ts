/** The off-chain profile of an agent, field by field. */
import { and, asc, eq } from "drizzle-orm";
import type { FieldWrite } from "../../core/agents/profile-input.ts";
import type { TraitInput } from "../../core/agents/trait-input.ts";
import { profileField, profileTrait } from "../schema/tables.ts";
import { lockText } from "../sql/locks.ts";
import { orm } from "../sql/orm.ts";
import { array, int8, pgType, statement, text, timestamptz } from "../sql/statement.ts";
import type { Queryable } from "../sql/transaction.ts";

/** One JSON text for each value. */
const jsonbArray = pgType<never, string[]>("_jsonb");

const valuesOf = (writes: FieldWrite[]) => ({
  fields: writes.map((w) => w.field),
  values: writes.map((w) => JSON.stringify(w.value)),
});

const WRITE_FIELDS = statement({
  name: "profile-fields-write",
  params: { tokenId: int8, fields: array(text), values: jsonbArray, at: timestamptz },
  text: `
    insert into offchain.profile_field (token_id, field, value, written_at)
    select $tokenId, field, value, $at from unnest($fields::text[], $values::jsonb[]) as w(field, value)
    on conflict (token_id, field) do update set value = excluded.value, written_at = excluded.written_at
      where profile_field.written_at <= excluded.written_at`,
});

/** Writes profile fields; a newer write replaces an older one, never the other way round. */
export async function writeProfileFields(
  tx: Queryable,
  tokenId: number,
  writes: FieldWrite[],
  at: Date,
): Promise<void> {
  if (writes.length === 0) return;
  await WRITE_FIELDS.run(tx, { tokenId, ...valuesOf(writes), at });
}

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

const ADD_TRAITS = statement({
  name: "profile-traits-add",
  params: { tokenId: int8, names: array(text), categories: array(text), at: timestamptz },
  text: `
    insert into offchain.profile_trait (token_id, name, category, added_at)
    select $tokenId, name, category, $at from unnest($names::text[], $categories::text[]) as t(name, category)
    on conflict do nothing`,
});

/** Adds off-chain traits; one that is there already stays as it is. */
export async function addProfileTraits(
  tx: Queryable,
  tokenId: number,
  traits: readonly TraitInput[],
  at: Date,
): Promise<void> {
  if (traits.length === 0) return;
  const names = traits.map(({ name }) => name);
  await ADD_TRAITS.run(tx, { tokenId, names, categories: traits.map(({ category }) => category), at });
}

/** Removes an off-chain trait that the chain holds now. */
export async function deleteProfileTrait(tx: Queryable, tokenId: number, name: string): Promise<void> {
  await orm(tx)
    .delete(profileTrait)
    .where(and(eq(profileTrait.tokenId, tokenId), eq(profileTrait.name, name)));
}

/** Brings off-chain fields that were written before `at` to what the chain was given then; fields without a write stay so. */
export const alignProfileFields = statement({
  name: "profile-fields-align",
  given: (tokenId: number, writes: FieldWrite[], at: Date) => ({ tokenId, ...valuesOf(writes), at }),
  params: { tokenId: int8, fields: array(text), values: jsonbArray, at: timestamptz },
  text: `
    update offchain.profile_field p set value = w.value, written_at = $at
    from unnest($fields::text[], $values::jsonb[]) as w(field, value)
    where p.token_id = $tokenId and p.field = w.field and p.written_at <= $at`,
}).run;

/** Writes about one agent, one after the other until the transaction ends; different agents do not wait for each other. */
export async function lockAgentWrites(tx: Queryable, tokenId: number): Promise<void> {
  await lockText(tx, `agent:${tokenId}`);
}
