/** A whole local stack for tests: `npm start` in a directory and on a port of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataDir } from "../../devnet/data-dir.ts";
import { freePort } from "../../devnet/ports.ts";
import { removePostgres } from "../../devnet/postgres.ts";
import { CHILD_ENV } from "./child-env.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type DevnetFile = {
  apiUrl: string;
  /** GraphQL and SQL of the index. */
  indexUrl: string;
  /** The simulated upstreams and their control. */
  simulatorUrl: string;
  rpcUrl: string;
  wsUrl: string;
  databaseUrl: string;
  chainId: number;
  contracts: Record<string, `0x${string}`>;
  schemas: { verifiedAccount: `0x${string}` };
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[];
  keys: Record<"deployer" | "attester" | "treasury" | "receiptSigner", `0x${string}`>;
};

export type Stack = {
  devnet: DevnetFile;
  directory: string;
  process: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Ctrl-C, and everything is down. The data stays. @returns the exit code */
  stop(): Promise<number | null>;
  /** Stops and removes the data. */
  remove(): Promise<void>;
};

/**
 * Starts the stack and waits for `ready`.
 * @param options.directory reuses the data of an earlier one
 * @throws Error with what it printed when it ends before
 */
export async function startStack(options: StartOptions = {}): Promise<Stack> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "agents-stack-"));
  const run = await runStart({ ...options, directory });
  const code = await Promise.race([run.ended, run.said("\nready ")]);
  if (code !== undefined) throw new Error(`npm start ended with ${code}:\n${run.output()}`);
  const stop = async () => {
    run.process.kill("SIGINT");
    return await run.ended;
  };
  return {
    devnet: JSON.parse(readFileSync(dataDir(directory).devnet, "utf8")) as DevnetFile,
    directory,
    process: run.process,
    output: run.output,
    stop,
    async remove() {
      await stop();
      await removePostgres(dataDir(directory).postgres);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type StartOptions = { args?: string[]; env?: Record<string, string>; directory?: string };

/** Runs the program behind `npm start` and follows what it prints; for tests of starts that fail, too. */
export async function runStart(options: StartOptions & { directory: string }) {
  const child = spawn(process.execPath, [join(ROOT, "devnet/start.ts"), ...(options.args ?? ["--empty"])], {
    cwd: ROOT,
    env: { ...CHILD_ENV, PORT: String(await freePort()), ...options.env, DATA_DIR: options.directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  return {
    process: child as ChildProcess,
    output: () => text,
    /** Resolves with the exit code, null when a signal ended it. */
    ended: new Promise<number | null>((done) => child.once("exit", (code) => done(code))),
    /** Resolves once `words` have been printed. */
    said: (words: string) =>
      new Promise<undefined>((done) => {
        const look = () => {
          if (!text.includes(words)) return;
          listeners.delete(look);
          done(undefined);
        };
        listeners.add(look);
        look();
      }),
  };
}
