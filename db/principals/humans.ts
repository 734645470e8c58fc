/** Human principals as they are read: by id, wallet or token, in pages, and with everything their cred is made of. */
import { ZERO_ADDRESS } from "../../core/addresses.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { HumanFacts } from "../../core/principals/facts.ts";
import { attests, foundBefore, unindexed } from "../agents/attestations.ts";
import { loadFacts } from "../agents/facts.ts";
import { holdsToken } from "../agents/token-ownership.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { firstBy, pagesOf } from "./page.ts";

export type HumanRef = { id: string } | { wallet: Address } | { tokenId: number };

/** The contracts and attestations that facts about humans are read by. */
export type HumanSources = { identity: Address; schema: Hex; attesters: readonly Address[] };

const BY_ID = firstBy("human", "id");
const BY_WALLET = firstBy("human", "wallet");
const BY_TOKEN = statement({
  name: "humans-by-token",
  params: { tokenId: t.int8, identity: t.text },
  text: `select h.id from offchain.human h where h.token_id = $tokenId and ${holdsToken("h", "$identity")}`,
  columns: { id: t.text },
  prepared: true,
}).value;
/** What a human calls itself; null for an unknown id. */
export const humanName = statement({
  name: "human-name",
  params: { id: t.text },
  text: "select name from offchain.human where id = $id",
  columns: { name: t.text },
  prepared: true,
}).value;

/** Id of the human that a principal (a wallet, or `<issuer>#<subject>`) is registered as; null when there is none. */
export const humanOfPrincipal = firstBy("human", "principal");

/** Id of the human of a reference; null when there is none. */
export const humanIdOf = (db: Queryable, ref: HumanRef, identity: Address): Promise<string | null> =>
  "id" in ref
    ? BY_ID(db, { value: ref.id })
    : "wallet" in ref
      ? BY_WALLET(db, { value: ref.wallet })
      : BY_TOKEN(db, { tokenId: ref.tokenId, identity });

export const listHumans = pagesOf("human");

/** The links that hold, with what their agents did since they came to their owners. $identity is the identity contract. */
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
    from onchain.transfer x where x.contract = $identity and x.token_id = k.token_id::numeric) t
  where k.human_id = h.id and t.transfers = k.transfers`;

/** The attestation of the wallet that lasts longest: an indexed one, or an older one that was looked up or that an agent of the wallet was verified by. */
const ATTESTATION = `
  select json_build_object('expiresAt', known.expires_at) from (
    select t.expires_at from onchain.attestation t
    where ${attests("t", "h.wallet", "$schema")} and t.attester = any($attesters) and t.revoked_at = 0
    union all
    select l.expires_at from offchain.attestation_lookup l
    where ${foundBefore("l", "h.wallet", "$schema")} and l.attester = any($attesters)
    union all
    select e.expires_at from onchain.agent a
    join offchain.exchange_verification e on e.token_id = a.token_id and e.recipient = a.owner
    where a.owner = h.wallet and e.schema_uid = $schema and e.attester = any($attesters) and ${unindexed("e")}
  ) known order by known.expires_at = 0 desc, known.expires_at desc limit 1`;

type LoadedLink = { tokenId: number; heldSince: number | null };

const LOAD = statement({
  name: "humans-load",
  params: { ids: t.array(t.text), identity: t.text, schema: t.text, attesters: t.array(t.text) },
  text: `
  select json_build_object(
    'id', h.id, 'wallet', h.wallet, 'name', h.name, 'description', h.description, 'image', h.image,
    'organization', h.organization, 'skills', h.skills, 'domains', h.domains,
    'linkedAccounts', h.linked_accounts, 'services', h.services, 'externalIds', h.external_ids, 'metadata', h.metadata,
    'hasEmail', h.contact ? 'email', 'hasTelegram', h.contact ? 'telegram',
    'createdAt', ${t.isoTime("h.created_at")}, 'updatedAt', ${t.isoTime("h.updated_at")},
    'tokenId', case when ${holdsToken("h", "$identity")} then h.token_id end,
    'attestation', (${ATTESTATION}),
    'ethos', (select json_build_object('value', e.score, 'at', ${t.isoTime("e.fetched_at")})
              from offchain.ethos_score e where e.wallet = h.wallet and e.fetched_at is not null),
    'transactions', case when h.transaction_count is not null then
      json_build_object('value', h.transaction_count, 'at', ${t.isoTime("h.transaction_count_at")}) end,
    'sessionSuccesses', coalesce(l.successes, 0), 'referrals', coalesce(l.referrals, 0)) as facts,
    coalesce(l.links, '[]') as links
  from unnest((select $ids::text[])) with ordinality as asked(id, place)
  join offchain.human h on h.id = asked.id
  left join lateral (
    select json_agg(json_build_object('tokenId', token_id, 'heldSince', held_since) order by linked_at, token_id) as links,
           sum(successes)::int8 as successes, sum(referrals)::int8 as referrals
    from (${LINKS}) link) l on true
  order by asked.place`,
  columns: { facts: t.json<Omit<HumanFacts, "agents">>(), links: t.json<LoadedLink[]>() },
  prepared: true,
});

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
  const rows = await LOAD.rows(db, { ids, identity, schema, attesters });
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

export const PRIVATE_COLUMNS = {
  contact: t.jsonb<{ email?: string; telegram?: string }>(),
  notificationPreferences: t.jsonb<JsonObject | Json[]>(),
};
/** What a principal wrote that only it may see. */
export type PrivateRow = t.RowOf<typeof PRIVATE_COLUMNS>;

/** The private fields of a human; null when there is none of this id. */
export const humanPrivate = statement({
  name: "humans-private",
  params: { id: t.text },
  text: 'select contact, notification_preferences as "notificationPreferences" from offchain.human where id = $id',
  columns: PRIVATE_COLUMNS,
  prepared: true,
}).maybeOne;

/** Numbers of registered humans and organizations. */
export const principalTotals = statement({
  name: "principals-totals",
  text: `select (select count(*) from offchain.human)::int4 as "totalHumans",
                (select count(*) from offchain.organization)::int4 as "totalOrganizations"`,
  columns: { totalHumans: t.int4, totalOrganizations: t.int4 },
  prepared: true,
}).one;

/**
 * Wallets of humans whose number of transactions was last read before a time, or never: one of each in turn, the oldest first.
 */
export const walletsToCount = statement({
  name: "humans-wallets-to-count",
  params: { before: t.timestamptz, limit: t.int8 },
  text: `
    select wallet from offchain.human
    where wallet is not null and (transaction_count_at is null or transaction_count_at < $before)
    order by row_number() over (partition by transaction_count_at is null order by transaction_count_at, created_at),
      transaction_count_at limit $limit`,
  columns: { wallet: t.filtered(t.narrow<Address>(t.text)) },
}).values;

/** Stores the number of transactions that a wallet has sent. @returns whether the number is a new one */
export const storeTransactionCount = statement({
  name: "humans-store-transaction-count",
  params: { wallet: t.text, count: t.int8, at: t.timestamptz },
  text: `
    with before as (select transaction_count from offchain.human where wallet = $wallet),
    stored as (update offchain.human set transaction_count = $count, transaction_count_at = $at where wallet = $wallet)
    select from before where transaction_count is distinct from $count`,
}).found;
