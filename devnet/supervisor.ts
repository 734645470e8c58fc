/** The local stack's supervisor: starts the service's processes, restarts one that ends, ends all of them together. */
import type { ChildProcess } from "node:child_process";
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UP } from "../runtime/lifecycle.ts";
import { commandOf, entryOf, PROCESS_ENV, type ProcessName } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { endProgram, outputOf, startProgram } from "./start-program.ts";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** A process that ran this long has recovered: its next failure is a first one again. */
const STABLE_MS = 60_000;
const STOP_MS = 12_000;

/**
 * Options of Node in all processes and their children: few objects live for a short time where nothing happens. The API
 * names a size of its own.
 */
const SMALL = `--max-semi-space-size=2 --import=${pathToFileURL(entryOf("small-memory"))}`;

type Part = {
  name: string;
  child?: ChildProcess;
  delay: number;
  log: WriteStream;
  timer?: NodeJS.Timeout;
  /** It has said so once. */
  up: boolean;
};

export class Supervisor {
  readonly #parts: Part[] = [];
  readonly #logDirectory: string;
  readonly #env: Record<string, string>;
  readonly #say: (line: string) => void;
  #stopping = false;

  /**
   * @param env complete environment of the children
   * @param say prints a restart for the operator
   */
  constructor(options: { logDirectory: string; env: Record<string, string>; say: (line: string) => void }) {
    this.#logDirectory = options.logDirectory;
    this.#env = options.env;
    this.#say = options.say;
    mkdirSync(options.logDirectory, { recursive: true });
  }

  /** Starts one process and keeps it running. */
  start(name: ProcessName, args: readonly string[] = []): void {
    const log = createWriteStream(join(this.#logDirectory, `${name}.log`), { flags: "a" });
    const part: Part = { name, delay: FIRST_DELAY_MS, log, up: false };
    this.#parts.push(part);
    this.#run(part, [...commandOf(name), ...args]);
  }

  /** Whether a part has said that it is up (`sayUp` in lifecycle.ts); not every one says so. */
  isUp(name: string): boolean {
    return this.#parts.some((part) => part.name === name && part.up);
  }

  /** Ends every process, the last started first; kills what does not end in time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const part of this.#parts.toReversed()) {
      clearTimeout(part.timer);
      if (part.child) await endProgram(part.child, "SIGTERM", STOP_MS);
      part.log.end();
    }
  }

  #run(part: Part, command: string[]): void {
    const started = Date.now();
    const child = startProgram(process.execPath, command, {
      cwd: PROJECT_ROOT,
      env: { ...PROCESS_ENV, ...this.#env, NODE_OPTIONS: `${this.#env.NODE_OPTIONS ?? ""} ${SMALL}`.trim() },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    part.child = child;
    const lastWords = outputOf(child, 500);
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk: Buffer) => part.log.write(chunk));
    child.on("message", (said) => {
      if (said === UP) part.up = true;
    });
    child.on("exit", (code, signal) => {
      part.child = undefined;
      if (this.#stopping) return;
      if (Date.now() - started > STABLE_MS) part.delay = FIRST_DELAY_MS;
      this.#say(
        `${part.name} ended (${signal ?? code}), starting it again in ${part.delay / 1000} s: ${lastLine(lastWords())}`,
      );
      part.timer = setTimeout(() => this.#run(part, command), part.delay);
      part.delay = Math.min(part.delay * 2, MAX_DELAY_MS);
    });
  }
}

const lastLine = (text: string) => text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
