/** One anvil process: its binary, its readiness, its end. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { childEnvironment } from "../config/config.ts";
import { attempt } from "./attempt.ts";
import { endProgram, startProgram } from "./start-program.ts";

export type AnvilProcess = {
  url: string;
  wsUrl: string;
  port: number;
  pid: number;
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<void>;
  /** Asks it to end and waits for that; with a state file, its state is on disk afterwards. */
  stop(): Promise<void>;
};

/** Longer than either takes on a busy machine: they end only what never answers. */
const READY_MS = 60_000;
export const ANSWER_MS = 60_000;
/** Settings of its allocator: what is free goes back to the system within seconds. A chain of a day takes 20 MB less. */
const SMALL_HEAP = "narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:1000";

/**
 * Starts anvil on 127.0.0.1 and waits until it listens.
 * @param port 0 for a free one
 * @throws Error with anvil's own words when it ends instead
 */
export async function launchAnvil(port: number, args: string[]): Promise<AnvilProcess> {
  const child = startProgram(anvilBinary(), ["--host", "127.0.0.1", "--port", String(port), ...args], {
    env: childEnvironment({ _RJEM_MALLOC_CONF: SMALL_HEAP }).all,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let lastWords = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", (error) => {
      lastWords = error.message;
      done();
    });
  });
  const stop = () => endProgram(child);
  const listensOn = await Promise.race([announcedPort(child.stdout!), ended, pause(READY_MS)]);
  if (!listensOn) {
    await stop();
    throw new Error(`anvil did not start: ${lastWords.trim() || "no answer"}`);
  }
  const address = `127.0.0.1:${listensOn}`;
  // Otherwise anvil logs every request, and no process reads its log.
  await rpc(`http://${address}`, "anvil_setLoggingEnabled", [false]);
  return { url: `http://${address}`, wsUrl: `ws://${address}`, port: listensOn, pid: child.pid!, ended, stop };
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
  const platform = `${process.platform}-${process.arch.replace("x64", "amd64")}`;
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  const manifest = attempt(() => require.resolve(`@foundry-rs/anvil-${platform}/package.json`), null);
  if (manifest === null) throw new Error(`no anvil for ${platform}: set RPC_URL`);
  return join(dirname(manifest), "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

/** The port that anvil names once it listens. */
const announcedPort = (output: NodeJS.ReadableStream) =>
  new Promise<number>((done) => {
    createInterface({ input: output }).on("line", (line) => {
      const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) done(Number(port));
    });
  });

const pause = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms, undefined).unref());
