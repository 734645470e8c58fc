/**
 * Replaces a part of Ponder's sync store (see chain-data-inserts.ts): the inserts of fetched blocks, transactions and logs.
 *
 * In a backfill Ponder inserts each block, its transactions and its logs by statements of their own, with one parameter for
 * each value. Building and parsing these statements took more time than anything else. Here inserts that wait for the
 * connection share one statement, which has the same text every time and one parameter: the rows as JSON.
 */
import { sql } from "drizzle-orm";
import { ponderModule } from "./replace-module.ts";

type Row = Record<string, unknown>;
type Insert = (given: { chainId: number } & Record<string, unknown>, context?: unknown) => Promise<void>;
/** Of Ponder's query builder: runs a statement with Ponder's metrics, retries and kinds of errors. */
type QueryBuilder = {
  wrap(
    options: { label: string },
    run: (db: { execute(statement: unknown): Promise<unknown> }) => unknown,
    context?: unknown,
  ): Promise<unknown>;
};
type SyncStore = Record<string, unknown> & Record<"insertBlocks" | "insertTransactions" | "insertLogs", Insert>;
type Original = { createSyncStore(given: { common: unknown; qb: QueryBuilder }): SyncStore };
type Encode = Record<"encodeBlock" | "encodeTransaction" | "encodeLog", (given: Row) => Row>;

const { createSyncStore: createOriginal } = await ponderModule<Original>("sync-store/index.js");
const { encodeBlock, encodeTransaction, encodeLog } = await ponderModule<Encode>("sync-store/encode.js");

/** Max rows of one statement. */
const MAX_ROWS = 2_000;

/** Ponder's sync store with other inserts. One that is open inside a transaction belongs to it, as Ponder's own does. */
export function createSyncStore(given: { common: unknown; qb: QueryBuilder }): SyncStore {
  const into = (table: string, insertName: string, toRow: (item: unknown, chainId: number) => Row) =>
    grouped((rows, context) => {
      const statement = sql`insert into ${sql.raw(`"ponder_sync"."${table}"`)}
        select * from json_populate_recordset(null::${sql.raw(`"ponder_sync"."${table}"`)}, ${asJson(rows)}::json)
        on conflict do nothing`;
      return given.qb.wrap({ label: insertName }, (db) => db.execute(statement), context);
    }, toRow);
  const blocks = into("blocks", "insert_blocks", (block, chainId) => encodeBlock({ block, chainId }));
  const transactions = into("transactions", "insert_transactions", (transaction, chainId) =>
    encodeTransaction({ transaction, chainId }),
  );
  const logs = into("logs", "insert_logs", (log, chainId) => encodeLog({ log, chainId }));
  return {
    ...createOriginal(given),
    insertBlocks: (one, context) => blocks(one.blocks as unknown[], one.chainId, context),
    insertTransactions: (one, context) => transactions(one.transactions as unknown[], one.chainId, context),
    insertLogs: (one, context) => logs(one.logs as unknown[], one.chainId, context),
  };
}

type WaitingInsert = { rows: Row[]; context: unknown; resolve(): void; reject(error: unknown): void };

/** Rows that wait while a statement runs go into the next one together. A failed statement fails each of its inserts. */
function grouped(
  insert: (rows: Row[], context: unknown) => Promise<unknown>,
  toRow: (item: unknown, chainId: number) => Row,
) {
  let waiting: WaitingInsert[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const rows = group.flatMap((one) => one.rows);
      try {
        for (let n = 0; n < rows.length; n += MAX_ROWS) await insert(rows.slice(n, n + MAX_ROWS), group[0]!.context);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = false;
  }

  return (items: unknown[], chainId: number, context: unknown): Promise<void> => {
    if (items.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      waiting.push({ rows: items.map((item) => toRow(item, chainId)), context, resolve, reject });
      if (running) return;
      running = true;
      // After the current turn of the event loop, so that the inserts of one turn share a statement.
      setImmediate(run);
    });
  };
}

/** Names of columns by the names of Ponder's encoders: Ponder's tables are in snake case. */
const columns = new Map<string, string>();
function columnOf(key: string): string {
  let column = columns.get(key);
  if (column === undefined) {
    column = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(key, column);
  }
  return column;
}

/** Integers are written as text: they can be beyond 2^53. */
function asJson(rows: Row[]): string {
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [columnOf(key), typeof value === "bigint" ? String(value) : value]),
    ),
  );
  return JSON.stringify(named);
}
