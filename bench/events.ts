/** `npm run bench -- events [--short]`: a thousand subscribers of one process, beside a bare server of the same bytes. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { appendEvents, type NewEvent } from "../db/events/append-events.ts";
import { openPool } from "../db/sql/connect.ts";
import { startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { runEventLog } from "../workers/events/event-log.ts";
import { type Crowd, openCrowd } from "./events/crowd.ts";
import type { Figures } from "./events/readers.ts";
import { cpuOf } from "./reads/cpu.ts";
import { startApi } from "./reads/servers.ts";

const AGENTS = 1_000;
const WAIT_MS = 60_000;

type Plan = { readers: number; events: number; perSecond: number; burst: number };
/** Tells events. @returns once they are told */
type Tell = (tokenIds: number[]) => Promise<unknown>;

/** @param args `--short` for fewer events and subscribers */
export default async function events(args: string[]): Promise<void> {
  const plan: Plan = args.includes("--short")
    ? { readers: 200, events: 20, perSecond: 5, burst: 20 }
    : { readers: 1_000, events: 200, perSecond: 10, burst: 200 };
  const directory = scratchDirectory("bench-events", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg") });
  const db = openPool({ connectionString: postgres.url, max: 4 });
  const stops: (() => unknown)[] = [() => db.end()];
  try {
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "list/world.ts"),
      postgres.url,
      String(AGENTS),
    ]);
    const api = await startApi(postgres.url, join(directory, "data"), "http://127.0.0.1:9", undefined, {
      STREAMS_PER_CLIENT: "0",
      STREAMS_PER_PROCESS: "0",
    });
    stops.unshift(() => api.stop());
    const log = runEventLog({
      db,
      clock: () => new Date(),
      fault: () => {},
      log: { warn: console.warn } as never,
      config: { eventRetentionMs: 86_400_000 },
    });
    stops.unshift(() => log.stop());
    const reference = fork(join(import.meta.dirname, "events/reference.ts"));
    const [port] = await once(reference, "message");
    stops.unshift(() => reference.kill());

    console.log(
      `${plan.events} events, ${plan.perSecond} a second, then ${plan.burst} at once; each line one process\n`,
    );
    console.log(
      "                                    delivered   dropped  disordered    p50    p95    max (ms)  burst (ms)",
    );
    const stream = `${api.url}/api/v2/events`;
    const tell: Tell = (tokenIds) => appendEvents(db, tokenIds.map(note));
    const servers: { name: string; url: string; readers: number; pid: number; tell: Tell; each: number }[] = [
      {
        name: "bare server",
        url: `http://127.0.0.1:${port}`,
        pid: reference.pid!,
        tell: (tokenIds) => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: tokenIds.map(bare).join("\n") }),
        readers: plan.readers,
        each: 1,
      },
      { name: "the log", url: stream, pid: api.pid, tell, readers: plan.readers, each: 1 },
      {
        name: "a filter each",
        url: `${stream}?agent={n}&type=agent.updated`,
        ...{ pid: api.pid, tell, readers: plan.readers },
        each: 1 / AGENTS,
      },
    ];
    for (const { name, url, readers, pid, tell, each } of servers) {
      const crowd = await openCrowd(url, readers);
      try {
        await measure(`${name}, ${readers} subscribers`, crowd, { ...plan, readers, each, pid, tell });
      } finally {
        crowd.leave();
      }
    }
    console.log(`\nmemory of the process of the log: ${residentMb(api.pid)} MB`);
  } finally {
    for (const stop of stops) await stop();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(
  name: string,
  crowd: Crowd,
  { readers, events, perSecond, burst, each, pid, tell }: Plan & { each: number; pid: number; tell: Tell },
): Promise<void> {
  /** Agents take turns, so that filters divide them evenly; only those that somebody listens to, where they are filtered. */
  const tokens = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => (each < 1 ? (from + i) % readers : (from + i) % AGENTS));
  const perEvent = each < 1 ? 1 : readers;
  const cpuBefore = cpuOf(pid);
  const began = performance.now();
  for (let i = 0; i < events; i++) {
    await tell(tokens(i, 1));
    const wait = began + ((i + 1) * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  }
  const steady = await crowd.received(events * perEvent, WAIT_MS);
  const cpu = cpuOf(pid) - cpuBefore;
  crowd.again();
  const burstBegan = performance.now();
  await tell(tokens(0, burst));
  const after = await crowd.received(burst * perEvent, WAIT_MS);
  const burstMs = performance.now() - burstBegan;
  const delivered = steady.received + after.received;
  const dropped = (events + burst) * perEvent - delivered;
  const at = ({ latencies }: Figures, q: number) => latencies[Math.floor(q * (latencies.length - 1))] ?? Number.NaN;
  const cells = [
    name.padEnd(34),
    String(delivered).padStart(10),
    String(dropped).padStart(9),
    String(after.disordered).padStart(11),
    ...[0.5, 0.95, 1].map((q) => at(steady, q).toFixed(0).padStart(6)),
    burstMs.toFixed(0).padStart(15),
    `   ${((cpu * 1e6) / (events * perEvent)).toFixed(0)} µs of CPU for each of the first`,
  ];
  console.log(cells.join(" "));
}

let told = 0;
const note = (tokenId: number): NewEvent => {
  const at = new Date();
  const data = { changed: ["personality" as const], storage: "offchain" as const };
  return { type: "agent.updated", data, fact: `${++told} ${at.toISOString()}`, tokenId, at };
};
const bare = (tokenId: number) =>
  JSON.stringify({
    id: `evt_${"0".repeat(24)}`,
    type: "agent.updated",
    at: new Date().toISOString(),
    ...{ tokenId, owner: `0x${"a".repeat(40)}`, final: true, block: null, txHash: null },
    data: { changed: ["personality"], storage: "offchain" },
  });

/** Megabytes that Linux counts as resident; elsewhere unknown. */
function residentMb(pid: number): string {
  try {
    return String(Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024));
  } catch {
    return "unknown";
  }
}
