/** Reads the tables of a snapshot as lines of JSON, all from one state of the database. */
import type pg from "pg";
import { rowsInTurns } from "../../columns/copy-rows.ts";
import type { SnapshotContent } from "../../core/snapshots/manifest.ts";
import { type IndexState, readIndexState } from "../operations/index-state.ts";
import { openClient } from "../sql/connect.ts";
import { statement, t } from "../sql/statement.ts";
import { transaction, withoutTimeLimits } from "../sql/transaction.ts";
import { NEWEST_EPOCH, SNAPSHOT_TABLES } from "./tables.ts";

const HEAD = statement({
  name: "snapshot-head",
  text: `
    select date_trunc('second', now()) as "takenAt", l.head as events, l.cred_after as "credUpdates", to_json(e) as epoch
    from offchain.event_log l left join lateral (
      select epoch, root, contract, leaves, block, ${t.isoTime("computed_at")} as "computedAt", state, tx_hash as "txHash"
      from offchain.cred_epoch where epoch = ${NEWEST_EPOCH}) e on true`,
  columns: {
    takenAt: t.timestamptz,
    events: t.int8,
    credUpdates: t.int8,
    epoch: t.nullable(t.json<NonNullable<SnapshotContent["epoch"]>>()),
  },
});
export type SnapshotHead = Awaited<ReturnType<typeof HEAD.one>> & { index: IndexState };

/** Of rows that are made, and then written. */
const TURN = { rows: 1_000, length: 8 << 20 };

/** The state that all tables are read from. */
export type SnapshotReader = SnapshotHead & {
  /** Calls back for each row of a table, in the order of its key. The rows of a turn are in memory meanwhile. */
  lines(table: string, onLine: (json: Uint8Array) => void): Promise<void>;
};

/**
 * Lets `work` read one state of the database, on a connection of its own. The indexer cannot switch its views before the end.
 * @param url of the database, with its password
 */
export async function readSnapshot<T>(url: string, work: (reader: SnapshotReader) => Promise<T>): Promise<T> {
  const client = openClient({ connectionString: url, application_name: "snapshot", connectionTimeoutMillis: 5_000 });
  // The statement that is running rejects with the error.
  client.on("error", () => {});
  await client.connect();
  try {
    const begin = withoutTimeLimits("begin isolation level repeatable read read only");
    // One core of the database, and no other.
    const settings = "set local timezone = 'UTC'; set local max_parallel_workers_per_gather = 0";
    return await transaction(client, async (tx) => work(await openReader(tx)), `${begin}; ${settings}`);
  } finally {
    await client.end();
  }
}

async function openReader(tx: pg.ClientBase): Promise<SnapshotReader> {
  const index = await readIndexState(tx);
  return {
    ...(await HEAD.one(tx)),
    index,
    lines: (name, onLine) => {
      const { select, key, columns } = SNAPSHOT_TABLES[name]!;
      // By their bytes: readers compare texts without knowing the collation of this database.
      const order = key.map((column) => `s.${column}${columns[column] === "VARCHAR" ? ' collate "C"' : ""}`).join(", ");
      const rows = `select row_to_json(s)::text from (${select}) s order by ${order}`;
      return rowsInTurns(tx, rows, TURN, (line) => onLine(Buffer.from(line)));
    },
  };
}
