/** Full loads of one live table: one at a time, in the background; the result waits here until the follower takes it. */
import type { BuiltTable } from "./build-table.ts";
import { startLoad } from "./start-load.ts";
import type { TableSource } from "./table-source.ts";

/** Milliseconds between a failed load and the next one. */
export const RETRY_MS = 500;

export type TableLoaderOptions = {
  url: string;
  /** Entry file of a process that loads the source (load-process.ts). */
  processFile: string;
  onFailure(error: unknown): void;
  /** Called after every load, failed or not. */
  onEnd(): void;
};

export class TableLoader<State> {
  readonly #source: TableSource<State>;
  readonly #options: TableLoaderOptions;
  #loading: Promise<void> | undefined;
  #stopLoad = () => {};
  #loaded: BuiltTable<State> | undefined;
  #closed = false;

  constructor(source: TableSource<State>, options: TableLoaderOptions) {
    this.#source = source;
    this.#options = options;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /**
   * Begins a load, unless one is running or waits to be taken: what the caller compared was the table before it.
   * @param rows expected number of rows
   * @returns whether it began
   */
  start(rows: number): boolean {
    if (this.#loading || this.#loaded || this.#closed) return false;
    const { url, processFile, onFailure, onEnd } = this.#options;
    const { loaded, stop } = startLoad(this.#source, processFile, { url, rows });
    this.#stopLoad = stop;
    this.#loading = loaded
      .then((table) => {
        this.#loaded = table ?? undefined;
      })
      .catch(async (error) => {
        onFailure(error);
        if (!this.#closed) await new Promise((done) => setTimeout(done, RETRY_MS));
      })
      .finally(() => {
        this.#loading = undefined;
        onEnd();
      });
    return true;
  }

  /** The table that a load has finished since the last call; undefined when there is none. */
  take(): BuiltTable<State> | undefined {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    return loaded;
  }

  /** Stops a running load and waits for its end. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopLoad();
    await this.#loading;
  }
}
