/**
 * The service beside the parts that operators have: each entry is one real part, of Debian or npm, and what is done with it.
 * `npm run topologies -- parts` prints what was run against which version.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { migrate } from "../../db/schema/migrate.ts";
import { endProgram, outputOf, startProgram } from "../../devnet/start-program.ts";
import { withClient } from "../../devnet/with-client.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { quantile } from "../../harness/figures.ts";
import { testLog } from "../../harness/log.ts";
import { startRedis } from "../../harness/redis.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { openPostgres } from "../../harness/scratch-postgres.ts";
import { startProcess } from "../../harness/service-process.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { startTroubledNode } from "../../harness/troubled-node.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { readEvents } from "../api/support/event-reader.ts";
import { type Parts, startParts } from "../support/parts.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { endedPerTest } from "../support/started.ts";

const later = endedPerTest();

type Entry = {
  /** The part, and what says its version. */
  part: string;
  version: [program: string, ...args: string[]];
  /** What is done with it. */
  does: string;
  /** @returns a text, if there are figures to print */
  run(): Promise<unknown>;
};

declare module "vitest" {
  interface TaskMeta {
    /** What an entry has measured. */
    figures?: string;
  }
}

type PartsEnv = Parameters<typeof startParts>[0]["env"];

/** The service with one process of each, begun. */
async function service(env: PartsEnv = {}, names = ["indexer", "workers", "api"] as const): Promise<Parts> {
  const parts = await startParts({ blockTimeSeconds: 0.5, topology: undefined, ...(env && { env }) });
  later(() => parts.stop());
  await Promise.all(names.map((name) => parts.start(name)));
  return parts;
}

/** Registers an agent, reads it back, and waits for its score: the way through every process. @returns its id */
async function registers(
  { apiUrl, host }: Pick<Parts, "apiUrl" | "host">,
  name: string,
  wallet = agentWallet({ host }),
): Promise<number> {
  const credential = await wallet.siwa();
  const headers = { authorization: credential, "content-type": "application/json" };
  const { tokenId, block } = await until(`${name} is registered`, async () => {
    const answer = await patientFetch(`${apiUrl}/api/v2/mint`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name }),
    });
    const body = (await answer.json()) as { tokenId: number; block: number };
    return answer.status === 201 ? body : Promise.reject(new Error(`${answer.status} ${JSON.stringify(body)}`));
  });
  const read = await patientFetch(`${apiUrl}/api/v2/agent/${tokenId}?minBlock=${block}`);
  expect(await read.json()).toMatchObject({ tokenId, name });
  await until("it has a score", async () => {
    const history = (await (await fetch(`${apiUrl}/api/v2/agent/${tokenId}/cred/history`)).json()) as {
      points: unknown[];
    };
    return history.points.length > 0;
  });
  return tokenId;
}

/** A program that runs until the end of the test. */
function program(path: string, args: string[], env: Record<string, string> = {}) {
  const child = startProgram(path, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: "/usr/sbin:/usr/bin:/bin", ...env },
  });
  later(() => endProgram(child));
  return { output: outputOf(child) };
}

/** A directory and a file in it. */
function fileIn(name: string, text: string): string {
  const directory = scratchDirectory("part");
  later(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

/** The URL with another host, through a line that leads to the same place. */
async function through(url: string, address: string): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const line = await tcpProxy({ host: hostname, port: Number(port) }, address);
  later(() => line.close());
  return url.replace(host, `${address.includes(":") ? `[${address}]` : address}:${line.port}`);
}

/** A server that is killed with jobs in the queue and started again from its append-only file. */
async function restartsRedis(binary?: string): Promise<void> {
  const redis = await startRedis({ appendonly: "yes", appendfsync: "always" }, binary);
  later(() => redis.stop());
  const parts = await service({ REDIS_URL: redis.url, QUEUE_PREFIX: "whole" });
  await registers(parts, "Before");
  const queues = await openQueues({ databaseUrl: "", redisUrl: redis.url, prefix: "t", log: testLog() });
  later(() => queues.close());
  await queues.add(
    "score",
    Array.from({ length: 50 }, (_, n) => ({ jobId: `job-${n}`, data: n })),
  );
  await redis.restart();
  const ran = new Set<unknown>();
  queues.work("score", 5, async (n) => void ran.add(n));
  await until("all jobs run", () => ran.size === 50);
  await registers(parts, "After");
}

const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const DEBIAN_POSTGRES = "/usr/lib/postgresql/15";

const ENTRIES: Record<string, Entry> = {
  redis: {
    part: "Redis",
    version: ["redis-server", "--version"],
    does: "is killed with jobs in the queue and started again from its append-only file; the service goes on",
    run: () => restartsRedis(),
  },
  valkey: {
    part: "Valkey",
    version: ["valkey-server", "--version"],
    does: "the same as with Redis",
    run: () => restartsRedis("valkey-server"),
  },
  nginx: {
    part: "nginx",
    version: ["nginx", "-v"],
    does: "stands before two APIs and two workers that are replaced one by one: reads go on, streams and writes pass",
    async run() {
      const [port, own] = [await freePort(), await freePort()];
      const parts = await service({ SERVICE_HOST: `127.0.0.1:${port}`, TRUSTED_PROXIES: "127.0.0.1" });
      await parts.start("api-2");
      const other = startProcess("workers", parts.env);
      later(() => other.stop());
      const upstreams = [parts.apiUrl, parts.secondApiUrl]
        .map((url) => `server ${new URL(url).host} max_fails=0;`)
        .join(" ");
      const proxied = `proxy_pass http://apis; proxy_http_version 1.1; proxy_set_header Host $host; proxy_set_header Connection "";
        proxy_set_header X-Forwarded-For $remote_addr; proxy_next_upstream error timeout http_502; proxy_buffering off;`;
      const config = fileIn(
        "nginx.conf",
        `daemon off; worker_processes 1; pid ${own}.pid; error_log stderr; events {}
        http { access_log off; gzip on; gzip_types application/json; upstream apis { ${upstreams} }
          server { listen 127.0.0.1:${port}; location / { ${proxied} } } }`,
      );
      program("/usr/sbin/nginx", ["-p", join(config, ".."), "-c", config]);
      const site = { apiUrl: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}` };
      await until("nginx answers", async () => (await fetch(`${site.apiUrl}/health`)).ok);
      const stream = await readEvents(`${site.apiUrl}/api/v2/events`);
      later(() => stream.close());
      const tokenId = await registers(site, "Behind");
      await until("its events arrive as they happen", () =>
        stream.events.some(({ data }) => data.includes(`${tokenId}`)),
      ).catch(({ message }) => expect([message, stream.status, stream.ended(), stream.events]).toEqual([]));
      let [reads, stop] = [0, false];
      const failed: string[] = [];
      const reading = (async () => {
        for (; !stop; reads++) {
          const answer = await fetch(`${site.apiUrl}/api/v2/agent/${tokenId}`).catch((error) => error as Error);
          if (answer instanceof Error || answer.status !== 200)
            failed.push(String(answer instanceof Error ? answer : answer.status));
          else await answer.arrayBuffer();
        }
      })();
      for (const part of ["api", "api-2", "workers"] as const) await parts.start(part);
      await registers(site, "Upgraded");
      stop = true;
      await reading;
      expect([failed, reads > 20]).toEqual([[], true]);
    },
  },
  "unix-socket": {
    part: "PostgreSQL on a Unix socket",
    version: [`${DEBIAN_POSTGRES}/bin/postgres`, "--version"],
    does: "all processes reach the database by postgres://user@%2Fdirectory/database",
    async run() {
      const { postgres, directory, close } = await openPostgres("socket", {
        ...{ fast: true, native: DEBIAN_POSTGRES, settings: { unix_socket_directories: "/tmp" } },
      });
      later(close);
      expect(existsSync(directory)).toBe(true);
      const url = `postgres://postgres:postgres@%2Ftmp:${postgres.port}/postgres`;
      await migrate(url);
      await registers(await service({ DATABASE_URL: url }), "Socket");
    },
  },
  "few-connections": {
    part: "PostgreSQL of 25 connections",
    version: [`${DEBIAN_POSTGRES}/bin/postgres`, "--version"],
    does: "each process says what is slower for it; an agent registers, and 200 reads at once are answered",
    async run() {
      const settings = { max_connections: "25" };
      const server = { fast: true, max: 1, native: DEBIAN_POSTGRES, settings };
      const { postgres, pool, close } = await openPostgres("few", server);
      later(close);
      await pool.query("create role plain login password 'p'");
      await pool.query("create database cred owner plain");
      const at = { username: "plain", password: "p", pathname: "/cred" };
      const url = Object.assign(new URL(postgres.url), at).href;
      await migrate(url);
      const parts = await service({ DATABASE_URL: url });
      await registers(parts, "Few");
      const slower = (["api", "workers", "indexer"] as const).flatMap((name) =>
        [...parts.output(name).matchAll(/Postgres allows this service \d+ connections .*, so ([^.]+)\./g)].map(
          ([, what]) => what!,
        ),
      );
      expect(slower).toHaveLength(4);
      let [most, reading] = [0, true];
      const watching = (async () => {
        const open = "select numbackends as n from pg_stat_database where datname = 'cred'";
        while (reading) most = Math.max(most, (await pool.query(open)).rows[0].n);
      })();
      const reads = await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          const asked = performance.now();
          const answer = await fetch(`${parts.apiUrl}/api/v2/agents?limit=20&search=few%20${i}`);
          await answer.arrayBuffer();
          return { status: answer.status, ms: performance.now() - asked };
        }),
      );
      reading = false;
      await watching;
      expect(reads.filter(({ status }) => status !== 200)).toEqual([]);
      expect(most).toBeLessThanOrEqual(22);
      const times = reads.map(({ ms }) => ms);
      const [middle, longest] = [quantile(times, 0.5), Math.max(...times)].map((ms) => ms.toFixed(0));
      return `${most} connections of 22; 200 reads at once: p50 ${middle} ms, longest ${longest} ms; ${slower.join(", ")}`;
    },
  },
  ipv6: {
    part: "IPv6",
    version: ["uname", "-r"],
    does: "every process reaches database and node at ::1, and the API is asked there",
    async run() {
      const parts = await service(async (chain, database) => ({
        ...{ RPC_URL: await through(chain, "::1"), DATABASE_URL: await through(database, "::1") },
        ...{ INDEXER_HOST: "::1", TRUSTED_PROXIES: "::1" },
      }));
      await registers({ ...parts, apiUrl: `http://[::1]:${new URL(parts.apiUrl).port}` }, "Six");
    },
  },
  egress: {
    part: "tinyproxy",
    version: ["tinyproxy", "-v"],
    does: "the node is asked through HTTP_PROXY by every process, and by none where NO_PROXY names it",
    async run() {
      const port = await freePort();
      const config = fileIn(
        "tinyproxy.conf",
        `Port ${port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 200\nLogLevel Connect\n`,
      );
      const proxy = program("/usr/bin/tinyproxy", ["-d", "-c", config]);
      const env = async (chain: string) => ({
        RPC_URL: await through(chain, "127.0.0.2"),
        HTTP_PROXY: `http://127.0.0.1:${port}`,
      });
      const parts = await service(env);
      await registers(parts, "Proxied");
      const asked = proxy
        .output()
        .split("\n")
        .filter((line) => line.includes("127.0.0.2"));
      expect(asked.length).toBeGreaterThan(3);
      const before = proxy.output().length;
      for (const name of ["indexer", "workers", "api"] as const) await parts.start(name, { NO_PROXY: "127.0.0.2" });
      await registers(parts, "Direct");
      expect(proxy.output().slice(before)).not.toContain("127.0.0.2");
    },
  },
  lagging: {
    part: "anvil, one of two behind",
    version: ["node_modules/.bin/anvil", "--version"],
    does: "the first of two nodes is six blocks behind: nothing is lost",
    async run() {
      const parts = await service(async (chain) => {
        const node = await startTroubledNode(chain);
        later(() => node.close());
        node.mode = "lagging";
        return { RPC_URL: node.url, RPC_URLS: chain };
      });
      await registers(parts, "Behind");
    },
  },
  heap: {
    part: "Node with 512 MB of heap",
    version: [process.execPath, "--version"],
    does: "every process runs within --max-old-space-size=512",
    async run() {
      await registers(await service({ NODE_OPTIONS: "--max-old-space-size=512" }), "Small");
    },
  },
  indexers: {
    part: "two indexers",
    version: [process.execPath, "--version"],
    does: "the second stands by, and takes over when the first is killed",
    async run() {
      const parts = await service();
      await registers(parts, "First");
      const second = startProcess("indexer", parts.env);
      later(() => second.stop());
      await until("it says that it stands by", () => /another indexer|waits|stands by/i.test(second.output()));
      parts.kill("indexer");
      await registers(parts, "Second");
      expect(second.hasEnded()).toBe(false);
    },
  },
  clock: {
    part: "libfaketime",
    version: ["faketime", "--version"],
    does: "the machine of API and workers is ten minutes ahead: agents register, and the doctor says it",
    async run() {
      const ahead = { LD_PRELOAD: FAKETIME, FAKETIME: "+600", DONT_FAKE_MONOTONIC: "1" };
      const parts = await startParts({ blockTimeSeconds: 0.5, topology: undefined });
      later(() => parts.stop());
      await Promise.all([parts.start("indexer"), parts.start("workers", ahead), parts.start("api", ahead)]);
      await registers(parts, "Ahead");
      const doctor = startProcess("doctor", { ...parts.env, ...ahead });
      await doctor.ended;
      expect(doctor.output()).toMatch(/clock.*(10 min|600|599|601)/is);
    },
  },
  "full-disk": {
    part: "PostgreSQL on a full disk",
    version: [`${DEBIAN_POSTGRES}/bin/postgres`, "--version"],
    does: "while nothing can be written, reads go on and writes are refused by 503; with room again all is well",
    async run() {
      const mount = scratchDirectory("disk", { onDisk: true });
      if (spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=400m,mode=711", "tmpfs", mount]).status !== 0)
        throw new Error("a file system cannot be mounted here");
      later(() => spawnSync("/bin/umount", ["-l", mount]));
      const kept = join(mount, "run");
      mkdirSync(kept, { mode: 0o711 });
      const settings = { max_wal_size: "64MB", min_wal_size: "32MB", shared_buffers: "64MB" };
      const { postgres, close } = await openPostgres("full", { kept, native: DEBIAN_POSTGRES, settings });
      later(close);
      await migrate(postgres.url);
      const parts = await service({ DATABASE_URL: postgres.url });
      const wallet = agentWallet(parts);
      const tokenId = await registers(parts, "Early", wallet);
      const filler = join(mount, "filler");
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]);
      const headers = { authorization: await wallet.siwa(), "content-type": "application/json" };
      // Until the free space of the tables' own pages is used up as well.
      const statuses = new Set<number>();
      await until("a message is refused", async () => {
        const body = JSON.stringify({ content: `${Math.random()} ${"x".repeat(1_500)}` });
        const url = `${parts.apiUrl}/api/v2/messages/groups/welcome/send`;
        const { status } = await fetch(url, { method: "POST", headers, body });
        statuses.add(status);
        return status >= 500;
      }).catch((error) => Promise.reject(new Error(`${error.message} ${[...statuses]}`)));
      expect([...statuses].filter((status) => status !== 200)).toEqual([503]);
      expect((await fetch(`${parts.apiUrl}/api/v2/agent/${tokenId}`)).status).toBe(200);
      rmSync(filler);
      await registers(parts, "Late");
    },
  },
  prometheus: {
    part: "Prometheus",
    version: ["prometheus", "--version"],
    does: "promtool takes every metric, the server scrapes every process and loads the alerts",
    async run() {
      const ops = await freePort();
      const parts = await service({ OPS_PORT: String(ops) });
      await registers(parts, "Measured");
      // API, workers, indexer, readers.
      const ports = [ops, ops + 1, ops + 2, ops + 3];
      for (const port of ports) {
        const input = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const checked = spawnSync("/usr/bin/promtool", ["check", "metrics"], { input, encoding: "utf8" });
        // Names that prom-client and Ponder chose.
        expect(checked.stderr.split("\n").filter((line) => line !== "" && !/^(nodejs|ponder)_/.test(line))).toEqual([]);
      }
      const web = await freePort();
      const targets = ports.map((port) => `"127.0.0.1:${port}"`).join(", ");
      const config = fileIn(
        "prometheus.yml",
        `global: { scrape_interval: 1s }
rule_files: [${join(import.meta.dirname, "../../ops/alerts.yml")}]
scrape_configs: [{ job_name: agents, static_configs: [{ targets: [${targets}] }] }]`,
      );
      const prometheus = program("/usr/bin/prometheus", [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(config, "../data")}`,
        `--web.listen-address=127.0.0.1:${web}`,
      ]);
      const ask = async (path: string) =>
        (await (await fetch(`http://127.0.0.1:${web}/api/v1/${path}`)).json()) as never;
      await until("every target is up", async () => {
        const { data } = (await ask("query?query=sum(up)")) as { data: { result: { value: [number, string] }[] } };
        return data.result[0]?.value[1] === String(ports.length);
      }).catch((error) => Promise.reject(new Error(`${error.message}\n${prometheus.output()}`)));
      const { data } = (await ask("rules")) as { data: { groups: { rules: { health: string }[] }[] } };
      const rules = data.groups.flatMap((group) => group.rules);
      expect(rules.length).toBeGreaterThan(40);
      expect(rules.filter(({ health }) => health === "err")).toEqual([]);
    },
  },
  restore: {
    part: "pg_dump",
    version: [`${DEBIAN_POSTGRES}/bin/pg_dump`, "--version"],
    does: "a database of PostgreSQL 15 is dumped and restored on 18: same rows, and the service goes on there",
    async run() {
      const [old, next] = [
        await openPostgres("old", { fast: true, native: DEBIAN_POSTGRES }),
        await openPostgres("next", { fast: true }),
      ];
      later(() => Promise.all([old.close(), next.close()]));
      await migrate(old.postgres.url);
      const parts = await service({ DATABASE_URL: old.postgres.url });
      const tokenId = await registers(parts, "Kept");
      const agent = async () =>
        (await (await fetch(`${parts.apiUrl}/api/v2/agent/${tokenId}`)).json()) as { name: string };
      expect((await agent()).name).toBe("Kept");
      for (const name of ["api", "workers", "indexer"] as const) parts.kill(name, "SIGTERM");
      await Promise.all((["api", "workers", "indexer"] as const).map((name) => parts.died(name)));
      const dump = execFileSync(`${DEBIAN_POSTGRES}/bin/pg_dump`, [old.postgres.url], { maxBuffer: 2 ** 28 });
      const restored = spawnSync(`${DEBIAN_POSTGRES}/bin/psql`, [next.postgres.url, "-qv", "ON_ERROR_STOP=1"], {
        input: dump,
      });
      expect([restored.status, String(restored.stderr)]).toEqual([0, ""]);
      await migrate(next.postgres.url);
      const rows = (url: string) =>
        withClient(
          url,
          async (client) => (await client.query("select token_id, name from onchain.agent order by 1")).rows,
        );
      expect(await rows(next.postgres.url)).toEqual(await rows(old.postgres.url));
      const moved = { DATABASE_URL: next.postgres.url };
      await Promise.all((["indexer", "workers", "api"] as const).map((name) => parts.start(name, moved)));
      expect((await agent()).name).toBe("Kept");
      await registers(parts, "Moved");
    },
  },
};

/** What a program says of its version; undefined where it is not installed. */
function versionOf([name, ...args]: Entry["version"]): string | undefined {
  const { error, stdout, stderr } = spawnSync(name, args, {
    encoding: "utf8",
    env: { PATH: "/usr/sbin:/usr/bin:/bin" },
  });
  return error ? undefined : /\d+(\.\d+)+\S*/.exec(stdout + stderr)?.[0];
}

for (const [name, { part, version, does, run }] of Object.entries(ENTRIES)) {
  const found = versionOf(version);
  it.runIf(found)(`${name}: ${part} ${found ?? `(no ${basename(version[0])} here)`}: ${does}`, async ({ task }) => {
    const figures = await run();
    if (typeof figures === "string") task.meta.figures = figures;
  });
}
