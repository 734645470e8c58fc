/** Has a table filled: by a process whose arrays are taken over, or on the spot when there is little to fill it with. */
import { fork } from "node:child_process";
import type { Readable } from "node:stream";
import { type Filled, fillTable } from "./fill-table.ts";
import { receiveImage } from "./image-transfer.ts";
import { IMAGE_FD, type Loaded, type LoadOrder } from "./load-order.ts";
import type { TableSource } from "./table-source.ts";

/** So many rows are sorted in a few milliseconds: less than a process takes to start. */
const FEW = 2_000;

export type Load<State> = {
  /**
   * Null when there is nothing to load from.
   * @throws Error of the database, or that the process ended
   */
  loaded: Promise<Filled<State> | null>;
  /** Ends a process; `loaded` then throws, unless it is through. */
  stop(): void;
};

/** @param processFile begins a process that loads this source (load-process.ts) */
export function startLoad<State>(source: TableSource<State>, processFile: string, order: LoadOrder): Load<State> {
  if (order.rows <= FEW) return { loaded: fillTable(source, order), stop: () => {} };
  const child = fork(processFile, {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
  });
  const bytes = child.stdio[IMAGE_FD] as Readable;
  const loaded = new Promise<Filled<State> | null>((resolve, reject) => {
    child.once("message", (message: Loaded<State>) => {
      if (message.kind === "absent") resolve(null);
      else if (message.kind === "failed") reject(Object.assign(new Error(message.message), { code: message.code }));
      else {
        const { image, state, readMs, sortMs } = message;
        receiveImage(image, bytes).then((whole) => resolve({ image: whole, state, readMs, sortMs }), reject);
      }
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error("the loading process ended without a table")));
    // The order names the database with its password: it is told, not written where others can read it.
    child.send(order, (error) => error && reject(error));
  });
  // It stays until it is told to go, so that nothing it wrote is lost with it.
  const stop = () => void child.kill("SIGKILL");
  return { loaded: loaded.finally(stop), stop };
}
