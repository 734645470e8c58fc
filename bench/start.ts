/** `npm run bench -- start [rounds]`: milliseconds from the start of an API process to its first answer on /health, and the CPU it took. */
import { loadavg } from "node:os";
import { join } from "node:path";
import { atMost, median } from "../harness/figures.ts";
import { startPlainNode } from "../harness/plain-node.ts";
import { cpuOf } from "../harness/running-processes.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { startProcess } from "../harness/service-process.ts";
import { freePort } from "../runtime/free-port.ts";
import { BUILD_FOLDER, PROCESSES } from "../runtime/processes.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";
import { environment } from "./reads/servers.ts";

const ROUNDS = 7;
const POLL_MS = 2;
const FORMS = { "from the build": join(BUILD_FOLDER, "api.js"), "from source": join(PROJECT_ROOT, PROCESSES.api) };

/** @param args number of starts of each; medians are printed */
export default async function start(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? ROUNDS);
  await withPostgres("bench-start", { fast: true, schemas: "offchain" }, async (at) => {
    const node = await startPlainNode();
    at.later(() => node.close());
    console.log(`medians of ${rounds} starts, load ${loadavg()[0]!.toFixed(1)}`);
    for (const [name, file] of Object.entries(FORMS)) {
      const env = { ...environment(at), RPC_URL: node.url };
      // The first start of a build fills its compile cache; a machine that runs the service has it.
      await startOnce(file, env);
      const starts = [];
      for (let i = 0; i < rounds; i++) starts.push(await startOnce(file, env));
      const [wall, cpu] = [median(starts.map(({ wallMs }) => wallMs)), median(starts.map(({ cpuMs }) => cpuMs))];
      console.log(`API ${name.padEnd(15)} ${wall.toFixed(0).padStart(5)} ms to /health, ${cpu.toFixed(0)} ms of CPU`);
      if (name === "from the build") console.log(atMost("the API answers from the build", wall, 700, { unit: " ms" }));
    }
  });
}

async function startOnce(file: string, env: Record<string, string>): Promise<{ wallMs: number; cpuMs: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const api = startProcess("api", { ...env, PORT: String(port) }, { command: [file] });
  await api.answers(`http://127.0.0.1:${port}/health`, { everyMs: POLL_MS });
  const wallMs = performance.now() - startedAt;
  const cpuMs = cpuOf(api.pid) * 1000;
  await api.stop();
  return { wallMs, cpuMs };
}
