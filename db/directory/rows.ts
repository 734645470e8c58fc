/** Rows of the directory as they are shown: by their ids for a page, by address, agent id or token id for one. */
import type { Address } from "../../core/agents/facts.ts";
import type { Service } from "../../core/directory/entry.ts";
import { OWN_PLATFORM, type PlatformKey, readGlobalId, readRowRef, rowRef } from "../../core/directory/platforms.ts";
import type { DirectoryRow, TerminalDetail } from "../../core/directory/row.ts";
import { fail } from "../../core/errors.ts";
import { listed } from "../../core/text.ts";
import { agentsOfWallets, MAX_CANDIDATES } from "../agents/wallets.ts";
import { statement, t } from "../sql/statement.ts";
import { type Queryable, withoutIndex } from "../sql/transaction.ts";
import { ERC8004 } from "./erc8004-rows.ts";
import { ETHOS } from "./ethos-sql.ts";
import { PRICE_CHANGE } from "./token-sql.ts";

/** What the market says about a token; null where it does not know it. */
function marketOf(token: string): string {
  return `(
    select json_build_object(
      'symbol', m.symbol, 'name', m.name, 'marketCapUsd', m.market_cap_usd, 'priceChange24h', ${PRICE_CHANGE},
      'volume24hUsd', m.volume_24h_usd, 'liquidityUsd', m.liquidity_usd, 'source', m.source)
    from offchain.token_market m where m.token_address = ${token} and m.known)`;
}

/** The members of a `DirectoryRow`, of a row `d`. Postgres makes an object of a row sooner than of a list of its members. */
const MEMBERS = `
  d.id, d.platform, d.agent_id as "agentId", d.address, d.token_id as "tokenId", d.chain_id as "chainId", d.name,
  d.description, d.image_url as "imageUrl", d.registry, d.owner_address as "ownerAddress",
  d.x402_supported as "x402Supported", d.active, d.wallet_proven as "walletProven", d.wallet_confirmed as "walletConfirmed",
  ${t.isoTime("d.created_at")} as "createdAt", d.cred_score as "credScore", ${ETHOS.score} as "ethosScore",
  d.token_address as "tokenAddress", d.token_symbol as "tokenSymbol", d.token_name as "tokenName",
  d.token_counts as "tokenCounts", ${marketOf("d.token_address")} as market, ${t.isoTime("d.updated_at")} as "updatedAt",
  (
    select json_build_object(
      'tokenAddress', c.token_address, 'tokenSymbol', c.token_symbol, 'tokenName', c.token_name,
      'marketCapUsd', c.market_cap_usd, 'market', ${marketOf("c.token_address")})
    from offchain.directory_claim c where c.directory_id = d.id) as claim`;

const ROWS = statement({
  name: "directory-rows",
  params: { ids: t.array(t.int8) },
  text: `
    select coalesce(json_agg(shown), '[]') as rows
    from (
      select ${MEMBERS}
      from unnest((select $ids::int8[])) with ordinality as asked(id, place)
      join offchain.directory d on d.id = asked.id and d.removed_at is null
      ${ETHOS.joins}
      order by asked.place) shown`,
  columns: { rows: t.json<DirectoryRow[]>() },
  prepared: true,
});

/** Rows by id, in the order of `ids`; removed rows are left out. */
export async function directoryRows(db: Queryable, ids: readonly number[]): Promise<DirectoryRow[]> {
  if (ids.length === 0) return [];
  // One text of all rows is read in half the time of a text for each.
  return (await ROWS.one(db, { ids })).rows;
}

const FIND = statement({
  name: "directory-find",
  params: {
    word: t.text,
    tokenId: t.nullable(t.int8),
    platform: t.nullable(t.text),
    agent: t.nullable(t.int8),
    most: t.int8,
  },
  text: `
    select d.id, d.platform, d.agent_id as "agentId" from offchain.directory d
    where d.removed_at is null
      and (d.address collate "C" = $word::text or lower(d.agent_id) = $word::text or d.token_id = $tokenId::int8)
      and ($platform::text is null or d.platform = $platform::text)
    order by d.platform = '${OWN_PLATFORM}' desc, d.platform = '${OWN_PLATFORM}' and d.token_id is not distinct from $agent::int8 desc,
      d.cred_score desc, d.id limit $most`,
  columns: { id: t.int8, platform: t.text, agentId: t.text },
  prepared: true,
});

const FIND_GLOBAL = statement({
  name: "directory-find-global",
  params: { chainId: t.int8, registry: t.nullable(t.text), agentId: t.text },
  text: `
    select d.id from offchain.directory d
    where d.removed_at is null and lower(d.agent_id) = $agentId::text
      and d.chain_id = $chainId::int8 and d.platform in ('${OWN_PLATFORM}', '${ERC8004}')
      and (d.registry = $registry::text or $registry::text is null and d.platform = '${ERC8004}')`,
  columns: { id: t.int8 },
});

/** Ids of some registries differ in the case of their letters alone. */
const FIND_ROW = statement({
  name: "directory-find-row",
  params: { platform: t.text, agentId: t.text },
  text: `
    select d.id from offchain.directory d
    where d.removed_at is null and d.platform = $platform and lower(d.agent_id) = lower($agentId::text)
    order by d.agent_id = $agentId::text desc, d.id limit 1`,
  columns: { id: t.int8 },
  prepared: true,
});

/**
 * The id of the row that a reference means: an address, an agent's id or a token id, in any case. Of several the own
 * registry's, and there the agent that every look-up by wallet finds; else the one with the highest score, else the oldest.
 * `helixa-<token id>` is an own agent: an agent of another registry that is called so is found in its platform only.
 * @param ref also a `GlobalId` or a `rowRef`, which mean one agent, of an indexed registry whatever the platform
 * @param platform looks among its agents only
 * @returns null for an unknown one
 */
export async function findDirectoryId(db: Queryable, ref: string, platform?: PlatformKey): Promise<number | null> {
  const named = await findNamed(db, ref, platform);
  return named === undefined ? ((await findAll(db, ref, platform, 1))[0]?.id ?? null) : named;
}

/** The row of a reference that means no other; undefined for a reference that may mean several. */
async function findNamed(db: Queryable, ref: string, platform?: PlatformKey): Promise<number | null | undefined> {
  const isIndexed = (key: PlatformKey) => key === OWN_PLATFORM || key === ERC8004;
  const named = readGlobalId(ref);
  if (named !== null && (platform === undefined || isIndexed(platform))) return await FIND_GLOBAL.value(db, named);
  const row = readRowRef(ref);
  if (row === null || (platform ?? row.platform) !== row.platform) return undefined;
  const id = await FIND_ROW.value(db, row);
  // Other registries let agents choose ids, which may begin so.
  return id ?? (isIndexed(row.platform) ? null : undefined);
}

async function findAll(db: Queryable, ref: string, platform: PlatformKey | undefined, most: number) {
  const word = ref.toLowerCase();
  const tokenId = /^(0|[1-9]\d{0,15})$/.test(ref) && Number.isSafeInteger(Number(ref)) ? Number(ref) : null;
  const agent = isAddress(word) ? await agentOfWallet(db, word) : null;
  return FIND.rows(db, { word, tokenId, platform: platform ?? null, agent, most });
}

const isAddress = (word: string): word is Address => /^0x[0-9a-f]{40}$/.test(word);

/**
 * The row that a write is about: as `findDirectoryId`, but an id that several agents have means none of them. The agents of
 * an address are one to their wallet: the first is taken.
 * @throws Failure conflict, with the references of the agents
 */
export async function writtenDirectoryId(db: Queryable, ref: string, platform?: PlatformKey): Promise<number | null> {
  const named = await findNamed(db, ref, platform);
  if (named !== undefined) return named;
  const found = await findAll(db, ref, platform, isAddress(ref.toLowerCase()) ? 1 : MAX_CANDIDATES);
  if (found.length < 2) return found[0]?.id ?? null;
  const candidates = found.map((row) => rowRef(row.platform, row.agentId));
  return fail("conflict", `Several agents have this id: ${listed(candidates)}.`, {
    hint: "Name the agent by one of these, which are `token_id` of its row.",
    extra: { candidates },
  });
}

/** The directory is there before the index. */
async function agentOfWallet(db: Queryable, wallet: Address): Promise<number | null> {
  const agents = await agentsOfWallets(db, [wallet]).catch(withoutIndex(null));
  return agents?.get(wallet) ?? null;
}

/** Max rows of one wallet, and max items of one row, in an answer: an agent may have any number. */
const MAX_SHOWN = 100;

/** A row with its background, in one statement; null when it is gone. */
export const directoryDetail = statement({
  name: "directory-detail",
  params: { id: t.int8 },
  text: `
      select (select row_to_json(shown) from (select ${MEMBERS}) shown) as row, coalesce(d.services, '[]') as services,
        (select coalesce(json_agg(json_build_object('id', o.id, 'platform', o.platform, 'agent_id', o.agent_id,
                  'name', o.name, 'cred_score', o.cred_score) order by o.cred_score desc, o.id), '[]')
         from (select o.* from offchain.directory_alias mine
               join offchain.directory_alias a on a.wallet collate "C" = mine.wallet
               join offchain.directory o on o.id = a.directory_id and o.platform <> d.platform and o.removed_at is null
               where mine.directory_id = d.id
               order by o.cred_score desc, o.id limit ${MAX_SHOWN}) o) as "sameAs",
        (select coalesce(json_agg(json_build_object('source', i.source, 'source_id', i.source_id,
                  'fetched_at', ${t.isoTime("i.fetched_at")}, 'warnings', i.warnings) order by i.source, i.source_id), '[]')
         from (select * from offchain.directory_item i where i.platform = d.platform and i.agent_id = d.agent_id
               order by i.source, i.source_id limit ${MAX_SHOWN}) i) as provenance
      from offchain.directory d ${ETHOS.joins} where d.id = $id and d.removed_at is null`,
  columns: {
    row: t.json<DirectoryRow>(),
    services: t.jsonb<Service[]>(),
    sameAs: t.json<TerminalDetail["same_as"]>(),
    provenance: t.json<TerminalDetail["provenance"]>(),
  },
  prepared: true,
}).maybeOne;
