/** `npm run bench -- events [--short]`: a thousand subscribers of one process, compared with a bare server that sends the same bytes. */
import { join } from "node:path";
import { appendEvents, type NewEvent } from "../db/events/append-events.ts";
import { runToEnd, startChild } from "../harness/child.ts";
import { megabytes, printTable, quantile, stopwatch } from "../harness/figures.ts";
import { cpuOf, residentBytes } from "../harness/running-processes.ts";
import { type ScratchPostgres, withPostgres } from "../harness/scratch-postgres.ts";
import { runEventLog } from "../workers/events/event-log.ts";
import type { Figures, OpenRequest } from "./events/readers.ts";
import { type ServerProcess, startProgram, startService } from "./reads/servers.ts";

const AGENTS = 1_000;
const WAIT_MS = 60_000;

type Plan = { readers: number; events: number; perSecond: number; burst: number };
/** @property append sends an event of each agent, and resolves once they are sent @property each share of the events that one subscriber gets */
type Server = ServerProcess & { name: string; append(tokenIds: number[]): Promise<unknown>; each: number };

/** @param args `--short` for fewer events and subscribers */
export default async function events(args: string[]): Promise<void> {
  const plan: Plan = args.includes("--short")
    ? { readers: 200, events: 20, perSecond: 5, burst: 20 }
    : { readers: 1_000, events: 200, perSecond: 10, burst: 200 };
  await withPostgres("bench-events", {}, (at) => compare(at, plan));
}

async function compare(at: ScratchPostgres, plan: Plan): Promise<void> {
  const { postgres, pool: db, later } = at;
  await runToEnd(join(import.meta.dirname, "synthetic/world.ts"), postgres.url, AGENTS);
  const api = await startService(at, { LIMITS: "streams=0,streams-in-all=0" });
  const log = runEventLog({
    ...{ db, clock: () => new Date(), fault: () => {}, log: { warn: console.warn } as never },
    config: { eventRetentionMs: 86_400_000 },
  });
  later(() => log.stop());
  const reference = startProgram(at, "events/reference.ts");
  const bareUrl = `http://127.0.0.1:${await reference.hears<number>()}`;
  console.log(`${plan.events} events, ${plan.perSecond} a second, then ${plan.burst} at once; each line one process\n`);
  const columns = ["delivered", "dropped", "disordered", "p50 ms", "p95", "max", "burst ms", "µs of CPU each"];
  const row = printTable("", columns);
  const stream = `${api.url}/api/v2/events`;
  const ofLog = { pid: api.pid, append: (tokenIds: number[]) => appendEvents(db, tokenIds.map(note)) };
  const servers: Server[] = [
    {
      ...{ name: "bare server", url: bareUrl, pid: reference.pid, each: 1 },
      append: (tokenIds) => fetch(bareUrl, { method: "POST", body: tokenIds.map(bare).join("\n") }),
    },
    { name: "the log", url: stream, ...ofLog, each: 1 },
    { name: "a filter each", url: `${stream}?agent={n}&type=agent.updated`, ...ofLog, each: 1 / AGENTS },
  ];
  for (const server of servers) row(`${server.name}, ${plan.readers} subscribers`, ...(await measure(server, plan)));
  console.log(`\nmemory of the process of the log: ${megabytes(residentBytes(api.pid))}`);
}

/** @returns the cells of a row */
async function measure(
  { url, pid, append, each }: Server,
  { readers, events, perSecond, burst }: Plan,
): Promise<number[]> {
  /** Agents take turns, so that filters divide them evenly; where a filter selects one agent, only agents with a subscriber. */
  const tokens = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => (each < 1 ? (from + i) % readers : (from + i) % AGENTS));
  const perEvent = each < 1 ? 1 : readers;
  const crowd = await openCrowd(url, readers);
  try {
    const cpuBefore = cpuOf(pid);
    const began = performance.now();
    for (let i = 0; i < events; i++) {
      await append(tokens(i, 1));
      const wait = began + ((i + 1) * 1000) / perSecond - performance.now();
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    }
    const steady = await crowd.received(events * perEvent, WAIT_MS);
    const cpu = cpuOf(pid) - cpuBefore;
    crowd.again();
    const [burstMs, after] = await stopwatch(async () => {
      await append(tokens(0, burst));
      return crowd.received(burst * perEvent, WAIT_MS);
    });
    const delivered = steady.received + after.received;
    const dropped = (events + burst) * perEvent - delivered;
    const latencies = [0.5, 0.95, 1].map((q) => quantile(steady.latencies, q));
    return [delivered, dropped, after.disordered, ...latencies, burstMs, (cpu * 1e6) / (events * perEvent)];
  } finally {
    crowd.leave();
  }
}

let appended = 0;
const note = (tokenId: number): NewEvent => {
  const at = new Date();
  const data = { changed: ["personality" as const], storage: "offchain" as const };
  return { type: "agent.updated", data, fact: `${++appended} ${at.toISOString()}`, tokenId, at };
};
const bare = (tokenId: number) =>
  JSON.stringify({
    id: `evt_${"0".repeat(24)}`,
    type: "agent.updated",
    at: new Date().toISOString(),
    ...{ tokenId, owner: `0x${"a".repeat(40)}`, final: true, block: null, txHash: null },
    data: { changed: ["personality"], storage: "offchain" },
  });

export type Crowd = Awaited<ReturnType<typeof openCrowd>>;

/** @param url of the stream; `{n}` in it becomes the subscriber's number @throws Error when one cannot connect */
export async function openCrowd(url: string, readers: number) {
  const child = startChild(join(import.meta.dirname, "events/readers.ts"));
  await child.asks<"opened">({ open: { url, readers } } satisfies OpenRequest);
  return {
    /** Waits until this number of events has arrived in all, at most `withinMs`. */
    async received(events: number, withinMs: number): Promise<Figures> {
      const ends = performance.now() + withinMs;
      for (;;) {
        const figures = await child.asks<Figures>("figures");
        if (figures.received >= events || performance.now() > ends) return figures;
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    /** Forgets what was counted so far. */
    again: () => void child.process.send("again"),
    leave: () => void child.stop(),
  };
}
