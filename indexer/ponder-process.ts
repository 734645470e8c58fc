/** The Ponder child process: its start on one schema, its log lines and messages, its end. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import type { RpcNodeStats } from "../clients/ports.ts";
import type { LastFailure } from "../core/views/backfill.ts";
import { freePort, portOr } from "../runtime/free-port.ts";
import { urlAt } from "../runtime/listen-address.ts";
import { redactor } from "../runtime/log.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { type FetchOnly, fetchOnlyUrl } from "./preload/fetch-only.ts";
import { PONDER_ROOT } from "./preload/ponder-package.ts";
import type { FinalizedReport } from "./preload/report-finalized.ts";
import type { NodesReport } from "./preload/report-nodes.ts";
import type { Session } from "./session.ts";

/** Max characters of the words. */
const MAX_LENGTH = 240;

/** A line of Ponder's log about a failure. */
type LoggedFailure = {
  msg: string;
  method?: unknown;
  hostname?: unknown;
  error?: { message?: string } | undefined;
};

/**
 * A failure in one sentence for operators: the node's own words, without paths, queries and keys of URLs.
 * @param redact replaces the secrets of the configuration
 * @returns "host method: words"; Ponder's own message where there is no request, or no words of a node
 */
export function failureText({ msg, method, hostname, error }: LoggedFailure, redact: (text: string) => string): string {
  const words = error?.message === undefined ? undefined : wordsOf(error.message);
  const request = [hostname, method].filter((part) => typeof part === "string").join(" ");
  const said = request === "" ? [msg, words] : [request, words ?? msg];
  return withoutUrls(redact(said.filter((part) => part !== undefined).join(": "))).slice(0, MAX_LENGTH);
}

/** Replaces each URL by its host: paths and queries can contain keys of providers. */
const withoutUrls = (text: string): string =>
  text.replaceAll(/\b(?:https?|wss?):\/\/[^\s"'<>]+/g, (url) => URL.parse(url)?.host ?? "a URL");

/**
 * viem's message is a paragraph with URL, request and version; the node's own words follow "Details:", the HTTP status
 * follows "Status:".
 */
function wordsOf(message: string): string {
  const line = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(message)?.[1];
  const details = line("Details") ?? message.split("\n", 1)[0]!;
  const status = line("Status");
  return status === undefined ? details : `HTTP ${status}, ${details}`;
}

const PONDER = join(PONDER_ROOT, "dist/esm/bin/ponder.js");
/** Modules loaded into Ponder's process before its own. Each says which behaviour of Ponder it changes. */
const PRELOADED = [
  "preload/end-with-parent.ts",
  "preload/external-packages.ts",
  "preload/database-url.ts",
  "preload/disable-triggers.ts",
  "preload/reader-queries.ts",
  "preload/chain-data-inserts.ts",
  "preload/over-rpc-pool.ts",
  "preload/graphql-changes.ts",
  "preload/no-live-queries.ts",
];

const preloadUrl = (file: string) => pathToFileURL(join(PROJECT_ROOT, "indexer", file));

/** Milliseconds for Ponder to end by itself before it is killed; the launcher's whole stop stays below 10 s. */
const STOP_MS = 7_000;

/** Messages that Ponder logs for every block or at a requested end; the launcher logs them at level debug. */
const ROUTINE = new Set([
  "Indexed block",
  "Finalized block",
  "Indexed block range",
  "Fetched block data",
  "Received SIGTERM",
  "Started shutdown sequence",
]);

/** Failures in Ponder's log that the launcher must act on. */
export type PonderFailures = {
  /** It found a reorg deeper than its finality and indexes no further (it stays alive and answers 200). */
  beyondFinality: boolean;
  /** It refuses the schema, because another build of the code created it. */
  foreignSchema: boolean;
  /** The last failure that it logged, for operators. */
  last: LastFailure | null;
};

/** A failure of this moment. */
export const failureNow = (reason: string): LastFailure => ({ at: new Date().toISOString(), reason });

export type PonderProcess = {
  readonly pid: number | undefined;
  readonly failures: PonderFailures;
  /** Returns the blocks that it has built on since the last call: hashes by number, as it saw them itself. */
  takeSeenHashes(): Map<number, string>;
  /** Requests of its pool and what it learned of each node; empty before its first report. */
  readonly nodes: readonly RpcNodeStats[];
  /** URL of its own /metrics on this machine. */
  readonly metricsUrl: string;
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL when it has not ended after 7 s. */
  stop(): Promise<void>;
  kill(): void;
};

/** Starts Ponder for `work`, stops it afterwards, and kills it when the lock is lost. @param start as of `startPonder` */
export async function withPonder<T>(
  { config, log, lost }: Session,
  start: Omit<Parameters<typeof startPonder>[0], "log" | "secrets">,
  work: (ponder: PonderProcess) => Promise<T>,
): Promise<T> {
  const ponder = await startPonder({ ...start, log, secrets: config.secrets });
  lost.addEventListener("abort", ponder.kill);
  if (lost.aborted) ponder.kill();
  try {
    return await work(ponder);
  } finally {
    lost.removeEventListener("abort", ponder.kill);
    await ponder.stop();
  }
}

/**
 * Starts `ponder start` on `schema`.
 * @param env complete environment of the child; ponder.config.ts reads the configuration from it
 * @param secrets values that the text of a failure must not contain
 * @param fetchOnly the part of the history to index; undefined: all of it
 * @param listen address of its server; a free port replaces one that is taken
 */
async function startPonder(options: {
  schema: string;
  env: Record<string, string | undefined>;
  log: Logger;
  secrets: readonly string[];
  fetchOnly: FetchOnly | undefined;
  listen: { host: string; port: number | undefined };
}): Promise<PonderProcess> {
  const { schema, log, fetchOnly } = options;
  const { host } = options.listen;
  const port = await openPort(options.listen, log);
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=DeprecationWarning",
      ...PRELOADED.flatMap((file) => ["--import", preloadUrl(file).href]),
      ...(fetchOnly ? ["--import", fetchOnlyUrl(preloadUrl("preload/fetch-only.ts"), fetchOnly)] : []),
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
      // In this project's environment PORT is the API's port; in Ponder's it overrides --port.
      env: {
        ...options.env,
        PORT: String(port),
        PONDER_TELEMETRY_DISABLED: "1",
        PONDER_LOG_LEVEL: log.level === "trace" ? log.level : ACCEPTED_LEVEL,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A process group of its own: Ctrl-C in the terminal reaches only the launcher, which ends Ponder in order.
      detached: true,
    },
  );
  const failures: PonderFailures = { beyondFinality: false, foreignSchema: false, last: null };
  const redact = redactor(options.secrets);
  // Its log tells the blocks that it adds; those it began on as final come by a message (preload/report-finalized.ts).
  let seen = new Map<number, string>();
  createInterface({ input: child.stdout! }).on("line", (line) => relay(line, { failures, seen, log, redact }));
  let nodes: readonly RpcNodeStats[] = [];
  child.on("message", (report: FinalizedReport | NodesReport) => {
    if ("rpcNodes" in report) nodes = report.rpcNodes;
    else seen.set(report.finalized.block, report.finalized.hash);
  });
  createInterface({ input: child.stderr! }).on("line", (line) => line.trim() && log.warn({ from: "ponder" }, line));
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const kill = () => void child.kill("SIGKILL");
  return {
    pid: child.pid,
    failures,
    get nodes() {
      return nodes;
    },
    takeSeenHashes() {
      const taken = seen;
      seen = new Map();
      return taken;
    },
    metricsUrl: `${urlAt(host, port)}/metrics`,
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

/** Message that Ponder logs for every block that it adds to its chain, after it has found the parent. */
const ACCEPTED = "Added block to local chain";
/** Log level of that message. */
const ACCEPTED_LEVEL = "debug";

const LEVELS = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error" } as const;

type RelayedOutput = {
  failures: PonderFailures;
  seen: Map<number, string>;
  log: Logger;
  redact: (text: string) => string;
};

/** Reads one line of Ponder's JSON log for failures and block hashes, and writes it to the launcher's own log. */
function relay(line: string, { failures, seen, log, redact }: RelayedOutput): void {
  let entry: Record<string, unknown> & { level: keyof typeof LEVELS; msg: string; error?: { message?: string } };
  try {
    entry = JSON.parse(line);
  } catch {
    if (line.trim()) log.info({ from: "ponder" }, line);
    return;
  }
  if (entry.msg === ACCEPTED) seen.set(entry.number as number, entry.hash as string);
  const words = `${entry.msg} ${entry.error?.message ?? ""}`;
  if (/unrecoverable.*reorg/i.test(words)) failures.beyondFinality = true;
  if (/previously used by a/.test(words)) failures.foreignSchema = true;
  const { level, time: _, msg, error, ...rest } = entry;
  if (level >= 40) failures.last = failureNow(failureText({ ...rest, msg, error }, redact));
  const ponderLevel = LEVELS[level] ?? "info";
  const ownLevel = ROUTINE.has(msg) ? "debug" : ponderLevel;
  log[ownLevel]({ from: "ponder", ...rest, ...(error && { error: error.message }) }, msg);
}

/** @returns the wanted port, or a free one when it is undefined or taken. Indexing does not depend on the port. */
async function openPort({ host, port }: { host: string; port: number | undefined }, log: Logger): Promise<number> {
  if (port === undefined) return freePort(host);
  const open = await portOr(port, host);
  if (open !== port) log.warn(`port ${port} is taken: GraphQL and SQL of the index are on port ${open}`);
  return open;
}
