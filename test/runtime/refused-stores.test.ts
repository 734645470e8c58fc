/** Stores that cannot hold the service's data are refused at the start of each process, with the reason. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { migrate } from "../../db/schema/migrate.ts";
import { FREE_PHASE } from "../../harness/child-env.ts";
import { REDIS_BINARY, startRedis, startSentinel } from "../../harness/redis.ts";
import { startReplica } from "../../harness/replica.ts";
import { openPostgres } from "../../harness/scratch-postgres.ts";
import { startProcess } from "../../harness/service-process.ts";
import { freePort } from "../../runtime/free-port.ts";
import type { ProcessName } from "../../runtime/processes.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

const directory = folderPerFile("refused");
const primary = perFile(() =>
  openPostgres("refused", { fast: true, settings: { wal_level: "replica", max_wal_senders: "4" } }),
);

/** What each process says before it ends. */
const lastWords = (names: ProcessName[], env: Record<string, string>) =>
  Promise.all(
    names.map(async (name) => {
      const own = {
        LOG_LEVEL: "warn",
        DATA_DIR: directory,
        PORT: String(await freePort()),
        RPC_URL: "http://127.0.0.1:9",
      };
      const process = startProcess(name, { ...FREE_PHASE, ...own, ...env });
      const code = await process.ended;
      return [code, process.output().trim().split("\n").at(-1)];
    }),
  );

describe("Postgres", () => {
  it("that is a replica is refused by every process", async () => {
    const { url, stop } = await startReplica(primary.postgres.url, join(primary.directory, "replica"));
    primary.later(stop);
    const said = /^[\w ]+: the server of [\w ]+ is a replica, which takes no writes: name the primary; /;
    for (const words of await lastWords(["api", "workers", "indexer", "migrate"], { DATABASE_URL: url }))
      expect(words).toEqual([1, expect.stringMatching(said)]);
  });

  it("without pg_trgm is refused by the migration", async () => {
    await primary.pool.query("alter system set extension_control_path = '/nonexistent'");
    await primary.pool.query("select pg_reload_conf()");
    await expect(migrate(primary.postgres.url)).rejects.toThrow(
      /^this Postgres has no extension pg_trgm, which searches/,
    );
  });
});

describe.runIf(REDIS_BINARY)("Redis", () => {
  it("in cluster mode is refused", async () => {
    // Of its own: the default is the port and 10,000, which may be none.
    const redis = await startRedis({ "cluster-enabled": "yes", "cluster-port": String(await freePort()) });
    const words = await lastWords(["api", "workers"], { DATABASE_URL: primary.postgres.url, REDIS_URL: redis.url });
    await redis.stop();
    for (const said of words) expect(said).toEqual([1, expect.stringContaining("REDIS_URL is a Redis Cluster, which")]);
  });

  it("that is a Sentinel is refused", async () => {
    const redis = await startRedis();
    const sentinel = await startSentinel(redis);
    const words = await lastWords(["workers"], { DATABASE_URL: primary.postgres.url, REDIS_URL: sentinel.url });
    expect(words).toEqual([[1, expect.stringContaining("REDIS_URL is a Redis Sentinel, which holds no data")]]);
    await Promise.all([sentinel.stop(), redis.stop()]);
  });
});
