/** Writes about human principals: registering, linking agents, and going for good. */
import type { Address } from "../../core/facts.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Stated } from "../../core/principals/facts.ts";
import { forgetEthosScore } from "../ethos.ts";
import type { Queryable } from "../transaction.ts";
import { transferCount } from "./token-ownership.ts";

/** What a registration states in whatever form; what it leaves out (undefined) stays, an empty object clears. */
export type StatedWrite = { [field in keyof Stated]?: Stated[field] | undefined } & {
  notificationPreferences?: JsonObject | Json[] | undefined;
};

/** What a registration says; what it leaves out (undefined) stays, null clears. */
export type HumanWrite = StatedWrite & {
  name: string;
  description?: string | undefined;
  image?: string | null | undefined;
  organization?: string | undefined;
  skills?: string[] | undefined;
  domains?: string[] | undefined;
  linkedAccounts?: Record<string, string> | undefined;
  contact?: { email?: string | null | undefined; telegram?: string | null | undefined } | undefined;
  /** Its identity token with the number of its transfers, or null for none. */
  token?: { tokenId: number; transfers: number } | null | undefined;
};

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/**
 * Registers a human, or changes the one this principal is.
 * @param who.id of a new human
 * @returns the human's id, and whether it is new
 */
export async function writeHuman(
  tx: Queryable,
  who: { id: string; principal: string; wallet: Address | null },
  write: HumanWrite,
  now: Date,
): Promise<{ id: string; created: boolean }> {
  const { rows } = await tx.query({
    name: "human-write",
    text: `
      insert into offchain.human as h
        (id, principal, wallet, name, description, image, organization, skills, domains, linked_accounts, services,
         contact, token_id, token_transfers, created_at, updated_at, external_ids, metadata, notification_preferences)
      values ($1, $2, $3, $4, coalesce($5, ''), $6, coalesce($7, ''), coalesce($8::text[], '{}'), coalesce($9::text[], '{}'),
              coalesce($10::jsonb, '{}'), coalesce($11::jsonb, '{}'), jsonb_strip_nulls(coalesce($12::jsonb, '{}')),
              $13, $14, $15, $15, coalesce($18::jsonb, '{}'), coalesce($19::jsonb, '{}'), coalesce($20::jsonb, '{}'))
      on conflict (principal) do update set
        name = $4, description = coalesce($5, h.description), image = case when $16 then $6 else h.image end,
        organization = coalesce($7, h.organization), skills = coalesce($8::text[], h.skills),
        domains = coalesce($9::text[], h.domains), linked_accounts = coalesce($10::jsonb, h.linked_accounts),
        services = coalesce($11::jsonb, h.services), external_ids = coalesce($18::jsonb, h.external_ids),
        metadata = coalesce($19::jsonb, h.metadata),
        notification_preferences = coalesce($20::jsonb, h.notification_preferences),
        contact = jsonb_strip_nulls(h.contact || coalesce($12::jsonb, '{}')),
        token_id = case when $17 then $13 else h.token_id end,
        token_transfers = case when $17 then $14 else h.token_transfers end,
        updated_at = greatest(h.updated_at, $15)
      returning h.id, h.xmax = 0 as created`,
    values: [
      who.id,
      who.principal,
      who.wallet,
      write.name,
      write.description ?? null,
      write.image ?? null,
      write.organization ?? null,
      write.skills ?? null,
      write.domains ?? null,
      jsonOrNull(write.linkedAccounts),
      jsonOrNull(write.services),
      jsonOrNull(write.contact),
      write.token?.tokenId ?? null,
      write.token?.transfers ?? null,
      now,
      write.image !== undefined,
      write.token !== undefined,
      jsonOrNull(write.externalIds),
      jsonOrNull(write.metadata),
      jsonOrNull(write.notificationPreferences),
    ],
  });
  return rows[0];
}

/** Lets one write about a human through at a time. @returns whose principal it is; null when there is no such human */
export async function lockHuman(tx: Queryable, id: string): Promise<string | null> {
  const { rows } = await tx.query<{ principal: string }>(
    "select principal from offchain.human where id = $1 for update",
    [id],
  );
  return rows[0]?.principal ?? null;
}

/** How many links of a human other than this one hold. */
export async function otherLinks(tx: Queryable, id: string, tokenId: number, identity: Address): Promise<number> {
  const { rows } = await tx.query(
    `select count(*)::int4 as links from offchain.human_agent k
     join onchain.agent a on a.token_id = k.token_id and a.owner = k.owner
     where k.human_id = $1 and k.token_id <> $2 and k.transfers = ${transferCount("k.token_id", "$3")}`,
    [id, tokenId, identity],
  );
  return rows[0].links;
}

/**
 * Links an agent to a human while the owner has it; the same owner's link to another human ends. A link made again
 * keeps its time.
 * @returns false when the token is not this owner's
 */
export async function linkHumanAgent(
  tx: Queryable,
  link: { humanId: string; tokenId: number; owner: Address },
  identity: Address,
  now: Date,
): Promise<boolean> {
  const { humanId, tokenId, owner } = link;
  const { rowCount } = await tx.query(
    `insert into offchain.human_agent as k (human_id, token_id, owner, transfers, linked_at)
     select $1, a.token_id, a.owner, ${transferCount("a.token_id", "$4")}, $5
     from onchain.agent a where a.token_id = $2 and a.owner = $3
     on conflict (human_id, token_id) do update set owner = excluded.owner, transfers = excluded.transfers,
       linked_at = case when k.owner = excluded.owner and k.transfers = excluded.transfers then k.linked_at
                        else excluded.linked_at end`,
    [humanId, tokenId, owner, identity, now],
  );
  if (rowCount === 0) return false;
  await tx.query("delete from offchain.human_agent where token_id = $1 and owner = $2 and human_id <> $3", [
    tokenId,
    owner,
    humanId,
  ]);
  return true;
}

/**
 * Removes a human with its links, what is known about its wallet only because of it, and the answers it was given that
 * wait for a retry.
 * @returns its id and how many links went; null when the principal is registered as no human
 */
export async function deleteHuman(tx: Queryable, principal: string): Promise<{ id: string; links: number } | null> {
  const { rows } = await tx.query<{ id: string; wallet: Address | null; links: number }>(
    `delete from offchain.human h where principal = $1
     returning id, wallet, (select count(*)::int4 from offchain.human_agent k where k.human_id = h.id) as links`,
    [principal],
  );
  const [gone] = rows;
  if (!gone) return null;
  await tx.query("delete from offchain.idempotency where scope = $1 and starts_with(body, $2)", [
    principal,
    '{"success":true,"principal":',
  ]);
  if (gone.wallet) await forgetEthosScore(tx, gone.wallet);
  return { id: gone.id, links: gone.links };
}
