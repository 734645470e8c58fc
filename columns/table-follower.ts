/** Keeps one table equal to its source: adopts full loads, applies changes, compares totals; one step at a time. */
import type { BuiltTable } from "./build-table.ts";
import type { FollowConnection } from "./follow-connection.ts";
import { initialStats, type LiveTableStats } from "./live-table-stats.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { ColumnTable } from "./table.ts";
import type { TableLoader } from "./table-loader.ts";
import type { Changes, TableSource, Totals } from "./table-source.ts";

/** Max milliseconds per slice; the rest runs in the next turn of the event loop. */
const SLICE_MS = 2;
/** Changes between two readings of the clock. */
const CHANGES_PER_CLOCK_READING = 32;

/**
 * Each row is whole at any time; between two slices some rows have changed and others not yet.
 * @param options.atOnce applies everything in one slice
 */
async function applyChanges(
  table: ColumnTable,
  { puts, sets, deletes }: Changes,
  { atOnce }: { atOnce: boolean },
): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  let applied = 0;
  const isOver = () => !atOnce && ++applied % CHANGES_PER_CLOCK_READING === 0 && performance.now() >= sliceEnd;
  const pause = async () => {
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  };
  for (const [id, values] of puts) {
    table.put(id, values);
    if (isOver()) await pause();
  }
  for (const [id, values] of sets) {
    table.set(id, values);
    if (isOver()) await pause();
  }
  for (const id of deletes) {
    table.delete(id);
    if (isOver()) await pause();
  }
}

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((done) => setImmediate(done));

export type TableLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** Ids of rows that changed, or `all` when another table took the place of the former one. */
export type ChangeListener = (rows: Iterable<number> | "all") => void;

export type TableFollowerOptions<State> = {
  source: TableSource<State>;
  connection: FollowConnection;
  loader: TableLoader<State>;
  memory: MemoryBudget;
  /** Milliseconds between two comparisons of the totals. */
  checkMs: number;
  log: TableLog | undefined;
};

/** Max changes that are applied in one slice: a few milliseconds. */
const MAX_AT_ONCE = 256;
/**
 * Max changes that readers wait for until all are applied, so that they never see a state which the database never
 * had. More than this take too long to wait for.
 */
const MAX_AWAITED = 5_000;
/** With more changed rows than this share of the table, a full load is cheaper and delays no other work. */
const RELOAD_SHARE = 0.2;
/** Up to this number of changed rows no full load is made, also if they are a large share. */
const RELOAD_ROWS = 50_000;

/** Resumes: at the last read state; after a failure it loads the whole table again, every 500 ms, and SQL answers meanwhile. */
export class TableFollower<State> {
  readonly #options: TableFollowerOptions<State>;
  readonly #stats = initialStats("loading");
  readonly #syncListeners = new Set<() => void>();
  readonly #changeListeners = new Set<ChangeListener>();
  #checkedAt = 0;
  /** The history of commits that the table follows, and that of the load that was begun last. */
  #history: string | undefined;
  #loadHistory: string | undefined;
  #closed = false;
  /** The table; undefined before the first load, and when it is too large. */
  table: ColumnTable | undefined;
  /** Position in the source up to which the table has every change. */
  state: State | undefined;
  /** When the table was last known to equal the database; undefined while it is known not to. */
  asOf: Date | undefined;
  /** Resolves when all changes of the last commits are applied; undefined while none is half applied. Never rejects. */
  applying: Promise<void> | undefined;

  constructor(options: TableFollowerOptions<State>) {
    this.#options = options;
  }

  /** One step: adopts a finished load, then applies what changed, or begins the first load. @throws the database's error */
  async step(): Promise<void> {
    const loaded = this.#options.loader.take();
    if (loaded) this.#adopt(loaded);
    if (this.table) await this.#sync(this.table);
    else if (this.#stats.phase === "loading" && !this.#options.loader.isLoading) await this.#beginFirstLoad();
  }

  /** Records an error for `stats` and the log. @param what log message */
  failed(error: unknown, what: string): void {
    this.#stats.error = error instanceof Error ? error.message : String(error);
    if (!this.#closed) this.#options.log?.warn({ err: error }, what);
  }

  stats(): LiveTableStats {
    return {
      ...this.#stats,
      rows: this.table?.size ?? this.#stats.rows,
      bytes: this.table?.byteLength ?? 0,
      ageMs: this.asOf ? Date.now() - this.asOf.getTime() : null,
    };
  }

  onSync(listener: () => void): () => void {
    this.#syncListeners.add(listener);
    return () => void this.#syncListeners.delete(listener);
  }

  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => void this.#changeListeners.delete(listener);
  }

  /** Ends slices that are still to come, and the log of errors. */
  stop(): void {
    this.#closed = true;
  }

  /** Gives the memory back; after the last step. */
  release(): void {
    this.#options.memory.release(this);
  }

  /** Starts a load if the source has rows to load and the memory budget has room for them. */
  async #beginFirstLoad(): Promise<void> {
    const { source, connection, memory } = this.#options;
    const rows = await connection.snapshot(async (tx) => ((await source.begin(tx)) === null ? null : source.count(tx)));
    if (rows === null) return;
    if (memory.reserve(this, rows * source.bytesPerRow)) this.#load(rows);
    else this.#giveUp(rows);
  }

  #load(rows: number): void {
    const { connection, loader } = this.#options;
    if (loader.start(rows)) this.#loadHistory = connection.history;
  }

  #adopt({ image, state, readMs, sortMs }: BuiltTable<State>): void {
    this.table = new ColumnTable(this.#options.source.definition, image);
    for (const listener of this.#changeListeners) listener("all");
    this.state = state;
    this.#history = this.#loadHistory;
    this.asOf = undefined;
    this.#checkedAt = performance.now();
    const loads = this.#stats.loads + 1;
    Object.assign(this.#stats, { phase: "ready", loads, syncs: 0, rowsRead: 0, readMs, sortMs });
    this.#options.log?.info({ rows: this.table.size, readMs, sortMs }, "a table was loaded into memory");
  }

  /** Reads what changed in one snapshot; afterwards the table equals the database, or a full load is running. */
  async #sync(table: ColumnTable): Promise<void> {
    const { source, connection, checkMs } = this.#options;
    const startedAt = new Date();
    const { synced, totals } = await connection.snapshot(async (tx) => {
      const synced = await source.sync(tx, this.state!);
      const due = typeof synced === "object" && performance.now() - this.#checkedAt >= checkMs;
      return { synced, totals: due ? await source.totals(tx) : undefined };
    });
    const isOther = connection.history !== this.#history;
    if (typeof synced === "string" || isOther) this.asOf = undefined;
    if (synced === "wait") return;
    if (synced === "reload" || isOther) return this.#load(table.size);
    const changed = this.#announce(synced.changes);
    if (changed > Math.max(RELOAD_ROWS, table.size * RELOAD_SHARE)) return this.#load(table.size);
    try {
      await this.#apply(table, synced.changes, changed);
      if (totals && differs(table, totals)) throw new Error("its totals are not those of the database");
    } catch (error) {
      this.failed(error, "a table is loaded anew");
      return this.#load(table.size);
    }
    while (!this.#closed && table.maintain(SLICE_MS)) await nextTurn();
    if (totals) this.#checkedAt = performance.now();
    this.#synced(table, { state: synced.state, startedAt, changed });
  }

  /** Calls the change listeners before the table changes. @returns number of changes */
  #announce({ puts, sets, deletes }: Changes): number {
    for (const listener of this.#changeListeners)
      for (const rows of [puts.map(idOf), sets.map(idOf), deletes]) listener(rows);
    return puts.length + sets.length + deletes.length;
  }

  async #apply(table: ColumnTable, changes: Changes, changed: number): Promise<void> {
    const applied = Promise.withResolvers<void>();
    if (changed > MAX_AT_ONCE && changed <= MAX_AWAITED) this.applying = applied.promise;
    try {
      await applyChanges(table, changes, { atOnce: changed <= MAX_AT_ONCE });
    } finally {
      this.applying = undefined;
      applied.resolve();
    }
  }

  #synced(table: ColumnTable, { state, startedAt, changed }: { state: State; startedAt: Date; changed: number }): void {
    this.state = state;
    this.asOf = startedAt;
    this.#stats.syncs++;
    this.#stats.rowsRead += changed;
    this.#stats.error = null;
    if (!this.#options.memory.reserve(this, table.byteLength)) this.#giveUp(table.size);
    for (const listener of [...this.#syncListeners]) listener();
  }

  #giveUp(rows: number): void {
    const { memory, log } = this.#options;
    this.table = undefined;
    memory.release(this);
    Object.assign(this.#stats, { phase: "too large", rows, bytes: 0 });
    log?.warn({ rows, memory: memory.total }, "the table is too large to be kept in memory: lists are answered by SQL");
  }
}

const differs = (table: ColumnTable, { count, ...sums }: Totals): boolean =>
  table.size !== count || Object.entries(sums).some(([column, sum]) => table.sum(column) !== sum);

const idOf = ([id]: readonly [id: number, ...rest: unknown[]]) => id;
