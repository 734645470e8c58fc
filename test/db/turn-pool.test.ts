/** The three limits of a pool: waiting for a turn, connecting, and a server that refuses further connections. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { openClient, openPool } from "../../db/sql/connect.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/until.ts";
import { testDatabase } from "../support/database.ts";
import { endedPerTest, perFile } from "../support/started.ts";

const db = perFile(() => testDatabase({ migrated: false }));
const ended = endedPerTest();

const one = (pool: pg.Pool) => pool.query("select 1 as one").then(({ rows }) => rows[0].one);
const all = <T>(count: number, work: () => Promise<T>) => Promise.allSettled(Array.from({ length: count }, work));
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === "rejected" ? result.reason.code : "answered"));

/** A server that takes connections and never says a word. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/none`,
    connections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe("waiting for a turn", () => {
  it("is no outage: everyone who waits for a pool in use is served, in the order of coming", async () => {
    const pool = ended(openPool({ connectionString: db.url, max: 2, turnMs: LONG, connectionTimeoutMillis: NEVER }));
    const held = await Promise.all([pool.connect(), pool.connect()]);
    const waiting = all(200, () => one(pool));
    await until("all wait", () => pool.waitingCount === 200);
    // Longer than connecting may take: that limit is not theirs.
    await held[0]!.query("select pg_sleep($1)", [(2 * NEVER) / 1_000]);
    expect(pool.waitingCount).toBe(200);
    for (const client of held) client.release();
    expect(new Set(codesOf(await waiting))).toEqual(new Set(["answered"]));
    expect(pool.totalCount).toBe(2);
  });

  it("ends as overloaded, which says when to come back", async () => {
    const pool = ended(openPool({ connectionString: db.url, max: 1, turnMs: NEVER }));
    const held = await pool.connect();
    await expect(one(pool)).rejects.toMatchObject({ code: "overloaded", options: { retryAfter: 1 } });
    held.release();
    expect(await one(pool)).toBe(1);
  });

  it("gives the place of a connection that failed to the next", async () => {
    const pool = ended(openPool({ connectionString: db.url, max: 1, turnMs: LONG }));
    const pid = (await pool.query("select pg_backend_pid() as pid")).rows[0].pid;
    const held = await pool.connect();
    held.on("error", () => {});
    const waiting = one(pool);
    await db.pool.query("select pg_terminate_backend($1)", [pid]);
    await expect(held.query("select 1")).rejects.toThrow();
    held.release(true);
    expect(await waiting).toBe(1);
  });

  it("calls back as pg does", async () => {
    const pool = ended(openPool({ connectionString: db.url, max: 1 }));
    const answer = await new Promise((done) =>
      pool.connect((error, client, release) =>
        client!.query("select 2 as two", (failed, { rows }) => {
          release();
          done([error, failed, rows[0].two]);
        }),
      ),
    );
    expect(answer).toEqual([undefined, null, 2]);
    expect(await one(pool)).toBe(1);
  });
});

describe("a server behind a line that falls silent", () => {
  async function openLine(connectionTimeoutMillis: number) {
    const { hostname, port } = new URL(db.url);
    const line = await tcpProxy({ host: hostname, port: Number(port) });
    const connectionString = Object.assign(new URL(db.url), { port: String(line.port) }).href;
    const pool = openPool({
      connectionString,
      max: 2,
      turnMs: LONG,
      connectionTimeoutMillis,
      noticesSilence: true,
    });
    pool.on("error", () => {});
    await pool.warm(2);
    return { line, pool };
  }

  it("is noticed by those who wait for its answer, and by those who wait for their turn", async () => {
    const { line, pool } = await openLine(10 * NEVER);
    line.be({ kind: "silent" });
    expect(new Set(codesOf(await all(5, () => one(pool))))).toEqual(new Set(["ETIMEDOUT"]));
    await line.mend();
    expect(await until("it is back", () => one(pool))).toBe(1);
    await pool.end();
    await line.close();
  });

  it("is none while the server answers a newcomer: a statement may take long", async () => {
    const { line, pool } = await openLine(LONG);
    const { rows } = await pool.query("select 2 as two from pg_sleep($1)", [(2 * NEVER) / 1_000]);
    expect(rows[0].two).toBe(2);
    await pool.end();
    await line.close();
  });
});

describe("connecting", () => {
  it("to a server that refuses fails at once, for all who wait", async () => {
    const pool = ended(openPool({ host: "127.0.0.1", port: 1, max: 2, turnMs: LONG, connectionTimeoutMillis: LONG }));
    expect(new Set(codesOf(await all(50, () => one(pool))))).toEqual(new Set(["ECONNREFUSED"]));
  });

  it("to a server that never answers ends by its own limit, for all who wait", async () => {
    const silent = await silentServer();
    const pool = openPool({ connectionString: silent.url, max: 2, turnMs: LONG, connectionTimeoutMillis: NEVER });
    expect(new Set(codesOf(await all(50, () => one(pool))))).toEqual(new Set(["ETIMEDOUT"]));
    // Those who waited did not try one after another.
    expect(silent.connections()).toBe(2);
    await pool.end();
    const client = openClient({ connectionString: silent.url, connectionTimeoutMillis: NEVER });
    await expect(client.connect()).rejects.toMatchObject({ code: "ETIMEDOUT" });
    silent.close();
  });

  it("is tried again while the server answers others: it is busy", async () => {
    const { hostname, port } = new URL(db.url);
    const line = await tcpProxy({ host: hostname, port: Number(port) });
    const url = new URL(db.url);
    url.port = String(line.port);
    // The line knows a connection by its first bytes, which must not be a question for TLS.
    url.searchParams.set("sslmode", "disable");
    const pool = openPool({ connectionString: url.href, max: 2, turnMs: LONG, connectionTimeoutMillis: 10 * NEVER });
    const talking = await pool.connect();
    // What connects now is held; what is connected already goes on.
    const hold = line.hold("user", "user");
    const second = pool.connect();
    while (hold.count < 2) await talking.query("select pg_sleep(0.01)");
    hold.release();
    (await second).release();
    talking.release();
    await pool.end();
    await line.close();
  });

  it("counts no time in which this process did not run", async () => {
    const client = openClient({ connectionString: db.url, connectionTimeoutMillis: 10 * NEVER });
    const connected = client.connect();
    // The answer, which a busy machine gives in time, comes while nobody can read it; then every timer is overdue.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15 * NEVER);
    await connected;
    await client.end();
  });
});

describe("a server that refuses further connections", () => {
  /** A role that may have `limit` connections. */
  async function limited(limit: number) {
    const role = `few_${limit}_${Math.trunc(performance.now())}`;
    await db.pool.query(`create role ${role} login password 'p' connection limit ${limit}`);
    const url = Object.assign(new URL(db.url), { username: role, password: "p" }).href;
    return { url, drop: () => db.pool.query(`drop role ${role}`) };
  }

  it("is busy: everyone waits for the connections that it gave", async () => {
    const role = await limited(2);
    const pool = openPool({ connectionString: role.url, max: 10, turnMs: LONG });
    const refused: number[] = [];
    pool.onFull = (kept) => refused.push(kept);
    expect(new Set(codesOf(await all(100, () => one(pool))))).toEqual(new Set(["answered"]));
    expect(pool.totalCount).toBeLessThanOrEqual(2);
    expect(refused).toHaveLength(1);
    await pool.end();
    await role.drop();
  });

  it("is waited for also where it gave none, and told as overloaded", async () => {
    const role = await limited(1);
    const holder = openClient({ connectionString: role.url });
    await holder.connect();
    const pool = openPool({ connectionString: role.url, max: 4, turnMs: LONG });
    const waiting = all(20, () => one(pool));
    const hasty = openPool({ connectionString: role.url, max: 4, turnMs: NEVER });
    await expect(one(hasty)).rejects.toMatchObject({ code: "overloaded" });
    await hasty.end();
    await holder.end();
    expect(new Set(codesOf(await waiting))).toEqual(new Set(["answered"]));
    await pool.end();
    await role.drop();
  });
});
