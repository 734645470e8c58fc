/** The Ponder child process: started on one schema, listened to, and certainly ended. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import { freePort, portOr } from "../runtime/free-port.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { PONDER_ROOT } from "./preload/ponder-package.ts";
import type { TakenAsFinal } from "./preload/report-finalized.ts";

const PONDER = join(PONDER_ROOT, "dist/esm/bin/ponder.js");
/** Loaded into Ponder's process before anything of its own. */
const PRELOADED = [
  "preload/end-with-parent.ts",
  "preload/external-packages.ts",
  "preload/disable-triggers.ts",
  "preload/report-finalized.ts",
  "preload/removed-blocks.ts",
  "preload/reader-queries.ts",
];
/** The same where the node keeps no old state. */
const PRELOADED_PRUNED = [...PRELOADED, "preload/pruned-node.ts"];

/** How long Ponder may take to end by itself; with the launcher's own work it stays below ten seconds. */
const STOP_MS = 7_000;

/** Lines Ponder logs for every block, and about an end we asked for; interesting only to somebody who debugs. */
const ROUTINE = new Set([
  "Indexed block",
  "Finalized block",
  "Indexed block range",
  "Fetched block data",
  "Received SIGTERM",
  "Started shutdown sequence",
]);

/** What Ponder says, besides its rows, that the launcher has to act on. */
export type PonderNews = {
  /** It met a reorg deeper than its finality and goes no further (it stays alive and answers 200). */
  beyondFinality: boolean;
  /** It refuses the schema because another build of the code made it. */
  foreignSchema: boolean;
};

export type PonderProcess = {
  readonly pid: number | undefined;
  readonly news: PonderNews;
  /** Blocks it has built on since they were asked for last: hashes by number, as it saw them itself. */
  takeSeen(): Map<number, string>;
  /** Where its own /metrics can be read on this machine. */
  readonly metricsUrl: string;
  /** Resolves when the process is gone, with how it ended. */
  readonly ended: Promise<string>;
  /** Asks it to end and, when it does not, kills it. */
  stop(): Promise<void>;
  kill(): void;
};

/**
 * Starts `ponder start` on `schema`.
 * @param env the complete environment of the child; ponder.config.ts reads the configuration from it
 * @param archive the node keeps the states of all blocks
 * @param listen where its server listens; a port that is taken is replaced by a free one
 */
export async function startPonder(options: {
  schema: string;
  env: Record<string, string | undefined>;
  log: Logger;
  archive: boolean;
  listen: { host: string; port: number | undefined };
}): Promise<PonderProcess> {
  const { schema, log } = options;
  const { host } = options.listen;
  const port = await openPort(options.listen, log);
  const preloaded = options.archive ? PRELOADED : PRELOADED_PRUNED;
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=DeprecationWarning",
      ...preloaded.flatMap((file) => ["--import", pathToFileURL(join(PROJECT_ROOT, "indexer", file)).href]),
      PONDER,
      "start",
      "--schema",
      schema,
      "--hostname",
      host,
      "--log-format",
      "json",
    ],
    {
      cwd: PROJECT_ROOT,
      // PORT is the API's in our environment and wins over --port in Ponder's.
      env: {
        ...options.env,
        PORT: String(port),
        PONDER_TELEMETRY_DISABLED: "1",
        PONDER_LOG_LEVEL: log.level === "trace" ? log.level : TELLING,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Its own group: a Ctrl-C in the terminal reaches the launcher alone, which ends Ponder in order.
      detached: true,
    },
  );
  const news: PonderNews = { beyondFinality: false, foreignSchema: false };
  let seen = new Map<number, string>();
  createInterface({ input: child.stdout! }).on("line", (line) => relay(line, { news, seen, log }));
  child.on("message", ({ takenAsFinal }: TakenAsFinal) => seen.set(takenAsFinal.block, takenAsFinal.hash));
  createInterface({ input: child.stderr! }).on("line", (line) => line.trim() && log.warn({ from: "ponder" }, line));
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const kill = () => void child.kill("SIGKILL");
  return {
    pid: child.pid,
    news,
    takeSeen() {
      const taken = seen;
      seen = new Map();
      return taken;
    },
    metricsUrl: `http://${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host}:${port}/metrics`,
    ended,
    kill,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Said of every block of the chain that Ponder follows, once it has found its parent. */
const ACCEPTED = "Added block to local chain";
/** The level at which it says so. */
const TELLING = "debug";

const LEVELS = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error" } as const;

/** One line of Ponder's JSON log, read for its news and passed on in the launcher's own log. */
function relay(line: string, { news, seen, log }: { news: PonderNews; seen: Map<number, string>; log: Logger }): void {
  let entry: Record<string, unknown> & { level: keyof typeof LEVELS; msg: string; error?: { message?: string } };
  try {
    entry = JSON.parse(line);
  } catch {
    if (line.trim()) log.info({ from: "ponder" }, line);
    return;
  }
  if (entry.msg === ACCEPTED) seen.set(entry.number as number, entry.hash as string);
  const words = `${entry.msg} ${entry.error?.message ?? ""}`;
  if (/unrecoverable.*reorg/i.test(words)) news.beyondFinality = true;
  if (/previously used by a/.test(words)) news.foreignSchema = true;
  const { level, time: _, msg, error, ...rest } = entry;
  const heard = LEVELS[level] ?? "info";
  const told = ROUTINE.has(msg) ? "debug" : heard;
  log[told]({ from: "ponder", ...rest, ...(error && { error: error.message }) }, msg);
}

/** @returns the wanted port, or one nobody listens on at this moment. Nothing the index needs depends on it. */
async function openPort({ host, port }: { host: string; port: number | undefined }, log: Logger): Promise<number> {
  if (port === undefined) return freePort(host);
  const open = await portOr(port, host);
  if (open !== port) log.warn(`port ${port} is taken: GraphQL and SQL of the index are on port ${open}`);
  return open;
}
