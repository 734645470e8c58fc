/** The processes that are measured: the API as `npm run api` starts it, and the references. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { freePort } from "../../runtime/free-port.ts";
import { commandOf } from "../../runtime/processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 60_000;

export type Served = { url: string; pid: number; stop(): Promise<void> };

/**
 * The API itself, with everything it has on.
 * @param chainUrl a node to ask
 * @param onLog gets its log from `info` on, line by line; without it only errors are logged, to the console
 * @param more variables of its environment
 */
export async function startApi(
  databaseUrl: string,
  dataDir: string,
  chainUrl: string,
  onLog?: (entry: Record<string, unknown>) => void,
  more: Record<string, string> = {},
): Promise<Served> {
  const port = await freePort();
  const child = spawn(process.execPath, commandOf("api"), {
    cwd: ROOT,
    env: {
      ...environment(databaseUrl, dataDir),
      PORT: String(port),
      RPC_URL: chainUrl,
      LOG_LEVEL: onLog ? "info" : "error",
      ...GENEROUS_RATES,
      RATE_READS_PER_CLIENT: "1000000000",
      ...more,
    },
    stdio: ["ignore", onLog ? "pipe" : "inherit", "inherit"],
  });
  if (onLog) createInterface({ input: child.stdout! }).on("line", (line) => onLog(JSON.parse(line)));
  const url = `http://127.0.0.1:${port}`;
  const ends = performance.now() + START_MS;
  while (!(await answers(`${url}/api/v2/agent/0`))) {
    if (child.exitCode !== null || performance.now() > ends) throw new Error("the API did not start");
    await new Promise((done) => setTimeout(done, 100));
  }
  return served(child, url);
}

/** One of reference-server.ts. */
export async function startReference(kind: string, databaseUrl: string, dataDir: string): Promise<Served> {
  const child = fork(join(import.meta.dirname, "reference-server.ts"), [kind], {
    env: environment(databaseUrl, dataDir),
  });
  const port = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (child.exitCode !== null) throw new Error(`the server "${kind}" did not start`);
  return served(child, `http://127.0.0.1:${port[0]}`);
}

export const environment = (databaseUrl: string, dataDir: string): NodeJS.ProcessEnv => ({
  PATH: dirname(process.execPath),
  PUBLIC_URL: "https://agents.example",
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  // Nothing is sold here, and nobody is named who would be paid.
  PRICING_PHASE: "free",
});

const served = (child: ChildProcess, url: string): Served => ({
  url,
  pid: child.pid!,
  async stop() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, "exit");
  },
});

const answers = (url: string) =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

/** A node of chain 8453. @param resultOf answers every other question; without it each gets a plausible number */
export async function startNode(
  resultOf: (method: string) => string = () => `0x${"1".padStart(64, "0")}`,
): Promise<{ url: string; stop(): void }> {
  const answer = ({ id, method }: { id: number; method: string }) => ({
    jsonrpc: "2.0",
    id,
    result: method === "eth_chainId" ? "0x2105" : resultOf(method),
  });
  const server = createServer(async (incoming, outgoing) => {
    const asked = JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8"));
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}
