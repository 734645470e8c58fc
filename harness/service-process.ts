/** One process of the service: how every test, benchmark and simulation starts it. */
import { createInterface } from "node:readline";
import { endProgram, hasEnded, outputOf, startProgram } from "../devnet/start-program.ts";
import { freePort } from "../runtime/free-port.ts";
import { commandOf, PROCESS_ENV, type ProcessName } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { CHILD_ENV } from "./child-env.ts";
import { withClosers } from "./closers.ts";
import { until } from "./until.ts";

const KEPT_WORDS = 200_000;
/** A process of the service ends within ten seconds (runtime/lifecycle.ts). */
const STOP_MS = 12_000;

export type ServiceProcess = ReturnType<typeof startProcess>;

/** @param options.onLog gets its log, line by line @param options.command in place of the process's own */
export function startProcess(
  name: ProcessName,
  env: NodeJS.ProcessEnv,
  { onLog, command = commandOf(name) }: { onLog?: (entry: LogEntry) => void; command?: string[] } = {},
) {
  const child = startProgram(process.execPath, command, {
    cwd: PROJECT_ROOT,
    env: { ...CHILD_ENV, ...PROCESS_ENV, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const output = outputOf(child, KEPT_WORDS);
  if (onLog)
    createInterface({ input: child.stdout! }).on("line", (line) => line.startsWith("{") && onLog(JSON.parse(line)));
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  return {
    child,
    pid: child.pid!,
    /** Resolves with the exit code, null after a signal. */
    ended,
    hasEnded: () => hasEnded(child),
    /** The last that it printed, at most KEPT_WORDS characters. */
    output,
    /** Waits until a URL of the process answers with success. @throws Error with its output when it ends before */
    async answers(url: string, options?: { timeoutMs?: number; everyMs?: number }): Promise<void> {
      await until(`${url} answers`, async () => hasEnded(child) || (await fetch(url).then(isGood)), options);
      if (hasEnded(child)) throw new Error(`${name} ended at its start:\n${output()}`);
    },
    /** SIGTERM, and SIGKILL when that is not enough. @returns the exit code */
    async stop() {
      await endProgram(child, "SIGTERM", STOP_MS);
      return ended;
    },
  };
}

/** A line of a process's log. */
export type LogEntry = { level: number; time: number; msg: string } & Record<string, unknown>;

async function isGood(response: Response): Promise<boolean> {
  await response.body?.cancel();
  return response.ok;
}

/** Starts an API on a free port and waits until it answers. @param path that it answers, /ready unless given */
export async function startApi(
  env: NodeJS.ProcessEnv,
  { path = "/ready", onLog }: { path?: string; onLog?: (entry: LogEntry) => void } = {},
): Promise<ServiceProcess & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return withClosers(async (later) => {
    const api = startProcess("api", { ...env, PORT: String(port) }, { ...(onLog && { onLog }) });
    later(() => api.stop());
    await api.answers(url + path, { timeoutMs: 120_000 });
    return { ...api, url };
  });
}
