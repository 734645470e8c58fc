/** The service's processes one by one on a chain and a database of their own, so that a test can kill each. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startAnvil } from "../../devnet/anvil.ts";
import { deployDevnet, serviceEnv } from "../../devnet/deploy.ts";
import { freePort } from "../../devnet/ports.ts";
import { end } from "../../devnet/supervisor.ts";
import { CHILD_ENV } from "./child-env.ts";
import { testDatabase } from "./database.ts";
import { until } from "./until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** `api-2` is a second API on the same database, for tests that need one to live while the other dies. */
export type PartName = "indexer" | "workers" | "api" | "api-2";

export type Parts = {
  apiUrl: string;
  /** Of `api-2`. */
  secondApiUrl: string;
  rpcUrl: string;
  databaseUrl: string;
  /** Host name for signed texts. */
  host: string;
  identity: `0x${string}`;
  /** Starts a process; the API is waited for until it answers /health. */
  start(part: PartName, env?: Record<string, string>): Promise<void>;
  restart(part: PartName, env?: Record<string, string>): Promise<void>;
  kill(part: PartName, signal?: NodeJS.Signals): void;
  /** Resolves when the process has ended by itself or by a kill. */
  died(part: PartName): Promise<void>;
  /** What a process printed since it was last started. */
  output(part: PartName): string;
  stop(): Promise<void>;
};

export async function startParts({
  blockTimeSeconds,
  env: extra = {},
}: {
  blockTimeSeconds: number;
  env?: Record<string, string>;
}): Promise<Parts> {
  const directory = mkdtempSync(join(tmpdir(), "agents-parts-"));
  const database = await testDatabase();
  const chain = await startAnvil({ directory: join(directory, "chain"), blockTimeSeconds });
  const devnet = await deployDevnet(chain.url);
  const port = await freePort();
  const secondPort = await freePort();
  const host = `127.0.0.1:${port}`;
  const env = {
    ...CHILD_ENV,
    LOG_LEVEL: "warn",
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    RPC_URL: chain.url,
    ...serviceEnv(devnet),
    PORT: String(port),
    PUBLIC_URL: `http://${host}`,
    POLL_INTERVAL_MS: "200",
    MINT_WAIT_MS: "1500",
    ...extra,
  };
  const running = new Map<PartName, { child: ChildProcess; ended: Promise<void>; text: string }>();
  const parts: Parts = {
    apiUrl: `http://${host}`,
    secondApiUrl: `http://127.0.0.1:${secondPort}`,
    rpcUrl: chain.url,
    databaseUrl: database.url,
    host,
    identity: devnet.contracts.identity,
    async start(part, more = {}) {
      const own = part === "api-2" ? { PORT: String(secondPort) } : {};
      const child = spawn(process.execPath, [join(ROOT, part === "api-2" ? "api" : part, "main.ts")], {
        cwd: ROOT,
        env: { ...env, ...own, ...more },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      const entry = { child, text: "", ended: new Promise<void>((done) => child.once("exit", () => done())) };
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (entry.text += chunk));
      running.set(part, entry);
      const url = part === "api" ? parts.apiUrl : parts.secondApiUrl;
      if (!part.startsWith("api")) return;
      const answers = until("the API answers", async () => (await fetch(`${url}/health`)).ok, {
        timeoutMs: 120_000,
      });
      const ended = entry.ended.then(() => Promise.reject(new Error(`the API ended at its start:\n${entry.text}`)));
      await Promise.race([answers, ended]);
    },
    async restart(part, more) {
      await end(running.get(part)!.child);
      await parts.start(part, more);
    },
    kill: (part, signal = "SIGKILL") => void running.get(part)!.child.kill(signal),
    died: (part) => running.get(part)!.ended,
    output: (part) => running.get(part)?.text ?? "",
    async stop() {
      await Promise.all([...running.values()].map(({ child }) => end(child)));
      await chain.stop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return parts;
}
