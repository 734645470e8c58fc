/** Reading rows by COPY ends when they are read, and when they never come; what is written by it is what was read. */
import type pg from "pg";
import { expect, it } from "vitest";
import { copyIn, copyOut, copyRows } from "../../columns/copy-rows.ts";
import { openClient } from "../../db/sql/connect.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);
const proxy = perFile(() =>
  tcpProxy({ host: new URL(database.url).hostname, port: Number(new URL(database.url).port) }),
);

const THREE = "select i::int8 from generate_series(1, 3) i";
/** After its first row the others take long. */
const SLOW = "select case when i > 1 then (select i from pg_sleep(600)) else i end::int8 from generate_series(1, 3) i";

for (const options of [{}, { query_timeout: LONG }]) {
  const under = JSON.stringify(options);

  it(`hands every row on, in order ${under}`, async () => {
    const client = await connected(options);
    const rows: number[] = [];
    await copyRows(client, THREE, (row) => rows.push(row.integer(0)));
    expect(rows).toEqual([1, 2, 3]);
    await client.end();
  });

  it(`fails with the database, and with who reads ${under}`, async () => {
    const client = await connected(options);
    await expect(copyRows(client, "select 1 / 0", () => {})).rejects.toThrow("division by zero");
    const failing = copyRows(client, THREE, () => {
      throw new Error("no more");
    });
    await expect(failing).rejects.toThrow("no more");
    await copyRows(client, THREE, () => {});
    await client.end();
  });

  it(`fails when the line is cut under way ${under}`, async () => {
    const client = await connected(options);
    const copying = copyRows(client, SLOW, () => {});
    await Promise.all([expect(copying).rejects.toThrow(/ECONNRESET|terminated/), proxy.reset()]);
    await client.end().catch(() => {});
  });
}

it("fails when the line says nothing for longer than the client waits", async () => {
  const client = await connected({ query_timeout: NEVER });
  await expect(copyRows(client, SLOW, () => {})).rejects.toThrow("timeout");
  proxy.reset();
});

it("writes rows as they were read, and all of them or none", async () => {
  const client = await connected({});
  await client.query(`
    create table odd (id int8 primary key, words text, document jsonb, amount numeric(78));
    insert into odd values (1, null, 'null', null), (2, E'\\\\N\\t\\n\\\\.\\r', '{"a": "\\n"}', 1e77), (3, '', null, -1);
    create table copied (like odd including all)`);
  const pieces: Buffer[] = [];
  await copyOut(client, "copy odd to stdout", (chunk) => pieces.push(Buffer.from(chunk)));
  const bytes = Buffer.concat(pieces);
  const oneByOne = Array.from(bytes, (byte) => Buffer.of(byte));
  expect(await copyIn(client, "copy copied from stdin", oneByOne)).toBe(3);
  const rows = async () => (await client.query("select c::text as row from copied c order by id")).rows;
  const before = await rows();
  expect(before).toEqual((await client.query("select o::text as row from odd o order by id")).rows);
  expect(before.map(({ row }) => row)[0]).toBe("(1,,null,)");

  await client.query("delete from copied where id = 1");
  await expect(copyIn(client, "copy copied from stdin", [bytes])).rejects.toThrow("duplicate key");
  const failing = async function* () {
    yield Buffer.from("4\t\\N\t\\N\t\\N\n");
    throw new Error("no more");
  };
  await expect(copyIn(client, "copy copied from stdin", failing())).rejects.toThrow("no more");
  await expect(copyIn(client, "copy nothing from stdin", [bytes])).rejects.toThrow('"nothing" does not exist');
  expect(await rows()).toEqual(before.slice(1));
  await client.end();
});

async function connected(options: pg.ClientConfig): Promise<pg.Client> {
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxy.port}`;
  const client = openClient({ connectionString: url.href, ...options });
  client.on("error", () => {});
  await client.connect();
  return client;
}
