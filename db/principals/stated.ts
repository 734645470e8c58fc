/** What a human and an organization state of themselves alike, and the identity token that either names. */
import type { Json, JsonObject } from "../../core/json.ts";
import type { StatedProfile } from "../../core/principals/facts.ts";
import { t } from "../sql/statement.ts";

const STATED = {
  description: t.optional(t.text),
  image: t.optional(t.text),
  skills: t.optional(t.array(t.text)),
  domains: t.optional(t.array(t.text)),
  contact: t.optional(t.jsonb<{ email?: string | null | undefined; telegram?: string | null | undefined }>()),
  services: t.optional(t.jsonb<StatedProfile["services"]>()),
  externalIds: t.optional(t.jsonb<StatedProfile["externalIds"]>()),
  metadata: t.optional(t.jsonb<StatedProfile["metadata"]>()),
  notificationPreferences: t.optional(t.jsonb<JsonObject | Json[]>()),
};

export const WRITE = {
  ...STATED,
  ...{ principal: t.text, id: t.text, setsImage: t.bool, setsToken: t.bool, now: t.timestamptz },
  ...{ tokenId: t.optional(t.int8), tokenTransfers: t.optional(t.int8) },
};

/** Fields of a registration. One left out (undefined) keeps its value, null or an empty object clears it. */
export type StatedWrite = t.ParamsOf<typeof STATED> & {
  /** Its identity token with the number of its transfers, or null for none. */
  token?: { tokenId: number; transfers: number } | null | undefined;
};

/** The parameters of a write. */
export function givenOf<W extends StatedWrite>(fields: W, now: Date) {
  const { token, ...write } = fields;
  const { image } = fields;
  return {
    ...{ ...write, now, tokenId: token?.tokenId, tokenTransfers: token?.transfers },
    ...{ setsImage: image !== undefined, setsToken: token !== undefined },
  };
}

/** SQL that sets the fields given and keeps the others. @param row alias of the table */
export const setsOf = (row: string): string => `
      description = coalesce($description, ${row}.description),
      image = case when $setsImage then $image else ${row}.image end,
      skills = coalesce($skills::text[], ${row}.skills), domains = coalesce($domains::text[], ${row}.domains),
      contact = jsonb_strip_nulls(${row}.contact || coalesce($contact::jsonb, '{}')),
      services = coalesce($services::jsonb, ${row}.services), metadata = coalesce($metadata::jsonb, ${row}.metadata),
      external_ids = coalesce($externalIds::jsonb, ${row}.external_ids),
      notification_preferences = coalesce($notificationPreferences::jsonb, ${row}.notification_preferences),
      token_id = case when $setsToken then $tokenId else ${row}.token_id end,
      token_transfers = case when $setsToken then $tokenTransfers else ${row}.token_transfers end,
      updated_at = greatest(${row}.updated_at, $now)`;
