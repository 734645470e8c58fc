/** The directory as a column table: its columns, and how it follows the changes of rows. */
import { type CommitSnapshot, changedBetween } from "../../columns/commit-snapshot.ts";
import { type CopyRow, copyRows, copyValues } from "../../columns/copy-rows.ts";
import { packAddress } from "../../columns/packed-address.ts";
import type { Changes, TableSource } from "../../columns/table-source.ts";
import type { TableDefinition, Values } from "../../columns/values.ts";
import { openClient } from "../connect.ts";
import { ETHOS } from "../directory/ethos-sql.ts";
import { float8, int8, statement } from "../statement.ts";
import { READ_COMMIT_SNAPSHOT } from "./commit-snapshot.ts";

export const DIRECTORY_COLUMNS = {
  credScore: { kind: "number" },
  /** Milliseconds since the epoch, as `activeAt`. */
  createdAt: { kind: "number" },
  activeAt: { kind: "number" },
  trend: { kind: "number" },
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
  platform: { kind: "text" },
  /** Packed (columns/packed-address.ts); not sorted by. */
  address: { kind: "text" },
  /** As `address`; null where both are the same, because a search for either column matches both. */
  owner: { kind: "text" },
  agentId: { kind: "text" },
  symbol: { kind: "text" },
  x402: { kind: "flag" },
} as const satisfies TableDefinition;

/** Changes that the snapshot `seen` sees are in the table. */
export type DirectoryState = { seen: CommitSnapshot };

const VALUES = `d.cred_score, d.created_at, d.active_at, d.trend,
    d.market_cap_usd, d.volume_24h_usd, d.price_change_24h, d.liquidity_usd, ${ETHOS.score}, d.updated_at,
    d.sort_name, case when d.search_name <> d.sort_name then d.search_name end,
    d.platform, d.address, case when d.owner_address is distinct from d.address then d.owner_address end, lower(d.agent_id), lower(d.token_symbol), d.x402_supported`;
/** Index of the field after the values: whether the row was removed. */
const REMOVED = 19;

const read = (row: CopyRow): Values => [
  row.small(1),
  row.time(2),
  row.time(3),
  row.medium(4),
  row.double(5),
  row.double(6),
  row.double(7),
  row.double(8),
  row.medium(9),
  row.time(10),
  row.bytes(11),
  row.bytes(12),
  row.bytes(13),
  packAddress(row.bytes(14)),
  packAddress(row.bytes(15)),
  row.bytes(16),
  row.bytes(17),
  row.flag(18),
];

/** Channel that announces changes. No writer notifies on it yet, so changes are found by polling. */
const CHANNEL = "directory";

const COUNT = statement({
  name: "directory-source-count",
  text: "select count(*) as count from offchain.directory where removed_at is null",
  columns: { count: int8 },
});

const TOTALS = statement({
  name: "directory-source-totals",
  text: `select count(*)::float8 as count, coalesce(sum(cred_score), 0)::float8 as "credScore"
    from offchain.directory where removed_at is null`,
  columns: { count: float8, credScore: float8 },
});

export const source: TableSource<DirectoryState> = {
  definition: DIRECTORY_COLUMNS,
  openClient,
  select: `select d.id, ${VALUES} from offchain.directory d ${ETHOS.joins} where d.removed_at is null`,
  read,
  count: async (tx) => (await COUNT.one(tx)).count,
  bytesPerRow: 325,
  totals: (tx) => TOTALS.one(tx),
  channel: CHANNEL,

  async begin(tx) {
    return { seen: await READ_COMMIT_SNAPSHOT.one(tx) };
  },

  async sync(tx, { seen }) {
    const now = await READ_COMMIT_SNAPSHOT.one(tx);
    const changes: Changes = { puts: [], sets: [], deletes: [] };
    await copyRows(
      tx,
      `select s.id, ${VALUES}, s.cred_score is null
       from offchain.directory_score s left join offchain.directory d on d.id = s.id ${ETHOS.joins}
       where ${changedBetween("s.changed_xid", seen, now)}`,
      (row) => {
        const id = row.integer(0);
        if (row.flag(REMOVED)) changes.deletes.push(id);
        else changes.puts.push([id, copyValues(read(row))]);
      },
    );
    return { state: { seen: now }, changes };
  },
};
