/**
 * Reads from a real streaming replica: it lags, pauses, stalls, dies, is promoted, or is none at all; no read ever
 * lacks what the primary had when the read began, and none fails.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { insertApiKey } from "../../db/callers/api-keys.ts";
import { credUpdates } from "../../db/cred/cred-updates.ts";
import { openReadPool, type ReadPool } from "../../db/replicas/read-pool.ts";
import { flushPrimary } from "../../db/replicas/wal.ts";
import { migrate } from "../../db/schema/migrate.ts";
import { apiKey } from "../../db/schema/tables.ts";
import { int4 } from "../../db/sql/columns.ts";
import { openPool } from "../../db/sql/connect.ts";
import { orm, preparedQuery } from "../../db/sql/orm.ts";
import { statement } from "../../db/sql/statement.ts";
import { snapshot, transaction } from "../../db/sql/transaction.ts";
import { ensureDatabase, type Postgres, startPostgres } from "../../devnet/postgres.ts";
import { agentRow, plantCheckpoint, plantOnchain, plantRows } from "../../harness/onchain.ts";
import { LONG, NEVER } from "../../harness/patience.ts";
import { startReplica } from "../../harness/replica.ts";
import { until } from "../../harness/until.ts";
import { HOST } from "../api/support/api.ts";
import { type ApiProcess, apiProcesses } from "../support/api-processes.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

const NEWEST = statement({
  name: "test-newest-write",
  text: "select coalesce(max(n), 0)::int4 as n from write",
  columns: { n: int4 },
  prepared: true,
});
const LOG = { info() {}, warn() {} };

/** The key of an operator. */
const KEY = { id: "operator00", text: apiKeyText("operator00", "s".repeat(43)) };
const SERVICE = "service";

const directory = folderPerFile("replicas");
const primary = perFile(() => startPostgres({ dataDir: join(directory, "primary"), fast: true }));
let replica: Postgres;
const db = perFile(() => openPool({ connectionString: primary.url, max: 10 }));
let written = 0;

/** A write of a caller: done when this has returned. */
async function write(): Promise<number> {
  const n = ++written;
  await db.query("insert into write values ($1)", [n]);
  return n;
}

beforeAll(async () => {
  await db.query("create table write (n int4)");
  const service = openPool({ connectionString: await ensureDatabase(primary.url, SERVICE), max: 1 });
  await migrate(of(primary, SERVICE));
  await plantOnchain(service);
  await plantRows(service, "agent", [agentRow(1)]);
  await insertApiKey(service, { id: KEY.id, name: KEY.id, hash: apiKeyHash(KEY.text), scopes: ["operator:read"] });
  await service.end();
  replica = await startReplica(primary.url, join(directory, "replica"), { max_standby_streaming_delay: "0" });
});
afterAll(() => replica?.stop());

/** A database of a server. */
function of(server: Postgres, name: string): string {
  const url = new URL(server.url);
  url.pathname = name;
  return url.href;
}

/** Reads of a database from a replica, for one test. @param options.maxLagMs short where it is to lag or to be away */
async function readsFrom(url = replica.url, { maxLagMs = LONG, own = primary.url } = {}) {
  // Pools of replicas have the limits of the primary's: a connection that is not answered is given up before a turn.
  const pool = openPool({ connectionString: own, max: 10, turnMs: LONG });
  const reads = await openReadPool({ primary: pool, url: own, replicaUrls: [url], maxLagMs, log: LOG });
  onTestFinished(async () => {
    await reads.close();
    await pool.end();
  });
  return reads;
}
/** The same, once the replica takes reads. */
async function readsInUse(lag?: { maxLagMs: number }) {
  const reads = await readsFrom(replica.url, lag);
  await inUse(reads);
  return reads;
}

const inUse = (reads: ReadPool) => until("the replica takes reads", () => reads.replicas[0]!.leftOut === null);
const leftOut = (reads: ReadPool, reason: string) =>
  until(`left out: ${reason}`, () => reads.replicas[0]!.leftOut === reason);

/** Writes and reads in turn: each read has the write before it. */
async function readOwnWrites(reads: ReadPool, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const n = await write();
    expect((await NEWEST.one(reads.db)).n).toBeGreaterThanOrEqual(n);
  }
}

/** On the replica, as its operator. */
async function onReplica(sql: string): Promise<void> {
  const client = openPool({ connectionString: replica.url, max: 1 });
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Stops or continues every process of a server: each is in a session of its own. */
function signal(server: Postgres, name: "STOP" | "CONT"): void {
  const children = spawnSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" }).stdout.split("\n");
  for (const pid of [String(server.pid), ...children]) if (pid) process.kill(Number(pid), `SIG${name}`);
}

describe("a read from a replica", () => {
  it("has every write that was done before it, also under other writes", async () => {
    const reads = await readsInUse();
    let ended = false;
    const others = (async () => {
      while (!ended) await db.query("insert into write values (0)");
    })();
    const readers = Array.from({ length: 4 }, () => readOwnWrites(reads, 50));
    await Promise.all(readers);
    ended = true;
    await others;
    await until("the replica reads again", async () => {
      await NEWEST.one(reads.db);
      return reads.replicas[0]!.reads > 50;
    });
    expect(reads.replicas[0]!.failed).toBe(0);
  });

  it("never goes back behind an earlier one, whichever server answered that", async () => {
    const reads = await readsInUse();
    let ended = false;
    const writer = (async () => {
      while (!ended) await write();
    })();
    for (let i = 0, seen = 0; i < 300 || reads.replicas[0]!.reads < 50; i++) {
      const { n } = await NEWEST.one(i % 3 === 0 ? db : reads.db);
      expect(n).toBeGreaterThanOrEqual(seen);
      seen = n;
    }
    ended = true;
    await writer;
  });

  it("of changed scores passes over none that a writer on the primary has not committed yet", async () => {
    const service = openPool({ connectionString: of(primary, SERVICE), max: 4 });
    const reads = await readsFrom(of(replica, SERVICE), { own: of(primary, SERVICE) });
    const point = (db: Pick<pg.Pool, "query">, tokenId: number) =>
      db.query(
        "insert into offchain.cred_history (token_id, score, cause, block, at) values ($1, 50, 'test', 1, now())",
        [tokenId],
      );
    const writer = await service.connect();
    onTestFinished(async () => {
      writer.release();
      await service.end();
    });
    await inUse(reads);
    await writer.query("begin");
    await point(writer, 1);
    await point(service, 2);
    expect((await credUpdates(reads.db, { after: 0, limit: 10 })).updates).toEqual([]);
    await writer.query("commit");
    const { updates } = await credUpdates(reads.db, { after: 0, limit: 10 });
    expect(updates.map(({ tokenId }) => tokenId)).toEqual([1, 2]);
  });

  it("has a view as the primary has it, after its switch and with a prepared statement", async () => {
    await db.query("create view shown as select 0 as n");
    const SHOWN = { name: "shown", text: "select n from shown" };
    const reads = await readsInUse();
    for (let n = 1; n <= 20; n++) {
      await transaction(db, async (tx) => {
        await tx.query("drop view shown");
        await tx.query(`create view shown as select ${n} as n`);
      });
      expect((await reads.db.query(SHOWN)).rows[0].n).toBe(n);
    }
    expect(reads.replicas[0]!.reads).toBeGreaterThan(0);
  });

  it("goes to the primary once where replay ends it there, a whole snapshot at a time", async () => {
    const reads = await readsFrom();
    await db.query("create table dropped as select 1 as n");
    await inUse(reads);
    let runs = 0;
    const n = await snapshot(reads.db, async (tx) => {
      runs++;
      const { rows } = await tx.query("select n from dropped");
      if (runs === 1) {
        expect((await tx.query("select pg_is_in_recovery() as is")).rows[0].is).toBe(true);
        await db.query("delete from write where n = 0");
        await db.query("alter table dropped add column more int4");
        await flushPrimary(db);
        await until("replay ends the reader", () =>
          tx.query("select 1").then(
            () => false,
            () => true,
          ),
        );
        await tx.query("select n from dropped");
      }
      return rows[0].n;
    });
    expect(n).toBe(1);
    expect(runs).toBe(2);
    expect(reads.replicas[0]!.failed).toBe(1);
  });
});

describe("a write through the pool of reads", () => {
  it("is the primary's, exactly once: by a statement, the builder or a transaction", async () => {
    await db.query("create table once (n int4)");
    const reads = await readsInUse();
    await reads.db.query("insert into once values (1)");
    await transaction(reads.db, async (tx) => {
      await tx.query("insert into once values (2)");
    });
    await expect(transaction(reads.db, (tx) => tx.query("select pg_is_in_recovery() as is"))).resolves.toMatchObject({
      rows: [{ is: false }],
    });
    expect((await reads.db.query("select n from once order by n")).rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("fails as on the primary where the statement itself is wrong, and is not run again", async () => {
    const reads = await readsInUse();
    await expect(reads.db.query("select 1 / 0")).rejects.toMatchObject({ code: "22012" });
    const BY_ID = preparedQuery((on) => on.select().from(apiKey).prepare("test-no-table"));
    await expect(BY_ID(reads.db).execute()).rejects.toThrow();
    await expect(orm(reads.db).select().from(apiKey)).rejects.toThrow();
    expect(reads.primaryReads).toBe(0);
  });
});

describe("two APIs with a replica", () => {
  const processes = perFile(() =>
    apiProcesses({
      ...{ DATABASE_URL: of(primary, SERVICE), READ_DATABASE_URLS: of(replica, SERVICE) },
      ...{ SERVICE_HOST: HOST, PUBLIC_URL: `https://${HOST}` },
    }),
  );
  const service = perFile(() => openPool({ connectionString: of(primary, SERVICE), max: 1 }));
  let apis: ApiProcess[];
  beforeAll(async () => {
    apis = await Promise.all([processes.start(), processes.start()]);
  });

  const stateOf = async ({ url }: ApiProcess) => {
    const answer = await fetch(`${url}/api/v2/operator`, { headers: { "x-api-key": KEY.text } });
    return ((await answer.json()) as { replicas: { servers: { reads: number; leftOut: string | null }[] } }).replicas;
  };

  it("show every write and every block at once, whichever is asked, also while replay is paused", async () => {
    let etag = "";
    for (let i = 1; i <= 40; i++) {
      if (i === 31) await onReplica("select pg_wal_replay_pause()");
      const name = `Agent ${i}`;
      await service.query("update onchain.agent set name = $1 where token_id = 1", [name]);
      await plantCheckpoint(service, { block: 1000 + i });
      const [one, other] = i % 2 ? apis : apis.toReversed();
      const path = `/api/v2/agent/1?minBlock=${1000 + i}`;
      const first = await fetch(one!.url + path, { headers: { "if-none-match": etag } });
      expect(first.status).toBe(200);
      expect(((await first.json()) as { name: string }).name).toBe(name);
      etag = first.headers.get("etag")!;
      const second = await fetch(other!.url + path, { headers: { "if-none-match": etag } });
      expect(second.status).toBe(304);
      expect(Number(second.headers.get("x-indexed-block"))).toBe(1000 + i);
      const listed = await fetch(`${other!.url}/api/v2/agents?minBlock=${1000 + i}`);
      expect(((await listed.json()) as { agents: { name: string }[] }).agents.map((agent) => agent.name)).toEqual([
        name,
      ]);
    }
    for (const api of apis) {
      const { servers } = await stateOf(api);
      expect(servers[0]).toMatchObject({ leftOut: "paused" });
      expect(servers[0]!.reads).toBeGreaterThan(10);
    }
    await onReplica("select pg_wal_replay_resume()");
    for (const api of apis)
      await until("the replica is back", async () => (await stateOf(api)).servers[0]!.leftOut === null);
  });
});

describe("a replica", () => {
  const SOON = { maxLagMs: NEVER };

  it("that is paused is left out, says why, and comes back", async () => {
    const reads = await readsInUse(SOON);
    await onReplica("select pg_wal_replay_pause()");
    await readOwnWrites(reads, 20);
    await leftOut(reads, "paused");
    expect(reads.replicas[0]!.lagMs).toBeGreaterThan(0);
    await onReplica("select pg_wal_replay_resume()");
    await inUse(reads);
    await readOwnWrites(reads, 5);
  });

  it("that lags is left out and comes back", async () => {
    const reads = await readsInUse(SOON);
    await onReplica("alter system set recovery_min_apply_delay = '5min'");
    await onReplica("select pg_reload_conf()");
    await readOwnWrites(reads, 20);
    await leftOut(reads, "lagging");
    const { reads: before } = reads.replicas[0]!;
    await readOwnWrites(reads, 20);
    expect(reads.replicas[0]!.reads).toBe(before);
    await onReplica("alter system reset recovery_min_apply_delay");
    await onReplica("select pg_reload_conf()");
    await inUse(reads);
    await readOwnWrites(reads, 5);
  });

  it("that stalls loses the reads under way to the primary, and comes back", async () => {
    const reads = await readsInUse(SOON);
    const slow = Array.from({ length: 4 }, () => reads.db.query("select pg_sleep(0.3), pg_is_in_recovery() as is"));
    await until("they run", () => reads.next().totalCount - reads.next().idleCount >= 4);
    signal(replica, "STOP");
    try {
      for (const { rows } of await Promise.all(slow)) expect(rows[0].is).toBe(false);
      await readOwnWrites(reads, 10);
      expect(reads.replicas[0]!.leftOut).not.toBeNull();
    } finally {
      signal(replica, "CONT");
    }
    await inUse(reads);
    await readOwnWrites(reads, 5);
  });

  it("that dies and is started again costs no read", async () => {
    const reads = await readsInUse(SOON);
    const port = replica.port;
    const readers = Array.from({ length: 4 }, () => readOwnWrites(reads, 60));
    process.kill(replica.pid, "SIGKILL");
    await Promise.all(readers);
    await leftOut(reads, "unreachable");
    replica = await startPostgres({
      dataDir: join(directory, "replica"),
      port,
      fast: true,
      settings: {
        primary_conninfo: conninfo(),
        max_standby_streaming_delay: "0",
        wal_retrieve_retry_interval: "100ms",
      },
    });
    await inUse(reads);
    await readOwnWrites(reads, 5);
  });

  it("of another cluster is refused", async () => {
    const reads = await readsFrom(inject("postgresUrl"));
    expect(reads.replicas[0]!.leftOut).toBe("other_cluster");
    await readOwnWrites(reads, 3);
    expect(reads.primaryReads).toBe(3);
  });

  it("that was promoted is left out and takes no write", async () => {
    const reads = await readsInUse(SOON);
    await onReplica("select pg_promote()");
    await readOwnWrites(reads, 20);
    await reads.db.query("insert into once values (3)");
    await leftOut(reads, "not_a_replica");
    await readOwnWrites(reads, 5);
    const promoted = openPool({ connectionString: replica.url, max: 1 });
    expect((await promoted.query("select n from once where n = 3")).rows).toEqual([]);
    await promoted.end();
  });
});

const conninfo = () => {
  const { hostname, port, username, password } = new URL(primary.url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
};
