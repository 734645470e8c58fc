/** Every declared SQL statement is what Postgres makes of it: its columns and parameters, their types, and what may be NULL. */
import type { EventEmitter } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { declaredStatements, family, statement, t } from "../../db/sql/statement.ts";
import { ensureOnchain } from "../../indexer/views.ts";
import { testDatabase } from "../support/database.ts";
import { indexSchemaDdl, PONDER_SYNC_DDL } from "../support/ponder-tables.ts";
import { perFile } from "../support/started.ts";
import { CUTS } from "./cuts.ts";

const { array, int4, int8, jsonb, nullable, numeric, records, text, timestamptz, uint256 } = t;

const ROOT = join(import.meta.dirname, "../..");

/** Declared in the rooms together; fewer are found where their modules are not. */
const LEAST_DECLARED = 400;

type Field = { name: string; dataTypeID: number; tableID: number; columnID: number };
type Connection = EventEmitter & { parse(query: object): void; describe(query: object): void; sync(): void };
type Described = { parameters: number[]; fields: Field[] };

const database = perFile(() => testDatabase({ indexed: true }));
let client: pg.PoolClient;
/** Names of types by their ids. */
const types = new Map<number, string>();
/** `<table id>.<column number>` of the columns of tables that may be NULL. */
const mayBeNull = new Set<string>();

beforeAll(async () => {
  client = await database.pool.connect();
  // The launcher's own tables, and Ponder's, which only Ponder creates.
  await ensureOnchain(client);
  await client.query(`${indexSchemaDdl("index_0000000000_0")} ${PONDER_SYNC_DDL}`);
  for (const { oid, typname } of (await client.query("select oid, typname from pg_type")).rows) types.set(oid, typname);
  const columns = await client.query(
    `select a.attrelid as table, a.attnum as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = 'offchain'::regnamespace and a.attnum > 0 and not a.attnotnull`,
  );
  for (const row of columns.rows) mayBeNull.add(`${row.table}.${row.column}`);
  const modules = globSync("{api,columns,db,devnet,indexer,ops,runtime,scripts,settlement,wiring,workers}/**/*.ts", {
    cwd: ROOT,
  }).filter((path) => /from "[\w./]+\/statement\.ts"/.test(readFileSync(join(ROOT, path), "utf8")));
  for (const path of modules) await import(join(ROOT, path));
});

afterAll(async () => {
  client?.release();
});

/** Prepares a text and asks what it takes and returns, without running it. */
function describeStatement(sql: string): Promise<Described> {
  const { connection } = client as unknown as { connection: Connection };
  return new Promise((resolve, reject) => {
    const described: Described = { parameters: [], fields: [] };
    const onParameters = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      described.parameters = dataTypeIDs;
    };
    connection.once("parameterDescription", onParameters);
    client.query({
      submit() {
        connection.parse({ name: "", text: sql, types: [] });
        connection.describe({ type: "S", name: "" });
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: Field[] }) {
        described.fields = fields;
      },
      handleError(error: Error) {
        connection.off("parameterDescription", onParameters);
        reject(error);
      },
      handleReadyForQuery() {
        connection.off("parameterDescription", onParameters);
        resolve(described);
      },
    } as unknown as pg.Submittable);
  });
}

const named = (type: number) => types.get(type) ?? String(type);

/** What a declaration says otherwise than Postgres, in words. */
async function faultsOf({ name, columns, variants }: ReturnType<typeof declaredStatements>[number]): Promise<string[]> {
  const faults: string[] = [];
  for (const { text: sql, params } of variants()) {
    const described = await describeStatement(sql).catch((error: Error) => error);
    if (described instanceof Error) {
      faults.push(`${name}: ${described.message}\n${sql}`);
      continue;
    }
    const { parameters, fields } = described;
    const expected = Object.entries(columns).map(([column, { type }]) => `${column} ${type}`);
    const returned = fields.map((field) => `${field.name} ${named(field.dataTypeID)}`);
    if (expected.join() !== returned.join())
      faults.push(`${name}: the columns are ${returned.join(", ")}; declared are ${expected.join(", ")}`);
    const given = params?.map(({ type }) => type).join();
    if (params && parameters.map(named).join() !== given)
      faults.push(`${name}: the parameters are ${parameters.map(named)}; declared are ${given}`);
    for (const { name: column, tableID, columnID } of fields) {
      const declared = columns[column];
      if (declared && !declared.nullable && !declared.filtered && mayBeNull.has(`${tableID}.${columnID}`))
        faults.push(
          `${name}: ${column} may be NULL: declare nullable(…), or filtered(…) where a condition excludes it`,
        );
    }
  }
  return faults;
}

describe("declared statements", () => {
  it("have the parameters and columns that Postgres describes, in all their variants", async () => {
    const faults: string[] = [];
    for (const declared of declaredStatements()) faults.push(...(await faultsOf(declared)));
    expect([...new Set(faults)].join("\n")).toBe("");
    // What is declared in db/ and beside it: with few, the modules were not found.
    expect(declaredStatements().length).toBeGreaterThan(LEAST_DECLARED);
  });

  it("that take the first of several rows say by what they are ordered, in test/db/cuts.ts", () => {
    const cuts = declaredStatements()
      .filter(({ variants }) => variants().some(({ text }) => /\blimit\b|\brow_number\(\)/.test(text)))
      .map(({ name }) => name);
    expect(CUTS.toSorted()).toEqual(cuts.toSorted());
  });

  it("that are declared otherwise are found", async () => {
    statement({
      name: "test-wrong",
      params: { id: text },
      text: "select token_id, revoked_at from offchain.api_key, offchain.referral where token_id = $id",
      columns: { token_id: text, revoked_at: timestamptz },
    });
    family({
      name: "test-wrong-family",
      text: (column: string, $) => `select ${column} from offchain.referral where token_id = ${$(1)}`,
      columns: { token_id: int8 },
      examples: ["token_id", "no_column"],
    });
    const [wrong, wrongFamily] = declaredStatements().slice(-2);
    expect(await faultsOf(wrong!)).toEqual([
      "test-wrong: the columns are token_id int8, revoked_at timestamptz; declared are token_id text, revoked_at timestamptz",
      "test-wrong: the parameters are int8; declared are text",
      expect.stringMatching("test-wrong: revoked_at may be NULL"),
    ]);
    expect(await faultsOf(wrongFamily!)).toEqual([expect.stringMatching(`column "no_column" does not exist`)]);
  });

  it("have names of their own and name declared parameters only", () => {
    expect(() => statement({ name: "revoked-before", text: "select 1" })).toThrow("two SQL statements");
    expect(() => statement({ name: "test-unknown", text: "select $one" })).toThrow("$one is not declared");
  });

  it("run with named parameters; null, JSON and arrays arrive as such", async () => {
    const echo = statement({
      name: "test-echo",
      params: { shape: jsonb<{ list: number[] }>(), none: nullable(text), ids: array(int8), money: numeric },
      text: "select $shape::jsonb as shape, $none::text as none, $ids::int8[] as ids, $money::numeric as money",
      columns: { shape: jsonb<{ list: number[] }>(), none: nullable(text), ids: array(int8), money: numeric },
    });
    const row = await echo.one(client, { shape: { list: [1] }, none: null, ids: [7, 8], money: 2n ** 200n });
    expect(row).toEqual({ shape: { list: [1] }, none: null, ids: [7, 8], money: String(2n ** 200n) });
    const none = statement({ name: "test-none", text: "select 1 as one where false", columns: { one: int4 } });
    expect([await none.rows(client), await none.maybeOne(client), await none.run(client)]).toEqual([[], null, 0]);
    await expect(none.one(client)).rejects.toThrow("test-none: 0 rows where one is expected");
  });

  it("take a list of records as a table, make parameters of what they are given, and rows of what was read", async () => {
    const sum = statement({
      name: "test-records",
      given: (moves: { sentTo: string | null; units: bigint; marks: object }[], least: number) => ({ moves, least }),
      params: { moves: records({ sentTo: nullable(text), units: numeric, marks: jsonb<object>() }), least: int4 },
      text: `
        select moves.sent_to as "sentTo", moves.units, moves.marks, array[moves.units, null] as all
        from $moves where moves.units >= $least order by moves.units`,
      columns: { sentTo: nullable(text), units: uint256, marks: jsonb<object>(), all: array(nullable(uint256)) },
      row: ({ units, ...rest }) => ({ ...rest, units, doubled: 2n * units }),
    });
    const one = { sentTo: "0x1", units: 2n ** 70n, marks: { a: [1] } };
    const other = { sentTo: null, units: 7n, marks: {} };
    expect(await sum.rows(client, [one, { ...other, units: 1n }, other], 2)).toEqual([
      { ...other, all: [7n, null], doubled: 14n },
      { ...one, all: [2n ** 70n, null], doubled: 2n ** 71n },
    ]);
    expect([await sum.found(client, [one], 2), await sum.found(client, [], 2)]).toEqual([true, false]);
  });

  it("ask nothing where the list that they are about is empty", async () => {
    const of = { name: "test-empty", params: { ids: array(int4) }, text: "select cardinality($ids::int4[])" } as const;
    const about = statement({ ...of, unlessEmpty: "ids", columns: { cardinality: int4 } });
    expect([await about.values(client, { ids: [5] }), await about.run(client, { ids: [5] })]).toEqual([[1], 1]);
    expect([await about.values(client, { ids: [] }), await about.run(client, { ids: [] })]).toEqual([[], 0]);
  });
});

describe("a connection", () => {
  it("reads int8 as a number, and refuses one that a number cannot hold", async () => {
    const { rows } = await client.query("select 9007199254740991::int8 as id, array[1, null]::int8[] as ids");
    expect(rows).toEqual([{ id: 2 ** 53 - 1, ids: [1, null] }]);
    await expect(client.query("select 9007199254740992::int8")).rejects.toThrow("beyond 2^53 - 1");
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});
