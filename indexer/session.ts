/** A session of the launcher: one database connection that holds the build's lock, and with it the right to write. */
import type pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { bool, text } from "../db/sql/columns.ts";
import { openClient } from "../db/sql/connect.ts";
import { statement } from "../db/sql/statement.ts";
import { sleep } from "./backoff.ts";
import { AlreadyRunning } from "./schema-name.ts";
import { BUILD_LOCK, ensureOnchain } from "./views.ts";

/** Milliseconds between two attempts to take the build's lock. */
const LOCK_POLL_MS = 500;

/** What every step of a session works with. */
export type Session = {
  /** The connection that holds the lock: only one launcher of the build writes through such a connection at a time. */
  db: pg.Client;
  config: Config;
  /** `index_<hash>`, see schema-name.ts. */
  build: string;
  log: Logger;
  /** Aborted by the launcher's `stop`. */
  stopping: AbortSignal;
  /** Aborted when the connection is lost, and the lock with it: Ponder must be killed at once. */
  lost: AbortSignal;
};

/**
 * Runs `work` in a session; waits first while another launcher of the same build has the lock.
 * Check then write: lock, chain and progress, then schemas, block hashes and generation (preparation.ts, run.ts,
 * block-hashes.ts); the lock may be lost: a session's advisory lock of the build, whose loss kills Ponder. Two builds
 * at once may cause a needless re-index.
 * @param options.waits false: does not wait for the lock
 * @throws AlreadyRunning where it does not wait and another launcher has the lock
 * @throws the database's error when the connection cannot be made or breaks
 */
export async function withSession(
  options: Omit<Session, "db" | "lost"> & { databaseUrl: string; waits?: boolean },
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { databaseUrl, waits = true, ...rest } = options;
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
    if (!(await takeLock(session, waits))) return;
    await ensureOnchain(db);
    await work(session);
  } finally {
    db.off("end", lose);
    await db.end().catch(() => {});
  }
}

const TRY_LOCK = statement({
  name: "try-build-lock",
  params: { build: text },
  text: `select pg_try_advisory_lock(${BUILD_LOCK}, hashtext($build)) as taken`,
  columns: { taken: bool },
});

/** @returns false when `stop` is called before the lock is free */
async function takeLock({ db, build, log, stopping }: Session, waits: boolean): Promise<boolean> {
  let warned = false;
  while (!stopping.aborted) {
    if ((await TRY_LOCK.one(db, { build })).taken) return true;
    if (!waits) throw new AlreadyRunning();
    if (!warned) log.warn(`another indexer of ${build} is running: waiting for it to end`);
    warned = true;
    await sleep(LOCK_POLL_MS, stopping);
  }
  return false;
}
