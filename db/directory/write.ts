/** Writes rows of the directory: set-based, each in the order of the ids, and only where something is different. */
import type pg from "pg";
import type { DirectoryEntry } from "../../core/directory/entry.ts";
import { OWN_PLATFORM, provesWallets } from "../../core/directory/platforms.ts";
import { protocolsOf } from "../../core/directory/protocols.ts";
import { statement, t } from "../sql/statement.ts";
import { asksX402 } from "./offers-sql.ts";
import { foreignScoreSql, ownerAttested } from "./score-sql.ts";
import { countedMarket, tokenCounts } from "./token-sql.ts";

/** Platforms in the order of the alphabet, as `directory.proofs` has them. @param tokenId SQL of the agent's token id */
const proofsOf = (tokenId: string) => `array(
  select p.platform from offchain.proof p where p.token_id = ${tokenId} and p.status <> 'lapsed' order by p.platform)`;

/** NOTIFY channel of changes of the directory (db/triggers.sql). */
export const DIRECTORY_CHANNEL = "directory";

export type ScoreRules = {
  now: Date;
  /** EAS schema of the exchange's verified account. */
  exchangeSchema: string;
};

/** Columns written from an entry, with the type in which JSON brings them. */
const COLUMNS = {
  address: ["address", "text"],
  token_id: ["tokenId", "int8"],
  chain_id: ["chainId", "int4"],
  name: ["name", "text"],
  description: ["description", "text"],
  image_url: ["imageUrl", "text"],
  registry: ["registry", "text"],
  owner_address: ["ownerAddress", "text"],
  services: ["services", "jsonb"],
  x402_stated: ["x402Supported", "bool"],
  active: ["active", "bool"],
  // By a foreign registry; the next one says it of own agents only (core/directory/entry.ts).
  wallet_proven: ["walletProven", "bool"],
  wallet_confirmed: ["walletConfirmed", "bool"],
  trait_count: ["traitCount", "int4"],
  created_at: ["createdAt", "timestamptz"],
  token_address: ["tokenAddress", "text"],
  token_symbol: ["tokenSymbol", "text"],
  token_name: ["tokenName", "text"],
  uses: ["uses", "int4"],
  used_at: ["usedAt", "timestamptz"],
} as const satisfies Record<string, readonly [keyof DirectoryEntry, string]>;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** The market columns, as far as the row's token counts. */
const MARKET = {
  ...countedMarket("x.token_counts"),
  traded_at: "case when x.token_counts and m.volume_24h_usd > 0 then m.fetched_at end",
};
const MARKET_NAMES = Object.keys(MARKET) as (keyof typeof MARKET)[];

const WRITTEN = [...NAMES, ...MARKET_NAMES, "x402_supported", "protocols", "proofs", "coinbase", "token_counts"];

/**
 * Own rows have the score that every other view shows: the stored one, or the entry's until there is one. The score of a
 * foreign row is computed from the row. Proofs and the exchange's attestation of own rows are those that their score counts.
 */
const UPSERT = statement({
  name: "directory-upsert",
  params: { entries: t.json<readonly DirectoryEntry[]>(), now: t.int8, exchangeSchema: t.text },
  text: `
  with entry as (
    select * from json_to_recordset($entries) as r(platform text, "agentId" text, score int2, protocols text[],
      ${NAMES.map((name) => `"${COLUMNS[name][0]}" ${COLUMNS[name][1]}`).join(", ")})
  ), named as (
    select platform, "agentId" as agent_id, score, protocols, ${NAMES.map((name) => `"${COLUMNS[name][0]}" as ${name}`).join(", ")}
    from entry
  ), valued as (
    select r.*, ${MARKET_NAMES.map((name) => `${MARKET[name]} as ${name}`).join(", ")},
      case when r.platform = '${OWN_PLATFORM}'
           then coalesce((select c.score from offchain.cred c where c.token_id = r.token_id), r.score)
           else ${foreignScoreSql("r", "$now::int8", "x.coinbase")} end as cred_score,
      case when r.platform = '${OWN_PLATFORM}' then ${proofsOf("r.token_id")} else '{}' end as proofs, x.coinbase,
      x.token_counts, r.x402_stated or ${asksX402("known.id")} as x402_supported
    from named r
    left join offchain.directory known on known.platform = r.platform and known.agent_id = r.agent_id
    cross join lateral (
      select case when r.platform = '${OWN_PLATFORM}'
        then coalesce((select c.coinbase > 0 from offchain.cred c where c.token_id = r.token_id), false)
        else ${ownerAttested("r", "$now::int8", "$exchangeSchema::text")} end as coinbase,
        ${tokenCounts("r")} as token_counts offset 0) x
    left join offchain.token_market m on m.token_address = r.token_address
  )
  insert into offchain.directory as d (platform, agent_id, cred_score, ${WRITTEN.join(", ")})
  select platform, agent_id, cred_score, ${WRITTEN.join(", ")} from valued
  on conflict (platform, agent_id) do update set cred_score = excluded.cred_score, removed_at = null,
    address_since = case when (d.address, d.wallet_proven, coalesce(d.wallet_confirmed, false)) is distinct from
      (excluded.address, excluded.wallet_proven, coalesce(excluded.wallet_confirmed, false))
      then to_timestamp($now::int8) else d.address_since end,
    ${WRITTEN.map((name) => `${name} = excluded.${name}`).join(", ")}
  where d.removed_at is not null
    or (d.cred_score, ${WRITTEN.map((name) => `d.${name}`).join(", ")})
      is distinct from (excluded.cred_score, ${WRITTEN.map((name) => `excluded.${name}`).join(", ")})`,
});

/** Locks the rows of some agents in the order of their ids. */
const LOCK = statement({
  name: "directory-lock",
  params: { entries: t.records({ platform: t.text, agentId: t.text }) },
  text: `
    select from offchain.directory d join $entries on d.platform = entries.platform and d.agent_id = entries.agent_id
    order by d.id for no key update of d`,
});

/** An entry of the own registry, with the score to show while none is stored. */
export type OwnEntry = DirectoryEntry & { score: number };

/**
 * Writes entries as they are now, each (platform, id) at most once. Part of the caller's transaction, which must be READ
 * COMMITTED: what another one has written meanwhile is seen once its rows are locked.
 * @returns how many rows are different now
 */
export async function upsertEntries(
  tx: pg.ClientBase,
  entries: readonly (DirectoryEntry | OwnEntry)[],
  rules: ScoreRules,
): Promise<number> {
  if (entries.length === 0) return 0;
  await LOCK.run(tx, { entries });
  // Whether a registry proves wallets is a property of its platform: an entry of another one cannot say so.
  const checked = entries.map((entry) => ({
    ...entry,
    walletProven: entry.walletProven && provesWallets(entry.platform),
    protocols: protocolsOf(
      entry.services.map(({ name }) => name.toLowerCase()),
      entry.x402Supported,
    ),
  }));
  return UPSERT.run(tx, { entries: checked, now: seconds(rules.now), exchangeSchema: rules.exchangeSchema });
}

/** Removes agents from the directory that are no longer in their registry. @returns how many there were */
export const removeEntries = statement({
  name: "directory-remove",
  params: { platform: t.text, agentIds: t.array(t.text), now: t.timestamptz },
  unlessEmpty: "agentIds",
  text: `
    update offchain.directory set removed_at = $now
    where id in (select id from offchain.directory
      where platform = $platform and agent_id = any($agentIds) and removed_at is null order by id for no key update)`,
}).run;

/**
 * SQL of an UPDATE that marks rows as changed because of something shown with them: a claim, a quote, a score at Ethos. Readers
 * that keep rows as they are shown then read them again. The mark of a row is in its row of `directory_score`, where a
 * trigger marks changes of the row itself.
 * @param ids SQL that selects the rows as `id`
 */
export const touchRows = (ids: string) => `
  update offchain.directory_score set changed_xid = pg_current_xact_id(), row_xid = pg_current_xact_id()
  where id in (select s.id from offchain.directory_score s where s.id in (${ids}) order by s.id for no key update)`;

/** Ids of one statement of a rescore; keeps its locks short. */
const RESCORE_RANGE = 20_000;

const LAST_ID = statement({
  name: "directory-last-id",
  text: "select coalesce(max(id), 0) as last from offchain.directory",
  columns: { last: t.int8 },
});
const RESCORE = statement({
  name: "directory-rescore",
  params: { now: t.int8, exchangeSchema: t.text, from: t.int8, to: t.int8 },
  text: `
    with differing as materialized (
      select d.id, s.score, x.coinbase from offchain.directory d,
        lateral (select ${ownerAttested("d", "$now::int8", "$exchangeSchema::text")} as coinbase offset 0) x,
        lateral (select ${foreignScoreSql("d", "$now::int8", "x.coinbase")} as score) s
      where d.id between $from and $to and d.platform <> '${OWN_PLATFORM}' and d.removed_at is null
        and (d.cred_score, d.coinbase) <> (s.score, x.coinbase)
      order by d.id for no key update of d)
    update offchain.directory d set cred_score = n.score, coinbase = n.coinbase from differing n where d.id = n.id`,
});

/**
 * Computes the scores of all foreign rows again: ages grow, attestations are made and revoked, wallets get identities.
 * Check then write: a score differs, then its update; an entry may be written meanwhile: one statement, which locks the
 * rows in the order of their ids.
 * @returns how many changed
 */
export async function rescoreForeign(pool: pg.Pool, { now, exchangeSchema }: ScoreRules): Promise<number> {
  const { last } = await LAST_ID.one(pool);
  let changed = 0;
  for (let from = 0; from <= last; from += RESCORE_RANGE)
    changed += await RESCORE.run(pool, { now: seconds(now), exchangeSchema, from, to: from + RESCORE_RANGE - 1 });
  return changed;
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
