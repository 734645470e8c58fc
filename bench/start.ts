/** `npm run bench -- start [rounds]`: milliseconds from the start of an API process to its first answer on /health, and the CPU it took. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { get } from "node:http";
import { loadavg } from "node:os";
import { join } from "node:path";
import { migrate } from "../db/schema/migrate.ts";
import { removePostgres, startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { freePort } from "../runtime/free-port.ts";
import { BUILD_FOLDER, PROCESSES } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { buildWhenStale } from "../scripts/build.ts";
import { cpuOf } from "./reads/cpu.ts";
import { environment, startNode } from "./reads/servers.ts";

const ROUNDS = 7;
const POLL_MS = 2;

type Start = { wallMs: number; cpuMs: number };

/** @param args number of starts of each; medians are printed */
export default async function start(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? ROUNDS);
  await buildWhenStale();
  const directory = scratchDirectory("bench-start", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg"), fast: true });
  const node = await startNode();
  try {
    await migrate(postgres.url);
    const forms = {
      "from the build": join(BUILD_FOLDER, "api.js"),
      "from source": join(PROJECT_ROOT, PROCESSES.api),
    };
    for (const [name, file] of Object.entries(forms)) {
      const env = { ...environment(postgres.url, join(directory, "data")), RPC_URL: node.url, LOG_LEVEL: "error" };
      // The first start of a build fills its compile cache; a machine that runs the service has it.
      await startOnce(file, env);
      const starts: Start[] = [];
      for (let i = 0; i < rounds; i++) starts.push(await startOnce(file, env));
      const wall = median(starts.map(({ wallMs }) => wallMs));
      const cpu = median(starts.map(({ cpuMs }) => cpuMs));
      console.log(`API ${name.padEnd(15)} ${wall.toFixed(0).padStart(5)} ms to /health, ${cpu.toFixed(0)} ms of CPU`);
    }
    console.log(`medians of ${rounds} starts, load ${loadavg()[0]!.toFixed(1)} (goal from the build ≤ 700 ms)`);
  } finally {
    node.stop();
    await postgres.stop();
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startOnce(file: string, env: NodeJS.ProcessEnv): Promise<Start> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: PROJECT_ROOT,
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await answers(`http://127.0.0.1:${port}/health`))) {
    if (child.exitCode !== null) throw new Error("the API did not start");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  const wallMs = performance.now() - startedAt;
  const cpuMs = cpuOf(child.pid!) * 1000;
  child.kill();
  await once(child, "exit");
  return { wallMs, cpuMs };
}

const answers = (url: string) =>
  new Promise<boolean>((resolve) => {
    const request = get(url, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
