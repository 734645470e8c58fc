/** A column table that follows its source: loaded beside everything else, then kept equal to the database, change by change. */
import pg from "pg";
import { openClient } from "../db/connect.ts";
import type { Filled } from "./fill-table.ts";
import { startLoad } from "./load.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { ColumnTable } from "./table.ts";
import type { Changes, TableSource } from "./table-source.ts";

export type LiveTableOptions = {
  url: string;
  /** How long a change may go unnoticed when nothing announces it. */
  pollMs?: number;
  /** How often the totals of both sides are compared, to find what no feed of changes tells. */
  checkMs?: number;
  /** What the table has to fit into, beside others; else it is not kept at all. */
  memory?: MemoryBudget;
  /** Told what an operator may want to know. */
  log?: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
};

export type LiveTableStats = {
  /** `loading` until the first load is through; `too large` for its memory, so there is no table; `off`: not wanted. */
  phase: "off" | "loading" | "ready" | "too large";
  rows: number;
  bytes: number;
  /** Full loads so far, and what the last one took: reading and sorting. */
  loads: number;
  readMs: number;
  sortMs: number;
  /** Looks at the database since the last load, and rows read by them. */
  syncs: number;
  rowsRead: number;
  /** Milliseconds since the table was last known to equal the database; null while it is known not to. */
  ageMs: number | null;
  /** Why the last load or look failed; null when it did not. */
  error: string | null;
};

export type LiveTable<State> = {
  /** Undefined while there is none: nothing was loaded yet, or it is too large. */
  readonly table: ColumnTable | undefined;
  /** Up to where the table follows its source. */
  readonly state: State | undefined;
  /** When the table was last known to equal the database; undefined while it is known not to. */
  readonly asOf: Date | undefined;
  /** There while only a part of the last commits' changes are in the table, and soon through: it never throws. */
  readonly settling: Promise<void> | undefined;
  stats(): LiveTableStats;
  /** Calls back after every look at the database. @returns a function that ends it */
  onSync(listener: () => void): () => void;
  /** Calls back with the rows that a look found changed, before the table follows; with `all` when the table is another. */
  onChange(listener: (rows: Iterable<number> | "all") => void): () => void;
  /** Looks at the database now instead of at the next notification or poll. */
  wake(): void;
  close(): Promise<void>;
};

/** The event loop is held for so long at most; whatever takes longer goes on in the next turn. */
const SLICE_MS = 2;
/** So many changes are applied in one go: a few milliseconds. */
const TOGETHER = 256;
/** Of more, so many between two looks at the clock. */
const STRIDE = 32;
/** Up to so many, whoever asks waits until all are in: a state that the database never had is not shown. More take too long. */
const WAITED_FOR = 5_000;
/** Beyond this share of the table, and number, of changed rows a full load is cheaper, and it holds up nobody. */
const RELOAD_SHARE = 0.2;
const RELOAD_ROWS = 50_000;
const RETRY_MS = 500;
const GOODBYE_MS = 1_000;
const DEFAULT_MEMORY = 512 * 2 ** 20;

/**
 * Opens a live table; returns at once, `table` appears when it is loaded.
 * @param processFile begins a process that loads this source (load-process.ts)
 */
export function openLiveTable<State>(
  source: TableSource<State>,
  processFile: string,
  { url, pollMs = 250, checkMs = 600_000, memory = new MemoryBudget(DEFAULT_MEMORY), log }: LiveTableOptions,
): LiveTable<State> {
  /** Stands for this table in `memory`. */
  const share = {};
  let table: ColumnTable | undefined;
  let state: State | undefined;
  let asOf: Date | undefined;
  let settling: Promise<void> | undefined;
  let checkedAt = 0;
  let client: pg.Client | undefined;
  let loading: Promise<void> | undefined;
  let stopLoading = () => {};
  let arrived: Filled<State> | undefined;
  let closed = false;
  let awake = false;
  let rouse = () => {};
  const listeners = new Set<() => void>();
  const changeListeners = new Set<(rows: Iterable<number> | "all") => void>();
  const stats: LiveTableStats = {
    phase: "loading",
    rows: 0,
    bytes: 0,
    loads: 0,
    readMs: 0,
    sortMs: 0,
    syncs: 0,
    rowsRead: 0,
    ageMs: null,
    error: null,
  };

  function wake() {
    awake = true;
    rouse();
  }

  async function sleep(ms: number) {
    if (awake || closed) {
      awake = false;
      return;
    }
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      rouse = () => {
        clearTimeout(timer);
        done();
      };
    });
    awake = false;
  }

  async function connect(): Promise<pg.Client> {
    const fresh = openClient({
      connectionString: url,
      application_name: "table-follow",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    const lose = () => {
      if (client === fresh) client = undefined;
    };
    fresh.on("error", lose);
    fresh.on("end", lose);
    fresh.on("notification", wake);
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(source.channel)}`);
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    return fresh;
  }

  /** Loads about so many rows, beside everything else; what arrives is adopted by the next turn of `follow`. */
  function load(rows: number) {
    if (loading) return;
    const { loaded, stop } = startLoad(source, processFile, { url, rows });
    stopLoading = stop;
    loading = loaded
      .then((table) => {
        arrived = table ?? undefined;
      })
      .catch(async (error) => {
        failed(error, "a table could not be loaded");
        if (!closed) await new Promise((done) => setTimeout(done, RETRY_MS));
      })
      .finally(() => {
        loading = undefined;
        wake();
      });
  }

  function giveUp(rows: number) {
    table = undefined;
    memory.release(share);
    Object.assign(stats, { phase: "too large", rows, bytes: 0 });
    log?.warn({ rows, memory: memory.total }, "the table is too large to be kept in memory: lists are answered by SQL");
  }

  function adopt({ image, state: begun, readMs, sortMs }: NonNullable<typeof arrived>) {
    table = new ColumnTable(source.definition, image);
    for (const listener of changeListeners) listener("all");
    state = begun;
    asOf = undefined;
    checkedAt = performance.now();
    Object.assign(stats, { phase: "ready", loads: stats.loads + 1, syncs: 0, rowsRead: 0, readMs, sortMs });
    log?.info({ rows: table.size, readMs, sortMs }, "a table was loaded into memory");
  }

  /** One look at the database, in one snapshot; afterwards the table equals it, or a full load is on its way. */
  async function sync(): Promise<void> {
    client ??= await connect();
    const begun = new Date();
    const { synced, totals } = await snapshot(client, async (tx) => {
      const synced = await source.sync(tx, state!);
      const due = typeof synced === "object" && performance.now() - checkedAt >= checkMs;
      return { synced, totals: due ? ((await tx.query(source.totals)).rows[0] as Totals) : undefined };
    });
    if (typeof synced === "string") asOf = undefined;
    if (synced === "wait" || table === undefined) return;
    if (synced === "reload") return load(table.size);
    const { puts, sets, deletes } = synced.changes;
    for (const listener of changeListeners)
      for (const rows of [puts.map(idOf), sets.map(idOf), deletes]) listener(rows);
    const changed = puts.length + sets.length + deletes.length;
    if (changed > Math.max(RELOAD_ROWS, table.size * RELOAD_SHARE)) return load(table.size);
    const settled = Promise.withResolvers<void>();
    if (changed > TOGETHER && changed <= WAITED_FOR) settling = settled.promise;
    try {
      await apply(table, synced.changes, changed <= TOGETHER);
      if (totals && differs(table, totals)) throw new Error("its totals are not those of the database");
    } catch (error) {
      failed(error, "a table is loaded anew");
      return load(table.size);
    } finally {
      settling = undefined;
      settled.resolve();
    }
    while (!closed && table.maintain(SLICE_MS)) await nextTurn();
    if (totals) checkedAt = performance.now();
    state = synced.state;
    asOf = begun;
    stats.syncs++;
    stats.rowsRead += changed;
    stats.error = null;
    if (!memory.take(share, table.byteLength)) giveUp(table.size);
    for (const listener of [...listeners]) listener();
  }

  /** A few changes at once, more of them in slices between which others get their turn. Each row is whole at any time. */
  async function apply(target: ColumnTable, { puts, sets, deletes }: Changes, together: boolean): Promise<void> {
    let slice = performance.now() + SLICE_MS;
    let done = 0;
    const pause = async () => {
      if (together || ++done % STRIDE !== 0 || performance.now() < slice) return;
      await nextTurn();
      slice = performance.now() + SLICE_MS;
    };
    for (const [id, values] of puts) {
      target.put(id, values);
      await pause();
    }
    for (const [id, column, value] of sets) {
      target.set(id, column, value);
      await pause();
    }
    for (const id of deletes) {
      target.delete(id);
      await pause();
    }
  }

  function failed(error: unknown, what: string) {
    stats.error = error instanceof Error ? error.message : String(error);
    if (!closed) log?.warn({ err: error }, what);
  }

  /** Looks whether there is something to load, and room for it. */
  async function begin(tx: pg.Client): Promise<void> {
    const rows = await snapshot(tx, async () =>
      (await source.begin(tx)) === null ? null : Number((await tx.query(source.count)).rows[0].count),
    );
    if (rows === null) return;
    if (memory.take(share, rows * source.bytesPerRow)) load(rows);
    else giveUp(rows);
  }

  async function follow() {
    while (!closed) {
      let pause = pollMs;
      try {
        if (arrived) {
          adopt(arrived);
          arrived = undefined;
        }
        if (table) await sync();
        else if (stats.phase === "loading" && !loading) {
          client ??= await connect();
          await begin(client);
        }
      } catch (error) {
        const lost = client;
        client = undefined;
        lost?.end().catch(() => {});
        failed(error, "a table could not be followed");
        pause = RETRY_MS;
      }
      await sleep(pause);
    }
  }

  const following = follow();
  return {
    get table() {
      return table;
    },
    get state() {
      return state;
    },
    get asOf() {
      return asOf;
    },
    get settling() {
      return settling;
    },
    stats: () => ({
      ...stats,
      rows: table?.size ?? stats.rows,
      bytes: table?.byteLength ?? 0,
      ageMs: asOf ? Date.now() - asOf.getTime() : null,
    }),
    onSync(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onChange(listener) {
      changeListeners.add(listener);
      return () => void changeListeners.delete(listener);
    },
    wake,
    async close() {
      closed = true;
      wake();
      stopLoading();
      await following;
      await loading;
      memory.release(share);
      if (client) await end(client);
    },
  };
}

/** Takes leave of the database, which need not be there to hear it. */
async function end(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => {});
  await Promise.race([ended, new Promise((over) => setTimeout(over, GOODBYE_MS).unref())]);
}

type Totals = { count: number } & Record<string, number>;

const differs = (table: ColumnTable, { count, ...sums }: Totals): boolean =>
  table.size !== count || Object.entries(sums).some(([column, sum]) => table.sum(column) !== sum);

const idOf = ([id]: readonly [id: number, ...rest: unknown[]]) => id;

const nextTurn = () => new Promise<void>((done) => setImmediate(done));

/** @throws what went wrong, the transaction still open: the connection is the caller's to give up */
async function snapshot<T>(client: pg.Client, work: (tx: pg.Client) => Promise<T>): Promise<T> {
  await client.query("begin isolation level repeatable read read only");
  const result = await work(client);
  await client.query("rollback");
  return result;
}
