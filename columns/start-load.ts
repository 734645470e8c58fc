/** Starts the load of a table: in a process of its own, or in this one when the table is small. */
import { fork } from "node:child_process";
import type { Readable } from "node:stream";
import { type BuiltTable, buildTable } from "./build-table.ts";
import { receiveImage } from "./image-transfer.ts";
import { IMAGE_FD, type LoadReply, type LoadRequest } from "./load-messages.ts";
import type { TableSource } from "./table-source.ts";

/** Max rows that are loaded in this process: sorting them takes milliseconds, less than a process takes to start. */
const IN_PROCESS_ROWS = 2_000;

export type Load<State> = {
  /**
   * Null when the source has nothing to load.
   * @throws the database's error, or that the loading process ended
   */
  loaded: Promise<BuiltTable<State> | null>;
  /** Kills the loading process; `loaded` then rejects, unless it has resolved. */
  stop(): void;
};

/** @param processFile entry file of a process that loads this source (load-process.ts) */
export function startLoad<State>(source: TableSource<State>, processFile: string, request: LoadRequest): Load<State> {
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
