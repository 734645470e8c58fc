/** Chain data enters Ponder's cache in statements of many rows: the same rows that Ponder's own inserts write. */
import { drizzle } from "drizzle-orm/node-postgres";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { beforeEach, expect, test } from "vitest";
import { openClient } from "../../db/sql/connect.ts";
import { blockOf, logsOf } from "../../harness/synthetic/blocks.ts";
import { ponderModule } from "../../indexer/preload/replace-module.ts";
import { createSyncStore } from "../../indexer/preload/sync-store.ts";
import { testDatabase } from "../support/database.ts";
import { perTest } from "../support/started.ts";

const CHAIN = 8453;
const TABLES = ["blocks", "transactions", "logs"] as const;
type Store = ReturnType<typeof createSyncStore>;

const original = await ponderModule<{ createSyncStore: typeof createSyncStore }>("sync-store/index.js");
const schema = await ponderModule<Record<(typeof TABLES)[number], PgTable>>("sync-store/schema.js");
const { createQB } = await ponderModule<{ createQB(db: unknown, given: unknown): never }>("database/queryBuilder.js");

/** Of Ponder's `Common`: what its query builder and its sync store use. */
const common = {
  options: { databaseMaxQueryParameters: 16_000 },
  metrics: { ponder_database_method_duration: { observe() {} }, ponder_database_method_error_total: { inc() {} } },
  logger: { trace() {}, debug() {}, warn() {} },
  shutdown: { isKilled: false },
};

const db = perTest(() => testDatabase({ migrated: false }));
const client = perTest(async () => {
  const opened = openClient({ connectionString: db.url });
  await opened.connect();
  return opened;
});
let statements: string[];
let openStore: (create: typeof createSyncStore) => Store;

beforeEach(async () => {
  statements = [];
  const query = client.query.bind(client) as (first: { text?: string }, ...rest: unknown[]) => unknown;
  client.query = ((first: { text?: string }, ...rest: unknown[]) => {
    statements.push(first.text ?? String(first));
    return query(first, ...rest);
  }) as typeof client.query;
  const qb = createQB(drizzle(client, { casing: "snake_case" }), { common, isAdmin: false });
  openStore = (create) => create({ common, qb });
  await emptyTables();
});

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Ponder's tables, their columns in another order than its encoders': only names may count. */
async function emptyTables(): Promise<void> {
  await db.pool.query("drop schema if exists ponder_sync cascade; create schema ponder_sync");
  for (const table of TABLES) {
    const { columns, primaryKeys } = getTableConfig(schema[table]);
    const lines = columns.map(
      (column) => `"${snake(column.name)}" ${column.getSQLType()}${column.notNull ? " not null" : ""}`,
    );
    const key = primaryKeys[0]!.columns.map((column) => `"${snake(column.name)}"`);
    await db.pool.query(
      `create table ponder_sync.${table} (${lines.reverse().join(",")}, primary key (${key.join(",")}))`,
    );
  }
}

async function allRows() {
  const rows = TABLES.map((table) => db.pool.query(`select t::text as row from ponder_sync.${table} t order by 1`));
  return (await Promise.all(rows)).map((result) => result.rows);
}

/** Every member of a block and a transaction that Ponder stores, with values beyond 2^53 and texts that JSON escapes. */
function blockWithEverything(number: number) {
  const block = blockOf(number);
  const transactions = block.transactions.map((transaction, index) => ({
    ...transaction,
    ...(index === 0 && { to: null, v: undefined, gasPrice: undefined }),
    value: `0x${"f".repeat(64)}`,
    maxFeePerGas: "0x38d7ea4c68000123",
    maxPriorityFeePerGas: "0x0",
    accessList: [{ address: "0xAb", storageKeys: ['"\\\n'] }],
    input: "0x1234",
  }));
  return { ...block, baseFeePerGas: undefined, difficulty: `0x${"f".repeat(64)}`, extraData: '0x"\\', transactions };
}

/** Inserts blocks as the historical sync does: each by itself, all at once. */
async function insertEach(store: Store, blocks: number[]): Promise<void> {
  await Promise.all(
    blocks.flatMap((number) => {
      const block = blockWithEverything(number);
      return [
        store.insertBlocks({ blocks: [block], chainId: CHAIN }),
        store.insertTransactions({ transactions: block.transactions, chainId: CHAIN }),
        store.insertLogs({ logs: logsOf(number), chainId: CHAIN }),
      ];
    }),
  );
}
const numbers = Array.from({ length: 40 }, (_, n) => n + 1);

test("the rows are those of Ponder's own inserts, by a thirtieth of its statements", async () => {
  await insertEach(openStore(original.createSyncStore), numbers);
  const expected = await allRows();
  const before = statements.length;
  await emptyTables();
  statements.length = 0;
  await insertEach(openStore(createSyncStore), numbers);
  expect(await allRows()).toEqual(expected);
  expect(expected.map((rows) => rows.length)).toEqual([40, 200, 400]);
  expect(before).toBe(120);
  expect(statements.length).toBeLessThanOrEqual(4);
});

test("rows that are there already stay as they are, also within one statement", async () => {
  const store = openStore(createSyncStore);
  await insertEach(store, [1, 2]);
  const expected = await allRows();
  await insertEach(store, [2, 1, 2]);
  expect(await allRows()).toEqual(expected);
});

test("a failed statement fails each insert that shared it, and no later one", async () => {
  const orm = drizzle(client);
  // Without Ponder's query builder, which repeats a failed statement for a minute.
  const store = createSyncStore({ common, qb: { wrap: async (_, run) => run(orm) } });
  const hash = `0x${"1".repeat(65)}`;
  const shared = await Promise.allSettled([
    store.insertBlocks({ blocks: [blockOf(1)], chainId: CHAIN }),
    store.insertBlocks({ blocks: [{ ...blockOf(2), hash }], chainId: CHAIN }),
  ]);
  expect(shared.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await store.insertBlocks({ blocks: [blockOf(3)], chainId: CHAIN });
  expect(await db.rows("select number from ponder_sync.blocks")).toEqual([{ number: 3 }]);
});

test("nothing to insert is no statement", async () => {
  const store = openStore(createSyncStore);
  await store.insertLogs({ logs: [], chainId: CHAIN });
  expect(statements).toEqual([]);
});
