/** Organizations: found by id, slug or wallet, in pages; writes of their owners; reserved slugs. */
import { and, eq, gt, ne } from "drizzle-orm";
import type { Address } from "../../core/agents/facts.ts";
import type { Member, OrganizationFacts } from "../../core/principals/facts.ts";
import { holdsToken } from "../agents/token-ownership.ts";
import { organization, retiredSlug } from "../schema/principals.ts";
import { deleteInParts } from "../sql/batches.ts";
import { folded } from "../sql/folded-text.ts";
import { ADVISORY_LOCKS } from "../sql/locks.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { PRIVATE_COLUMNS } from "./humans.ts";
import { firstBy, pagesOf } from "./page.ts";
import { givenOf, type StatedWrite, setsOf, WRITE } from "./stated.ts";

/** Reference to an organization. Of several of one wallet, the one registered first. */
export type OrganizationRef = { id: string } | { slug: string } | { wallet: Address };

const FIRST_BY = {
  id: firstBy("organization", "id"),
  slug: firstBy("organization", "slug"),
  wallet: firstBy("organization", "wallet"),
};

/** The organization of a reference; null for none. */
export function organizationIdOf(db: Queryable, ref: OrganizationRef): Promise<string | null> {
  const [[column, value]] = Object.entries(ref) as [[keyof typeof FIRST_BY, string]];
  return FIRST_BY[column](db, { value });
}

/** The slug of an organization and what it calls itself; null for an unknown id. */
export const organizationName = statement({
  name: "organization-name",
  params: { id: t.text },
  text: "select slug, display_name as name from offchain.organization where id = $id",
  columns: { slug: t.text, name: t.text },
  prepared: true,
}).maybeOne;

/** Organizations, by slug too. */
export const listOrganizations = pagesOf(
  "organization",
  (search) => `starts_with(p.slug, lower(${search} collate "C"))`,
);

/** The public fields of organizations, in the order of `ids`, without ids that do not exist. */
export const loadOrganizations = statement({
  name: "organizations-load",
  params: { ids: t.array(t.text), identity: t.text },
  unlessEmpty: "ids",
  text: `
  select json_build_object(
    'id', o.id, 'slug', o.slug, 'wallet', o.wallet, 'displayName', o.display_name, 'description', o.description,
    'image', o.image, 'organizationType', o.organization_type, 'roles', o.roles, 'skills', o.skills,
    'domains', o.domains, 'links', o.links, 'members', o.members,
    'services', o.services, 'externalIds', o.external_ids, 'metadata', o.metadata,
    'hasEmail', o.contact ? 'email', 'hasTelegram', o.contact ? 'telegram',
    'registeredBy', (select h.id from offchain.human h where h.principal = o.principal),
    'tokenId', case when ${holdsToken("o", "$identity")} then o.token_id end,
    'createdAt', ${t.isoTime("o.created_at")}, 'updatedAt', ${t.isoTime("o.updated_at")}) as facts
  from unnest((select $ids::text[])) with ordinality as requested(id, place)
  join offchain.organization o on o.id = requested.id
  order by requested.place`,
  columns: { facts: t.json<OrganizationFacts>() },
  prepared: true,
}).values;

/** The organizations of a principal with their private fields, the first registered first. */
export const organizationsOf = statement({
  name: "organizations-of",
  params: { principal: t.text },
  text: `
    select id, contact, notification_preferences as "notificationPreferences"
    from offchain.organization where principal = $principal order by created_at, id`,
  columns: { id: t.text, ...PRIVATE_COLUMNS },
  prepared: true,
}).rows;

/** Serialises writes about a principal's organizations until the transaction ends. */
export const lockPrincipal = statement({
  name: "organizations-lock-principal",
  params: { principal: t.text },
  text: `select from pg_advisory_xact_lock(${ADVISORY_LOCKS.principals}::int4, hashtext($principal))`,
}).run;

/** The organization with a slug, or with one that looks like it; null for none. */
export async function slugHolder(
  tx: Queryable,
  key: string,
): Promise<{ id: string; slug: string; principal: string } | null> {
  const { id, slug, principal, slugKey } = organization;
  const [row] = await orm(tx).select({ id, slug, principal }).from(organization).where(eq(slugKey, key));
  return row ?? null;
}

/** The organization of a principal with a display name, without regard to case and accents; null for none. */
export const ownByName = statement({
  name: "organizations-own-by-name",
  params: { principal: t.text, name: t.text },
  text: `
    select id from offchain.organization where principal = $principal and search_name = ${folded("$name::text")}
    order by created_at, id limit 1`,
  columns: { id: t.text },
}).value;

/** Whether a slug is reserved for the former owner of a deleted organization, and `holder` is another one. */
export async function isRetired(tx: Queryable, key: string, holder: string, since: Date): Promise<boolean> {
  const rows = await orm(tx)
    .select({ slugKey: retiredSlug.slugKey })
    .from(retiredSlug)
    .where(and(eq(retiredSlug.slugKey, key), ne(retiredSlug.ownerHash, holder), gt(retiredSlug.retiredAt, since)));
  return rows.length > 0;
}

const OWN = {
  displayName: t.text,
  organizationType: t.optional(t.text),
  roles: t.optional(t.array(t.text)),
  links: t.optional(t.jsonb<Record<string, string>>()),
  members: t.optional(t.jsonb<Member[]>()),
};
export type OrganizationWrite = StatedWrite & t.ParamsOf<typeof OWN>;

const NAMED = {
  ...{ id: t.text, slug: t.text, slugKey: t.text, principal: t.text },
  ...{ wallet: t.nullable(t.narrow<Address>(t.text)), displayName: t.text },
};

/** Adds an organization with a name and no other field. @returns false when its slug was taken meanwhile */
export const insertOrganization = statement({
  name: "organization-insert",
  params: { ...NAMED, now: t.timestamptz },
  text: `
    insert into offchain.organization
      (${t.namesOf(NAMED)}, description, organization_type, roles, skills, domains,
       links, contact, members, created_at, updated_at)
    values (${t.valuesOf(NAMED)}, '', '', '{}', '{}', '{}', '{}', '{}', '[]', $now, $now)
    on conflict do nothing`,
}).found;

/** Changes an organization of a principal. */
export const updateOrganization = statement({
  name: "organization-update",
  given: (who: { id: string; principal: string }, write: OrganizationWrite, now: Date) => ({
    ...givenOf(write, now),
    ...who,
  }),
  params: { ...WRITE, ...OWN },
  text: `
    update offchain.organization o set
      display_name = $displayName, organization_type = coalesce($organizationType, o.organization_type),
      roles = coalesce($roles::text[], o.roles), links = coalesce($links::jsonb, o.links),
      members = coalesce($members::jsonb, o.members), ${setsOf("o")}
    where o.id = $id and o.principal = $principal`,
  prepared: true,
}).run;

/** Deletes a principal's organizations and reserves their slugs. @returns the slugs */
export const deleteOrganizations = statement({
  name: "organizations-delete",
  params: { principal: t.text, holder: t.text, now: t.timestamptz },
  text: `
    with gone as (delete from offchain.organization where principal = $principal returning slug, slug_key, created_at),
    kept as (
      insert into offchain.retired_slug (slug_key, owner_hash, retired_at) select slug_key, $holder, $now from gone
      on conflict (slug_key) do update set owner_hash = excluded.owner_hash, retired_at = excluded.retired_at)
    select slug from gone order by created_at`,
  columns: { slug: t.text },
}).values;

/** Deletes reservations of slugs that have ended. @returns how many */
export const forgetRetiredSlugs = (db: Queryable, before: Date): Promise<number> =>
  deleteInParts(db, "offchain.retired_slug", "retired_at < $1", [before]);
