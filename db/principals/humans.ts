/** Human principals as they are read: by id, wallet or token, in pages, and with everything their cred is made of. */

import type { Address, Hex } from "../../core/facts.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { HumanFacts } from "../../core/principals/facts.ts";
import { attests, unindexed } from "../attestations.ts";
import { loadFacts } from "../facts.ts";
import { folded } from "../folded-text.ts";
import { isoTime, ZERO_ADDRESS } from "../fragments.ts";
import type { Queryable } from "../transaction.ts";
import { type PageQuery, type PrincipalPage, pageOf } from "./page.ts";
import { holdsToken } from "./token-ownership.ts";

/** How a human is asked for. */
export type HumanRef = { id: string } | { wallet: Address } | { tokenId: number };

/** The contracts and attestations that facts about humans are read by. */
export type HumanSources = { identity: Address; schema: Hex; attesters: readonly Address[] };

/** The human of a reference; null for none. */
export async function humanIdOf(db: Queryable, ref: HumanRef, identity: Address): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    "id" in ref
      ? { name: "humans-by-id", text: "select id from offchain.human where id = $1", values: [ref.id] }
      : "wallet" in ref
        ? { name: "humans-by-wallet", text: "select id from offchain.human where wallet = $1", values: [ref.wallet] }
        : {
            name: "humans-by-token",
            text: `select h.id from offchain.human h where h.token_id = $1 and ${holdsToken("h", "$2")}`,
            values: [ref.tokenId, identity],
          },
  );
  return rows[0]?.id ?? null;
}

/** The human that a principal (a wallet, or `<issuer>#<subject>`) is registered as; null for none. */
export async function humanOfPrincipal(db: Queryable, principal: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>({
    name: "humans-by-principal",
    text: "select id from offchain.human where principal = $1",
    values: [principal],
  });
  return rows[0]?.id ?? null;
}

/** A page of humans, the longest registered first. */
export function listHumans(db: Queryable, query: PageQuery, identity: Address): Promise<PrincipalPage> {
  return pageOf(db, "offchain.human", query, (search, $) => {
    const matches = [`strpos(p.search_name, ${folded(`${$(search)}::text`)}) > 0`];
    if (/^0x[0-9a-f]{0,40}$/i.test(search)) matches.push(`starts_with(p.wallet, ${$(search.toLowerCase())})`);
    if (/^\d{1,15}$/.test(search))
      matches.push(`(p.token_id = ${$(Number(search))} and ${holdsToken("p", $(identity))})`);
    return matches;
  });
}

/** The links that hold, with what their agents did since they came to their owners. $2 is the identity contract. */
const LINKS = `
  select k.token_id, k.linked_at, t.held_since,
    (select count(*) from offchain.session_outcome s
     where s.token_id = k.token_id and s.outcome = 'success'
       and (t.held_since is null or s.recorded_at >= to_timestamp(t.held_since))) as successes,
    (select count(*) from offchain.referral f join onchain.agent n on n.token_id = f.token_id
     where f.referrer_token_id = k.token_id
       and (t.held_since is null or f.created_at >= to_timestamp(t.held_since))) as referrals
  from offchain.human_agent k
  join onchain.agent a on a.token_id = k.token_id and a.owner = k.owner
  cross join lateral (
    select count(*) as transfers, max(x.transferred_at) filter (where x."from" <> '${ZERO_ADDRESS}') as held_since
    from onchain.transfer x where x.contract = $2 and x.token_id = k.token_id::numeric) t
  where k.human_id = h.id and t.transfers = k.transfers`;

/** The attestation of the wallet that lasts longest: an indexed one, or an older one that an agent of the wallet was verified by. */
const ATTESTATION = `
  select json_build_object('expiresAt', known.expires_at) from (
    select t.expires_at from onchain.attestation t
    where ${attests("t", "h.wallet", "$3")} and t.attester = any($4) and t.revoked_at = 0
    union all
    select e.expires_at from onchain.agent a
    join offchain.exchange_verification e on e.token_id = a.token_id and e.recipient = a.owner
    where a.owner = h.wallet and e.schema_uid = $3 and e.attester = any($4) and ${unindexed("e")}
  ) known order by known.expires_at = 0 desc, known.expires_at desc limit 1`;

const LOAD = `
  select json_build_object(
    'id', h.id, 'wallet', h.wallet, 'name', h.name, 'description', h.description, 'image', h.image,
    'organization', h.organization, 'skills', h.skills, 'domains', h.domains,
    'linkedAccounts', h.linked_accounts, 'services', h.services, 'externalIds', h.external_ids, 'metadata', h.metadata,
    'hasEmail', h.contact ? 'email', 'hasTelegram', h.contact ? 'telegram',
    'createdAt', ${isoTime("h.created_at")}, 'updatedAt', ${isoTime("h.updated_at")},
    'tokenId', case when ${holdsToken("h", "$2")} then h.token_id end,
    'attestation', (${ATTESTATION}),
    'ethos', (select json_build_object('value', e.score, 'at', ${isoTime("e.fetched_at")})
              from offchain.ethos_score e where e.wallet = h.wallet),
    'transactions', case when h.transaction_count is not null then
      json_build_object('value', h.transaction_count, 'at', ${isoTime("h.transaction_count_at")}) end,
    'sessionSuccesses', coalesce(l.successes, 0), 'referrals', coalesce(l.referrals, 0)) as facts,
    coalesce(l.links, '[]') as links
  from unnest((select $1::text[])) with ordinality as asked(id, place)
  join offchain.human h on h.id = asked.id
  left join lateral (
    select json_agg(json_build_object('tokenId', token_id, 'heldSince', held_since) order by linked_at, token_id) as links,
           sum(successes)::int8 as successes, sum(referrals)::int8 as referrals
    from (${LINKS}) link) l on true
  order by asked.place`;

type Row = { facts: Omit<HumanFacts, "agents">; links: { tokenId: number; heldSince: number | null }[] };

/**
 * Everything public about humans, in the order asked for; ids that do not exist are left out. Two statements: run it in a
 * snapshot.
 * @throws the driver's error while there is no index (see `isNoIndex`)
 */
export async function loadHumans(
  db: Queryable,
  ids: readonly string[],
  { identity, schema, attesters }: HumanSources,
): Promise<HumanFacts[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<Row>({
    name: "humans-load",
    text: LOAD,
    values: [ids, identity, schema, attesters],
  });
  const tokenIds = new Set(rows.flatMap(({ links }) => links.map(({ tokenId }) => tokenId)));
  const agents = new Map((await loadFacts(db, [...tokenIds])).map((facts) => [facts.tokenId, facts]));
  return rows.map(({ facts, links }) => ({
    ...facts,
    agents: links.flatMap(({ tokenId, heldSince }) => {
      const agent = agents.get(tokenId);
      return agent ? [{ ...agent, heldSince }] : [];
    }),
  }));
}

/** What a principal wrote that only it may see. */
export type PrivateRow = {
  contact: { email?: string; telegram?: string };
  notificationPreferences: JsonObject | Json[];
};

/** What a human wrote that only it may see. */
export async function humanPrivate(db: Queryable, id: string): Promise<PrivateRow | null> {
  const { rows } = await db.query<PrivateRow>({
    name: "humans-private",
    text: `select contact, notification_preferences as "notificationPreferences" from offchain.human where id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Humans, and organizations, that are registered. */
export async function principalTotals(db: Queryable): Promise<{ totalHumans: number; totalOrganizations: number }> {
  const { rows } = await db.query({
    name: "principals-totals",
    text: `select (select count(*) from offchain.human)::int4 as humans,
                  (select count(*) from offchain.organization)::int4 as organizations`,
  });
  return { totalHumans: rows[0].humans, totalOrganizations: rows[0].organizations };
}

/** Wallets of humans whose number of transactions was last told before a moment, or never. */
export async function walletsToCount(db: Queryable, before: Date, limit: number): Promise<Address[]> {
  const { rows } = await db.query<{ wallet: Address }>(
    `select wallet from offchain.human
     where wallet is not null and (transaction_count_at is null or transaction_count_at < $1)
     order by transaction_count_at nulls first limit $2`,
    [before, limit],
  );
  return rows.map(({ wallet }) => wallet);
}

/** Stores how many transactions a wallet has sent. @returns whether that is news */
export async function storeTransactionCount(db: Queryable, wallet: Address, count: number, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `with before as (select transaction_count from offchain.human where wallet = $1),
     stored as (update offchain.human set transaction_count = $2, transaction_count_at = $3 where wallet = $1)
     select from before where transaction_count is distinct from $2`,
    [wallet, count, at],
  );
  return rowCount === 1;
}
