/** One anvil process: its binary, its readiness, its end, also when the parent is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

export type AnvilProcess = {
  url: string;
  wsUrl: string;
  port: number;
  /** Process id of anvil itself. */
  pid: number;
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<void>;
  /** Asks it to end and waits for that; with a state file, its state is on disk afterwards. */
  stop(): Promise<void>;
};

/** Longer than any of these takes on a busy machine: they end only what never answers. */
const READY_MS = 60_000;
const STOP_MS = 60_000;
export const ANSWER_MS = 60_000;
const PLATFORMS: Record<string, string> = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-amd64",
  "linux-arm64": "linux-arm64",
  "linux-x64": "linux-amd64",
  "win32-x64": "win32-amd64",
};

/**
 * `sh` between parent and anvil. It prints anvil's process id, and when its standard input closes, which the death of the
 * parent does too, it asks anvil to end, which dumps the state; without it a killed parent leaves anvil behind.
 * On Windows anvil runs without it: a stop there keeps what was dumped last, and a leftover ends by hand.
 */
const GUARD = `exec 3<&0
"$@" 3<&- &
pid=$!
echo "pid $pid"
(cat <&3; kill $pid) >/dev/null 2>&1 &
exec 3<&-
wait $pid`;

/**
 * Starts anvil on 127.0.0.1 and waits until it listens.
 * @param port 0 for a free one
 * @throws Error with anvil's own words when it ends instead
 */
export async function launchAnvil(port: number, args: string[]): Promise<AnvilProcess> {
  const guarded = process.platform !== "win32";
  const command = [anvilBinary(), "--host", "127.0.0.1", "--port", String(port), ...args];
  // Detached: a Ctrl-C in the terminal reaches the parent alone, which ends its parts in order.
  const child = guarded
    ? spawn("/bin/sh", ["-c", GUARD, "sh", ...command], { detached: true, stdio: ["pipe", "pipe", "pipe"] })
    : spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  let lastWords = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  child.stdin!.on("error", () => {});
  const ended = new Promise<void>((done) => {
    child.once("exit", () => {
      child.stdin!.destroy();
      done();
    });
    child.once("error", (error) => {
      lastWords = error.message;
      done();
    });
  });
  const stop = () => endOf(child, ended, guarded);
  const announced = await Promise.race([firstWords(child, guarded ? undefined : child.pid), ended, pause(READY_MS)]);
  if (!announced) {
    await stop();
    throw new Error(`anvil did not start: ${lastWords.trim() || "no answer"}`);
  }
  const address = `127.0.0.1:${announced.port}`;
  // Otherwise anvil logs every request, and no process reads its log.
  await rpc(`http://${address}`, "anvil_setLoggingEnabled", [false]);
  return { url: `http://${address}`, wsUrl: `ws://${address}`, port: announced.port, pid: announced.pid, ended, stop };
}

/** A JSON-RPC call to a local chain. */
export async function rpc(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(ANSWER_MS) });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The platform's binary itself: the package's own launcher leaves anvil running when it is killed. */
function anvilBinary(): string {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (!platform) throw new Error(`no anvil for ${process.platform}-${process.arch}: set RPC_URL`);
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  const directory = dirname(require.resolve(`@foundry-rs/anvil-${platform}/package.json`));
  return join(directory, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

/** What it says at its start: the process id by the guard, the port by anvil, which listens from then on. */
function firstWords(child: ChildProcess, knownPid?: number): Promise<{ pid: number; port: number }> {
  let pid = knownPid;
  let port: number | undefined;
  return new Promise((done) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [, word, number] = /^(pid|Listening on) (?:.*:)?(\d+)$/.exec(line) ?? [];
      if (word === "pid") pid = Number(number);
      if (word === "Listening on") port = Number(number);
      if (pid !== undefined && port !== undefined) done({ pid, port });
    });
  });
}

async function endOf(child: ChildProcess, ended: Promise<void>, guarded: boolean): Promise<void> {
  if (guarded) child.stdin!.end();
  else child.kill();
  const timer = setTimeout(() => {
    if (!guarded) child.kill("SIGKILL");
    // The guard leads a process group of its own, anvil is in it.
    else if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, STOP_MS);
  await ended;
  clearTimeout(timer);
}

const pause = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms, undefined).unref());
