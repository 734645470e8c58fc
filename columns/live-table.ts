/** A column table that is loaded in the background and then kept equal to the database, change by change. */
import { Latch } from "../runtime/latch.ts";
import { FollowConnection } from "./follow-connection.ts";
import type { LiveTableStats } from "./live-table-stats.ts";
import { MemoryBudget } from "./memory-budget.ts";
import type { ColumnTable } from "./table.ts";
import { type ChangeListener, TableFollower, type TableLog } from "./table-follower.ts";
import { RETRY_MS, TableLoader } from "./table-loader.ts";
import type { TableSource } from "./table-source.ts";

export type LiveTableOptions = {
  url: string;
  /** Max milliseconds until a change is noticed that no notification announces. */
  pollMs?: number;
  /** Milliseconds without a reader after which the table is followed every 30 seconds only; SQL answers the next reader. */
  idleAfterMs?: number;
  /** Milliseconds between two comparisons of the totals; they find changes that bypass the feed of changes. */
  checkMs?: number;
  /** Memory that the table shares with other tables; a table that does not fit is not kept. */
  memory?: MemoryBudget;
  log?: TableLog;
};

export type LiveTable<State> = {
  /** Undefined before the first load, and when the table is too large. */
  readonly table: ColumnTable | undefined;
  /** Position in the source up to which the table has every change. */
  readonly state: State | undefined;
  /** When the table was last known to equal the database; undefined while it is known not to. */
  readonly asOf: Date | undefined;
  /** Resolves when all changes of the last commits are applied; undefined while none is half applied. Never rejects. */
  readonly applying: Promise<void> | undefined;
  stats(): LiveTableStats;
  /** Calls back after every sync with the database. @returns a function that ends it */
  onSync(listener: () => void): () => void;
  /** Calls back with the rows that a sync found changed, before they change in the table. @returns a function that ends it */
  onChange(listener: ChangeListener): () => void;
  /** Syncs now instead of at the next notification or poll. */
  wake(): void;
  close(): Promise<void>;
};

/** Milliseconds between two looks while there are no readers: few changes are left for the first of them. */
const IDLE_POLL_MS = 30_000;
const DEFAULT_MEMORY_BYTES = 512 * 2 ** 20;

/** Whether a table has readers, and what they read: the first one after a pause wakes those who follow the table. */
function openReaders<State>(follower: () => TableFollower<State>, idleAfterMs: number, wake: () => void) {
  let readAt = performance.now();
  const isIdle = () => follower().table !== undefined && performance.now() - readAt > idleAfterMs;
  const read = () => {
    if (isIdle()) wake();
    readAt = performance.now();
    return follower();
  };
  return { isIdle, read };
}

/**
 * Opens a live table; returns at once, `table` is set when the first load has finished.
 * @param processFile entry file of a process that loads the source (load-process.ts)
 */
export function openLiveTable<State>(
  source: TableSource<State>,
  processFile: string,
  {
    url,
    pollMs = 250,
    idleAfterMs = 10_000,
    checkMs = 600_000,
    memory = new MemoryBudget(DEFAULT_MEMORY_BYTES),
    log,
  }: LiveTableOptions,
): LiveTable<State> {
  const pause = new Latch();
  const wake = () => pause.notify();
  const { isIdle, read } = openReaders(() => follower, idleAfterMs, wake);
  const connection = new FollowConnection({
    url,
    openClient: source.openClient,
    channel: source.channel,
    onNotification: () => {
      if (!isIdle()) wake();
    },
  });
  const loader = new TableLoader(source, {
    url,
    processFile,
    onFailure: (error) => follower.failed(error, "a table could not be loaded"),
    onEnd: wake,
  });
  const follower: TableFollower<State> = new TableFollower({ source, connection, loader, memory, checkMs, log });
  let closed = false;

  async function follow(): Promise<void> {
    while (!closed) {
      let ms = pollMs;
      try {
        await follower.step();
        if (isIdle()) ms = Math.max(pollMs, IDLE_POLL_MS);
      } catch (error) {
        connection.drop();
        follower.failed(error, "a table could not be followed");
        ms = RETRY_MS;
      }
      if (!closed) await pause.wait(ms);
    }
  }

  const following = follow();
  return {
    get table() {
      return read().table;
    },
    get state() {
      return read().state;
    },
    get asOf() {
      return read().asOf;
    },
    get applying() {
      return read().applying;
    },
    stats: () => follower.stats(),
    onSync: (listener) => follower.onSync(listener),
    onChange: (listener) => follower.onChange(listener),
    wake,
    async close() {
      closed = true;
      follower.stop();
      wake();
      const loaded = loader.close();
      await following;
      await loaded;
      follower.release();
      await connection.close();
    },
  };
}
