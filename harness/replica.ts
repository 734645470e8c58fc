/** A streaming replica of an embedded PostgreSQL: what pg_basebackup does, which the embedded package has not. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Postgres, startPostgres } from "../devnet/postgres.ts";
import { withClient } from "../devnet/with-client.ts";

/** Files of a server that a copy must not have, or gets from the stream (PostgreSQL manual, 25.3). */
const LEFT_OUT = ["postmaster.pid", "postmaster.opts", "pg_wal/*", "pg_replslot/*", "pg_stat_tmp/*", "pgsql_tmp*"];

/**
 * Copies the server at `url` while it runs, and starts the copy as its replica.
 * @param url of a superuser
 * @param dataDir a directory that does not exist yet, in one that the server's account can enter
 */
export async function startReplica(
  url: string,
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<Postgres> {
  await withClient(url, async (client) => {
    const { rows } = await client.query("select current_setting('data_directory') as directory");
    await client.query("select pg_backup_start('replica', true)");
    copy(rows[0].directory, dataDir);
    const { rows: stopped } = await client.query("select labelfile from pg_backup_stop(false)");
    writeForServer(dataDir, "backup_label", stopped[0].labelfile);
    writeForServer(dataDir, "standby.signal", "");
  });
  const { hostname, port, username, password } = new URL(url);
  return startPostgres({
    dataDir,
    fast: true,
    settings: {
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
      wal_retrieve_retry_interval: "100ms",
      shared_buffers: "64MB",
      ...settings,
    },
  });
}

/** Copies owners and modes too. Files that disappear meanwhile are what the WAL repairs, so tar's warnings are none. */
function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const leftOut = LEFT_OUT.map((name) => `--exclude='./${name.includes("/") ? name : `*${name}`}'`).join(" ");
  const { stderr, status } = spawnSync(
    "/bin/sh",
    ["-c", `tar -C "$0" ${leftOut} --warning=none -cf - . | tar -C "$1" -xpf -`, from, to],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the data directory could not be copied: ${stderr.trim()}`);
  chmodSync(to, 0o700);
}

/** A file of the server's account, as the directory is. */
export function writeForServer(dataDir: string, name: string, text: string): void {
  const { uid, gid } = statSync(dataDir);
  writeFileSync(join(dataDir, name), text, { mode: 0o600 });
  chownSync(join(dataDir, name), uid, gid);
}
