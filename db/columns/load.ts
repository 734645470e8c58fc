/** Runs the process that fills a table, and takes over the arrays it made. */
import { fork } from "node:child_process";
import type { Readable } from "node:stream";
import { receiveImage } from "./image-transfer.ts";
import { IMAGE_FD, type Loaded, type LoadOrder } from "./load-process.ts";
import type { TableImage } from "./table-image.ts";

export type LoadedTable<State> = { image: TableImage; state: State; readMs: number; sortMs: number };

export type Load<State> = {
  /**
   * Null when there is nothing to load from.
   * @throws Error of the database, or that the process ended
   */
  loaded: Promise<LoadedTable<State> | null>;
  /** Ends the process; `loaded` then throws, unless it is through. */
  stop(): void;
};

export function startLoad<State>(order: LoadOrder): Load<State> {
  const child = fork(new URL("./load-process.ts", import.meta.url), {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
  });
  const bytes = child.stdio[IMAGE_FD] as Readable;
  const loaded = new Promise<LoadedTable<State> | null>((resolve, reject) => {
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
