/** Full loads of one live table: one at a time, in the background; the result waits here until the follower takes it. */
import { fork } from "node:child_process";
import type { Readable } from "node:stream";
import { type BuiltTable, buildTable } from "./build-table.ts";
import { receiveImage } from "./image-transfer.ts";
import { IMAGE_FD, type LoadReply, type LoadRequest } from "./load-messages.ts";
import type { TableSource } from "./table-source.ts";

/** Max rows that are loaded in this process: sorting them takes milliseconds, less than a process takes to start. */
const IN_PROCESS_ROWS = 2_000;

type Load<State> = {
  /**
   * Null when the source has nothing to load.
   * @throws the database's error, or that the loading process ended
   */
  loaded: Promise<BuiltTable<State> | null>;
  /** Kills the loading process; `loaded` then rejects, unless it has resolved. */
  stop(): void;
};

/** @param processFile entry file of a process that loads this source (load-process.ts) */
function startLoad<State>(source: TableSource<State>, processFile: string, request: LoadRequest): Load<State> {
  if (request.rows <= IN_PROCESS_ROWS) return { loaded: buildTable(source, request), stop: () => {} };
  const child = fork(processFile, {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
  });
  const bytes = child.stdio[IMAGE_FD] as Readable;
  const image = receiveImage(bytes);
  // Without a table the stream ends too soon; why, is in the reply.
  image.catch(() => {});
  const loaded = new Promise<BuiltTable<State> | null>((resolve, reject) => {
    child.once("message", (reply: LoadReply<State>) => {
      if (reply.kind === "absent") resolve(null);
      else if (reply.kind === "failed") reject(Object.assign(new Error(reply.message), { code: reply.code }));
      else {
        const { state, readMs, sortMs } = reply;
        image.then((whole) => resolve({ image: whole, state, readMs, sortMs }), reject);
      }
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error("the loading process ended without a table")));
    // The request holds the database's password: a message stays private, arguments and environment do not.
    child.send(request, (error) => error && reject(error));
  });
  // The process lives until it is killed, so that nothing that it wrote to the pipe is lost with it.
  const stop = () => void child.kill("SIGKILL");
  return { loaded: loaded.finally(stop), stop };
}

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
