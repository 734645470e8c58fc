/** A session of the launcher: one database connection that holds the build's lock, and with it the right to write. */
import type pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { openClient } from "../db/connect.ts";
import { sleep } from "./backoff.ts";
import { BUILD_LOCK, ensureOnchain } from "./views.ts";

const LOCK_POLL_MS = 500;

/** What every step of a session works with. */
export type Session = {
  /** The connection that holds the lock: whatever is done on it is done by the only launcher of the build. */
  db: pg.ClientBase;
  config: Config;
  /** `index_<hash>`, see schema-name.ts. */
  build: string;
  log: Logger;
  /** Aborted when the launcher is asked to end. */
  stopping: AbortSignal;
  /** Aborted when the connection is gone, and with it the lock: Ponder has to be killed at once. */
  lost: AbortSignal;
};

/**
 * Runs `work` in a session; waits first while another launcher of the same build has the lock.
 * @throws the database's error when the connection cannot be made or breaks
 */
export async function withSession(
  options: Omit<Session, "db" | "lost"> & { databaseUrl: string },
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { databaseUrl, ...rest } = options;
  const db = openClient({
    connectionString: databaseUrl,
    application_name: `${rest.build}_launcher`,
    keepAlive: true,
  });
  const lost = new AbortController();
  const lose = () => lost.abort();
  db.on("error", lose);
  db.on("end", lose);
  try {
    await db.connect();
    const session = { ...rest, db, lost: lost.signal };
    if (!(await takeLock(session))) return;
    await ensureOnchain(db);
    await work(session);
  } finally {
    db.off("end", lose);
    await db.end().catch(() => {});
  }
}

/** @returns false when asked to stop before the lock was free */
async function takeLock({ db, build, log, stopping }: Session): Promise<boolean> {
  let told = false;
  while (!stopping.aborted) {
    const { rows } = await db.query("select pg_try_advisory_lock($1, hashtext($2)) as mine", [BUILD_LOCK, build]);
    if (rows[0].mine) return true;
    if (!told) log.warn(`another indexer of ${build} is running: waiting for it to end`);
    told = true;
    await sleep(LOCK_POLL_MS, stopping);
  }
  return false;
}
