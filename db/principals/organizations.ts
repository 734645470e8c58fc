/** Organizations: found by id, slug or wallet, in pages, written by their owners, and their slugs kept from others. */

import type { Address } from "../../core/facts.ts";
import type { Member, OrganizationFacts } from "../../core/principals/facts.ts";
import { deleteInParts } from "../batches.ts";
import { folded } from "../folded-text.ts";
import { isoTime } from "../fragments.ts";
import { ADVISORY_LOCKS } from "../locks.ts";
import type { Queryable } from "../transaction.ts";
import type { StatedWrite } from "./human-writes.ts";
import type { PrivateRow } from "./humans.ts";
import { type PageQuery, type PrincipalPage, pageFamily } from "./page.ts";
import { holdsToken } from "./token-ownership.ts";

/** How an organization is asked for. Of several of one wallet, the one registered first. */
export type OrganizationRef = { id: string } | { slug: string } | { wallet: Address };

/** The organization of a reference; null for none. */
export async function organizationIdOf(db: Queryable, ref: OrganizationRef): Promise<string | null> {
  const [[column, value]] = Object.entries(ref) as [[keyof typeof ref, string]];
  const { rows } = await db.query<{ id: string }>({
    name: `organizations-by-${column}`,
    text: `select id from offchain.organization where ${column} = $1 order by created_at, id limit 1`,
    values: [value],
  });
  return rows[0]?.id ?? null;
}

const PAGE = pageFamily("organizations-page", "offchain.organization", (search, identity, $) => {
  const text = `${$(search)}::text`;
  const matches = [`strpos(p.search_name, ${folded(text)}) > 0`, `starts_with(p.slug, lower(${text} collate "C"))`];
  if (/^0x[0-9a-f]{0,40}$/i.test(search)) matches.push(`starts_with(p.wallet, ${$(search.toLowerCase())})`);
  if (/^\d{1,15}$/.test(search))
    matches.push(`(p.token_id = ${$(Number(search))} and ${holdsToken("p", $(identity))})`);
  return matches;
});

/** A page of organizations by display name, slug, wallet or token id, the first registered first. */
export const listOrganizations = (db: Queryable, query: PageQuery, identity: Address): Promise<PrincipalPage> =>
  PAGE.one(db, { ...query, identity });

const LOAD = `
  select json_build_object(
    'id', o.id, 'slug', o.slug, 'wallet', o.wallet, 'displayName', o.display_name, 'description', o.description,
    'image', o.image, 'organizationType', o.organization_type, 'roles', o.roles, 'skills', o.skills,
    'domains', o.domains, 'links', o.links, 'members', o.members,
    'services', o.services, 'externalIds', o.external_ids, 'metadata', o.metadata,
    'hasEmail', o.contact ? 'email', 'hasTelegram', o.contact ? 'telegram',
    'registeredBy', (select h.id from offchain.human h where h.principal = o.principal),
    'tokenId', case when ${holdsToken("o", "$2")} then o.token_id end,
    'createdAt', ${isoTime("o.created_at")}, 'updatedAt', ${isoTime("o.updated_at")}) as facts
  from unnest((select $1::text[])) with ordinality as asked(id, place)
  join offchain.organization o on o.id = asked.id
  order by asked.place`;

/** Everything public about organizations, in the order asked for; ids that do not exist are left out. */
export async function loadOrganizations(
  db: Queryable,
  ids: readonly string[],
  identity: Address,
): Promise<OrganizationFacts[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ facts: OrganizationFacts }>({
    name: "organizations-load",
    text: LOAD,
    values: [ids, identity],
  });
  return rows.map(({ facts }) => facts);
}

/** The organizations a principal owns with what only it may see, the longest registered first. */
export async function organizationsOf(db: Queryable, principal: string): Promise<({ id: string } & PrivateRow)[]> {
  const { rows } = await db.query<{ id: string } & PrivateRow>({
    name: "organizations-of",
    text: `select id, contact, notification_preferences as "notificationPreferences"
           from offchain.organization where principal = $1 order by created_at, id`,
    values: [principal],
  });
  return rows;
}

/** Lets one write about a principal's organizations through at a time. */
export async function lockPrincipal(tx: Queryable, principal: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock($1::int4, hashtext($2))", [LOCK_CLASS, principal]);
}
const LOCK_CLASS = ADVISORY_LOCKS.principals;

/** Who has a slug, or one that looks like it; null when nobody has. */
export async function slugHolder(
  tx: Queryable,
  key: string,
): Promise<{ id: string; slug: string; principal: string } | null> {
  const { rows } = await tx.query("select id, slug, principal from offchain.organization where slug_key = $1", [key]);
  return rows[0] ?? null;
}

/** The organization of a principal that has a display name, whatever its case and accents; null for none. */
export async function ownByName(tx: Queryable, principal: string, name: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from offchain.organization where principal = $1 and search_name = ${folded("$2::text")}
     order by created_at, id limit 1`,
    [principal, name],
  );
  return rows[0]?.id ?? null;
}

/** Whether a slug is kept for the former owner of a deleted organization, and this is not he. */
export async function isRetired(tx: Queryable, key: string, holder: string, since: Date): Promise<boolean> {
  const { rows } = await tx.query(
    "select from offchain.retired_slug where slug_key = $1 and owner_hash <> $2 and retired_at > $3",
    [key, holder, since],
  );
  return rows.length > 0;
}

/** What a registration says; what it leaves out (undefined) stays, null clears. */
export type OrganizationWrite = StatedWrite & {
  displayName: string;
  description?: string | undefined;
  image?: string | null | undefined;
  organizationType?: string | undefined;
  roles?: string[] | undefined;
  skills?: string[] | undefined;
  domains?: string[] | undefined;
  links?: Record<string, string> | undefined;
  contact?: { email?: string | null | undefined; telegram?: string | null | undefined } | undefined;
  members?: Member[] | undefined;
  token?: { tokenId: number; transfers: number } | null | undefined;
};

/** Adds an organization that has nothing but its name. @returns false when its slug was taken meanwhile */
export async function insertOrganization(
  tx: Queryable,
  who: { id: string; slug: string; slugKey: string; principal: string; wallet: Address | null; displayName: string },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into offchain.organization
       (id, slug, slug_key, principal, wallet, display_name, description, organization_type, roles, skills, domains,
        links, contact, members, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, '', '', '{}', '{}', '{}', '{}', '{}', '[]', $7, $7)
     on conflict do nothing`,
    [who.id, who.slug, who.slugKey, who.principal, who.wallet, who.displayName, now],
  );
  return rowCount === 1;
}

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/** Changes an organization of a principal. */
export async function updateOrganization(
  tx: Queryable,
  { id, principal }: { id: string; principal: string },
  write: OrganizationWrite,
  now: Date,
): Promise<void> {
  await tx.query({
    name: "organization-update",
    text: `
      update offchain.organization o set
        display_name = $3, description = coalesce($4, o.description), image = case when $5 then $6 else o.image end,
        organization_type = coalesce($7, o.organization_type), roles = coalesce($8::text[], o.roles),
        skills = coalesce($9::text[], o.skills), domains = coalesce($10::text[], o.domains),
        links = coalesce($11::jsonb, o.links), contact = jsonb_strip_nulls(o.contact || coalesce($12::jsonb, '{}')),
        members = coalesce($13::jsonb, o.members), services = coalesce($18::jsonb, o.services),
        external_ids = coalesce($19::jsonb, o.external_ids), metadata = coalesce($20::jsonb, o.metadata),
        notification_preferences = coalesce($21::jsonb, o.notification_preferences),
        token_id = case when $14 then $15 else o.token_id end,
        token_transfers = case when $14 then $16 else o.token_transfers end,
        updated_at = greatest(o.updated_at, $17)
      where o.id = $1 and o.principal = $2`,
    values: [
      id,
      principal,
      write.displayName,
      write.description ?? null,
      write.image !== undefined,
      write.image ?? null,
      write.organizationType ?? null,
      write.roles ?? null,
      write.skills ?? null,
      write.domains ?? null,
      jsonOrNull(write.links),
      jsonOrNull(write.contact),
      jsonOrNull(write.members),
      write.token !== undefined,
      write.token?.tokenId ?? null,
      write.token?.transfers ?? null,
      now,
      jsonOrNull(write.services),
      jsonOrNull(write.externalIds),
      jsonOrNull(write.metadata),
      jsonOrNull(write.notificationPreferences),
    ],
  });
}

/** Removes a principal's organizations and keeps their slugs from others. @returns the slugs */
export async function deleteOrganizations(
  tx: Queryable,
  principal: string,
  holder: string,
  now: Date,
): Promise<string[]> {
  const { rows } = await tx.query<{ slug: string }>(
    `with gone as (delete from offchain.organization where principal = $1 returning slug, slug_key, created_at),
     kept as (
       insert into offchain.retired_slug (slug_key, owner_hash, retired_at) select slug_key, $2, $3 from gone
       on conflict (slug_key) do update set owner_hash = excluded.owner_hash, retired_at = excluded.retired_at)
     select slug from gone order by created_at`,
    [principal, holder, now],
  );
  return rows.map(({ slug }) => slug);
}

/** Forgets slugs that nobody is kept from any more. @returns how many */
export const forgetRetiredSlugs = (db: Queryable, before: Date): Promise<number> =>
  deleteInParts(db, "offchain.retired_slug", "retired_at < $1", [before]);
