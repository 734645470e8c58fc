/** Processes of the API on one database and no chain, for tests of what they must agree on. */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { end } from "../../devnet/supervisor.ts";
import { CHILD_ENV, FREE_PHASE } from "../../harness/child-env.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { commandOf } from "../../runtime/processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type ApiProcess = {
  url: string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, null after a kill. */
  ended: Promise<number | null>;
  /** What it printed. */
  output(): string;
};

export type ApiProcesses = {
  /** Starts one more and waits until it answers. */
  start(env?: Record<string, string>): Promise<ApiProcess>;
  stop(): Promise<void>;
};

/** @param env of every process, beside its port */
export function apiProcesses(env: Record<string, string>): ApiProcesses {
  const directory = scratchDirectory("api");
  const children: ChildProcess[] = [];
  return {
    async start(more = {}) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const child = spawn(process.execPath, commandOf("api"), {
        cwd: ROOT,
        env: {
          ...CHILD_ENV,
          ...FREE_PHASE,
          ...GENEROUS_RATES,
          ...{ LOG_LEVEL: "warn", DATA_DIR: directory, RPC_URL: "http://127.0.0.1:9" },
          ...{ HOST: "127.0.0.1", PORT: String(port), ...env, ...more },
        },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      children.push(child);
      let text = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
      const ended = new Promise<number | null>((done) => child.once("exit", done));
      const failed = ended.then(() => Promise.reject(new Error(`the API ended at its start:\n${text}`)));
      failed.catch(() => {});
      const answers = until("the API answers", async () => (await fetch(`${url}/health`)).ok);
      await Promise.race([answers, failed]);
      return { url, kill: (signal) => void child.kill(signal), ended, output: () => text };
    },
    async stop() {
      await Promise.all(children.map((child) => end(child)));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
