/** The process of readers of a worker process: started with it, ended with it, and started again when it hangs or ends. */
import { type ChildProcess, fork } from "node:child_process";
import type { Logger } from "pino";
import { DEADLINE_MS } from "../runtime/lifecycle.ts";
import { commandOf } from "../runtime/processes.ts";

/**
 * Milliseconds without a word from it after which it hangs and is killed. A document ends long before, by the limit of
 * its own (workers/within-time.ts); this is for what V8 cannot end.
 */
const SILENT_MS = 30_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;

export type Readers = {
  /** Ends it, and starts no other. */
  stop(): Promise<void>;
};

export type ReadersOptions = {
  log: Pick<Logger, "warn">;
  /** Options of Node, and the file. */
  command?: readonly string[];
  silentMs?: number;
};

export function startReaders({ log, command = commandOf("readers"), silentMs = SILENT_MS }: ReadersOptions): Readers {
  let child: ChildProcess | undefined;
  let stopping = false;
  let delay = FIRST_DELAY_MS;
  let again: NodeJS.Timeout | undefined;

  function start() {
    const started = fork(command.at(-1)!, { execArgv: command.slice(0, -1) });
    let silence: NodeJS.Timeout | undefined;
    child = started;
    // It may take long to start; from its first word on it says that it lives.
    started.on("message", () => {
      delay = FIRST_DELAY_MS;
      clearTimeout(silence);
      silence = setTimeout(() => {
        log.warn("the readers are silent and are killed");
        started.kill("SIGKILL");
      }, silentMs);
    });
    started.once("error", (error) => log.warn({ err: error }, "the readers cannot be started"));
    started.once("exit", (code, signal) => {
      clearTimeout(silence);
      if (child === started) child = undefined;
      if (stopping) return;
      log.warn({ code, signal, againInMs: delay }, "the readers ended and are started again");
      again = setTimeout(start, delay);
      delay = Math.min(2 * delay, MAX_DELAY_MS);
    });
  }

  start();
  return {
    async stop() {
      stopping = true;
      clearTimeout(again);
      const ending = child;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise<void>((done) => ending.once("exit", () => done()));
      const late = setTimeout(() => ending.kill("SIGKILL"), DEADLINE_MS - 500);
      ending.kill("SIGTERM");
      await ended;
      clearTimeout(late);
    },
  };
}
