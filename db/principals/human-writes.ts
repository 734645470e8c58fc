/** Writes about human principals: registration, links to agents, deletion. */
import { eq } from "drizzle-orm";
import type { Address } from "../../core/agents/facts.ts";
import { forgetLookup } from "../agents/attestation-lookups.ts";
import { transferCount } from "../agents/token-ownership.ts";
import { forgetEthosScore } from "../directory/ethos.ts";
import { human } from "../schema/principals.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { givenOf, type StatedWrite, setsOf, WRITE } from "./stated.ts";

const OWN = {
  name: t.text,
  organization: t.optional(t.text),
  linkedAccounts: t.optional(t.jsonb<Record<string, string>>()),
};
export type HumanWrite = StatedWrite & t.ParamsOf<typeof OWN>;

/**
 * Registers a human, or changes the one this principal is.
 * @param who.id of a new human
 * @returns the human's id, and whether it is new
 */
export const writeHuman = statement({
  name: "human-write",
  given: (who: { id: string; principal: string; wallet: Address | null }, write: HumanWrite, now: Date) => ({
    ...givenOf(write, now),
    ...who,
  }),
  params: { ...WRITE, ...OWN, wallet: t.nullable(t.text) },
  text: `
    insert into offchain.human as h
      (id, principal, wallet, name, description, image, organization, skills, domains, linked_accounts, services,
       contact, token_id, token_transfers, created_at, updated_at, external_ids, metadata, notification_preferences)
    values ($id, $principal, $wallet, $name, coalesce($description, ''), $image, coalesce($organization, ''), coalesce($skills::text[], '{}'), coalesce($domains::text[], '{}'),
            coalesce($linkedAccounts::jsonb, '{}'), coalesce($services::jsonb, '{}'), jsonb_strip_nulls(coalesce($contact::jsonb, '{}')),
            $tokenId, $tokenTransfers, $now, $now, coalesce($externalIds::jsonb, '{}'), coalesce($metadata::jsonb, '{}'), coalesce($notificationPreferences::jsonb, '{}'))
    on conflict (principal) do update set
      name = $name, organization = coalesce($organization, h.organization),
      linked_accounts = coalesce($linkedAccounts::jsonb, h.linked_accounts), ${setsOf("h")}
    returning h.id, h.xmax = 0 as created`,
  columns: { id: t.text, created: t.bool },
  prepared: true,
}).one;

/** Locks a human for a write until the transaction ends. @returns its principal; null when there is no such human */
export async function lockHuman(tx: Queryable, id: string): Promise<string | null> {
  const rows = await orm(tx).select({ principal: human.principal }).from(human).where(eq(human.id, id)).for("update");
  return rows[0]?.principal ?? null;
}

/** Number of a human's links other than this one that hold. */
export const otherLinks = statement({
  name: "human-links-other",
  params: { id: t.text, tokenId: t.int8, identity: t.narrow<Address>(t.text) },
  text: `
    select count(*) as links from offchain.human_agent k
    join onchain.agent a on a.token_id = k.token_id and a.owner = k.owner
    where k.human_id = $id and k.token_id <> $tokenId and k.transfers = ${transferCount("k.token_id", "$identity")}`,
  columns: { links: t.int8 },
}).onlyValue;

const LINK = statement({
  name: "human-link",
  params: { humanId: t.text, tokenId: t.int8, owner: t.text, identity: t.text, now: t.timestamptz },
  text: `
    insert into offchain.human_agent as k (human_id, token_id, owner, transfers, linked_at)
    select $humanId, a.token_id, a.owner, ${transferCount("a.token_id", "$identity")}, $now
    from onchain.agent a where a.token_id = $tokenId and a.owner = $owner
    on conflict (human_id, token_id) do update set owner = excluded.owner, transfers = excluded.transfers,
      linked_at = case when k.owner = excluded.owner and k.transfers = excluded.transfers then k.linked_at
                       else excluded.linked_at end`,
});

const UNLINK_FROM_OTHERS = statement({
  name: "human-unlink-from-others",
  params: { tokenId: t.int8, owner: t.text, humanId: t.text },
  text: "delete from offchain.human_agent where token_id = $tokenId and owner = $owner and human_id <> $humanId",
});

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
  if ((await LINK.run(tx, { ...link, identity, now })) === 0) return false;
  await UNLINK_FROM_OTHERS.run(tx, link);
  return true;
}

/** Ends a link. @returns false when there is none */
export const unlinkHumanAgent = statement({
  name: "human-unlink",
  params: { humanId: t.text, tokenId: t.int8 },
  text: "delete from offchain.human_agent where human_id = $humanId and token_id = $tokenId",
}).found;

const DELETE = statement({
  name: "human-delete",
  params: { principal: t.text },
  text: `
    delete from offchain.human h where principal = $principal
    returning id, wallet, (select count(*) from offchain.human_agent k where k.human_id = h.id) as links`,
  columns: { id: t.text, wallet: t.nullable(t.narrow<Address>(t.text)), links: t.int8 },
});

const DELETE_ANSWERS = statement({
  name: "human-answers-delete",
  params: { principal: t.text },
  text: `
    delete from offchain.idempotency
    where scope = $principal and starts_with(body, '{"success":true,"principal":')`,
});

/**
 * Removes a human with its links, what is known about its wallet only because of it, and the stored answers to its
 * requests that wait for a retry.
 * @returns its id and the number of removed links; null when the principal is registered as no human
 */
export async function deleteHuman(tx: Queryable, principal: string): Promise<{ id: string; links: number } | null> {
  const deleted = await DELETE.maybeOne(tx, { principal });
  if (!deleted) return null;
  await DELETE_ANSWERS.run(tx, { principal });
  if (deleted.wallet) {
    await forgetEthosScore(tx, { wallet: deleted.wallet });
    await forgetLookup(tx, { wallet: deleted.wallet });
  }
  return { id: deleted.id, links: deleted.links };
}
