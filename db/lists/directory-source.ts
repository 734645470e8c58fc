/** The directory as a column table: its columns, and how it follows the changes of rows. */
import { type CommitSnapshot, changedBetween } from "../../columns/commit-snapshot.ts";
import { type CopyRow, copyRows, copyValues } from "../../columns/copy-rows.ts";
import { packAddress } from "../../columns/packed-address.ts";
import type { Changes, TableSource } from "../../columns/table-source.ts";
import type { TableDefinition, Values } from "../../columns/values.ts";
import { PROTOCOLS, type Protocol } from "../../core/directory/protocols.ts";
import { PROOF_PLATFORM_KEYS, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { ETHOS } from "../directory/ethos-sql.ts";
import { HAS_TOKEN, trendSql } from "../directory/question-sql.ts";
import { DIRECTORY_CHANNEL } from "../directory/write.ts";
import { openClient } from "../sql/connect.ts";
import { READ_COMMIT_SNAPSHOT } from "../sql/database-clock.ts";
import { statement, t } from "../sql/statement.ts";

/** A flag column for each word of a list. */
const flags = <P extends string, W extends string>(prefix: P, words: readonly W[]) =>
  Object.fromEntries(words.map((word) => [`${prefix}:${word}`, { kind: "flag" }])) as Record<
    `${P}:${W}`,
    { kind: "flag" }
  >;

export const DIRECTORY_COLUMNS = {
  credScore: { kind: "number" },
  /** Milliseconds since the epoch. */
  createdAt: { kind: "number" },
  /** Whole minutes since the epoch, which is as fine as the bounds it is compared with (`boundsOf`). */
  activeMinute: { kind: "number", sorted: false },
  trend: { kind: "number" },
  trend7d: { kind: "number" },
  trend30d: { kind: "number" },
  chain: { kind: "number", sorted: false },
  marketCap: { kind: "number" },
  volume: { kind: "number" },
  priceChange: { kind: "number" },
  liquidity: { kind: "number" },
  ethosScore: { kind: "number" },
  /** Milliseconds since the epoch. */
  updatedAt: { kind: "number" },
  /** Lower case; so are `agentId` and `symbol`. */
  name: { kind: "text" },
  searched: { kind: "search", of: "name" },
  platform: { kind: "text", repeats: true },
  /** Packed (columns/packed-address.ts); not sorted by. */
  address: { kind: "text" },
  /** As `address`; null where both are the same, because a search for either column matches both. */
  owner: { kind: "text" },
  agentId: { kind: "text" },
  symbol: { kind: "text" },
  x402: { kind: "flag" },
  hasToken: { kind: "flag" },
  walletProven: { kind: "flag" },
  coinbase: { kind: "flag" },
  active: { kind: "flag" },
  ...flags<"speaks", Protocol>("speaks", PROTOCOLS),
  ...flags<"proof", ProofPlatformKey>("proof", PROOF_PLATFORM_KEYS),
} as const satisfies TableDefinition;

/** Changes that the snapshot `seen` sees are in the table. */
export type DirectoryState = { seen: CommitSnapshot };

/** SQL of a list of words as one text; null for an empty one, which most are. */
function words(list: string) {
  return `case when ${list} <> '{}' then array_to_string(${list}, ' ') end`;
}

/** Whether each word of a list is in a text of `words`, by text: rows have few different ones. */
function wordFlags(all: readonly string[]) {
  const none = all.map(() => false);
  const cache = new Map<string, boolean[]>();
  return (text: Uint8Array | null): boolean[] => {
    if (text === null) return none;
    const key = Buffer.from(text.buffer, text.byteOffset, text.length).toString("latin1");
    let entry = cache.get(key);
    if (entry === undefined) {
      const said = new Set(key.split(" "));
      entry = all.map((word) => said.has(word));
      cache.set(key, entry);
    }
    return entry;
  };
}
const protocolFlags = wordFlags(PROTOCOLS);
const proofFlags = wordFlags(PROOF_PLATFORM_KEYS);

const VALUES = `d.cred_score, d.created_at, d.active_at, d.trend, ${trendSql("7d")}, ${trendSql("30d")}, d.chain_id,
    d.market_cap_usd, d.volume_24h_usd, d.price_change_24h, d.liquidity_usd, ${ETHOS.score}, d.updated_at,
    d.sort_name, case when d.search_name <> d.sort_name then d.search_name end,
    d.platform, d.address, case when d.owner_address is distinct from d.address then d.owner_address end, lower(d.agent_id), lower(d.token_symbol), d.x402_supported,
    ${HAS_TOKEN}, d.wallet_proven, d.coinbase, d.active, ${words("d.protocols")}, ${words("d.proofs")}`;
/** Index of the field after the values: whether the row was removed. */
const REMOVED = 28;

const wholeMinutes = (ms: number | null) => (ms === null ? null : Math.floor(ms / 60_000));

const read = (row: CopyRow): Values => [
  row.small(1),
  row.time(2),
  wholeMinutes(row.time(3)),
  row.medium(4),
  row.medium(5),
  row.medium(6),
  row.medium(7),
  row.double(8),
  row.double(9),
  row.double(10),
  row.double(11),
  row.medium(12),
  row.time(13),
  row.bytes(14),
  row.bytes(15),
  row.bytes(16),
  packAddress(row.bytes(17)),
  packAddress(row.bytes(18)),
  row.bytes(19),
  row.bytes(20),
  row.flag(21),
  row.flag(22),
  row.flag(23),
  row.flag(24),
  row.flag(25),
  ...protocolFlags(row.bytes(26)),
  ...proofFlags(row.bytes(27)),
];

const COUNT = statement({
  name: "directory-source-count",
  text: "select count(*) as count from offchain.directory where removed_at is null",
  columns: { count: t.int8 },
});

const TOTALS = statement({
  name: "directory-source-totals",
  text: `select count(*)::float8 as count, coalesce(sum(cred_score), 0)::float8 as "credScore"
    from offchain.directory where removed_at is null`,
  columns: { count: t.float8, credScore: t.float8 },
});

export const source: TableSource<DirectoryState> = {
  definition: DIRECTORY_COLUMNS,
  openClient,
  select: `select d.id, ${VALUES} from offchain.directory d ${ETHOS.joins} where d.removed_at is null`,
  read,
  count: async (tx) => (await COUNT.one(tx)).count,
  bytesPerRow: 365,
  totals: (tx) => TOTALS.one(tx),
  channel: DIRECTORY_CHANNEL,

  async begin(tx) {
    return { seen: await READ_COMMIT_SNAPSHOT.one(tx) };
  },

  async sync(tx, { seen }) {
    const now = await READ_COMMIT_SNAPSHOT.one(tx);
    const changes: Changes = { puts: [], sets: [], deletes: [] };
    const changed = changedBetween("s.changed_xid", seen, now);
    const rowChanged = changedBetween("s.row_xid", seen, now);
    await copyRows(
      tx,
      `select s.id, ${VALUES}, s.cred_score is null
       from offchain.directory_score s left join offchain.directory d on d.id = s.id ${ETHOS.joins}
       where ${changed} and ${rowChanged}`,
      (row) => {
        const id = row.integer(0);
        if (row.flag(REMOVED)) changes.deletes.push(id);
        else changes.puts.push([id, copyValues(read(row))]);
      },
    );
    await copyRows(
      tx,
      `select s.id, s.cred_score, d.updated_at
       from offchain.directory_score s join offchain.directory d on d.id = s.id
       where ${changed} and not (${rowChanged}) and s.cred_score is not null`,
      (row) => {
        changes.sets.push([row.integer(0), { credScore: row.small(1), updatedAt: row.time(2) }]);
      },
    );
    return { state: { seen: now }, changes };
  },
};
