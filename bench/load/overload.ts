/** L3: five times as many requests as the database can answer: what is too much is told so at once, what is taken is answered in time. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Loaded } from "../reads/load.ts";
import { type Check, counted, measured, ofReads, quantile } from "./check.ts";
import type { Flood, Flooded } from "./flood.ts";
import type { LoadedApi, LoadWorld } from "./service.ts";

/** A search that no memory answers: the database walks names for it. */
const PATH = "/api/v2/agents?search=ar%20*&sort=credScore&limit=20";
/** Waiting to be answered at once: what a normal load is. */
const NORMAL = 32;
const TIMES = 5;
/** Connections of clients that read one agent each, which memory and indexes answer. */
const READERS = 4;
/** Agents that they read: few, because the cache of rows that fills would count as memory that does not come back. */
const READ = 500;
const RECOVERY_MS = 5_000;

export async function overload(world: LoadWorld, { seconds }: { seconds: number }): Promise<Check[]> {
  const api = await world.startApi({ env: { LIST_MEMORY_MB: "0" } });
  const flood = fork(join(import.meta.dirname, "flood.ts"));
  await closedLoop(api, NORMAL, seconds / 4);
  const normal = await closedLoop(api, NORMAL, seconds / 2);
  const rate = normal.length / (seconds / 2);
  const quiet = await world.read(api, READERS, seconds / 4, READ);
  const before = (await api.stats()).residentBytes;
  flood.send({
    ...{ url: api.url, path: PATH, numbers: 100, perSecond: rate * TIMES, forMs: seconds * 1000 },
  } satisfies Flood);
  const [[{ sent, byStatus, withoutRetryAfter }], keyed] = (await Promise.all([
    once(flood, "message"),
    world.read(api, READERS, seconds, READ),
  ])) as [[Flooded], Loaded];
  const recovered = await recovery(api, quantile(normal, 0.99));
  const after = await settled(api, before);
  flood.kill();
  await api.stop();
  const taken = byStatus[200] ?? [];
  const shed = [...(byStatus[503] ?? []), ...(byStatus[429] ?? [])];
  const others = Object.keys(byStatus).filter((status) => !["200", "503", "429"].includes(status));
  const ratio = quantile(taken, 0.99) / quantile(normal, 0.99);
  return [
    counted("answers other than 200, 429, 503, or none", others.length, "0", others.length === 0),
    counted("429 and 503 without Retry-After", withoutRetryAfter, "0", withoutRetryAfter === 0),
    counted("requests shed", shed.length, "> 0", shed.length > 0),
    ...ofReads(keyed.failures - keyed.refusals, keyed.refusals),
    measured(
      "p99 of keyed reads, quiet / meanwhile",
      `${quiet.p99Ms.toFixed(0)} / ${keyed.p99Ms.toFixed(0)} ms`,
      "told only",
      true,
    ),
    measured("sent / taken / shed", `${sent} / ${taken.length} / ${shed.length}`, "told only", true),
    measured("answers a second, normally", `${rate.toFixed(0)}`, "told only", true),
    measured("p99 of what was shed", `${quantile(shed, 0.99).toFixed(0)} ms`, "≤ 50 ms", quantile(shed, 0.99) <= 50),
    measured(
      "p99 of what was taken against normal",
      `${ratio.toFixed(2)} × (${quantile(normal, 0.99).toFixed(0)} ms)`,
      "≤ 3 ×",
      ratio <= 3,
    ),
    measured("as fast as before again after", `${(recovered / 1000).toFixed(1)} s`, "≤ 5 s", recovered <= RECOVERY_MS),
    measured("resident memory after / before", `${(after / before).toFixed(2)} ×`, "≤ 1.1 ×", after <= before * 1.1),
  ];
}

/** So many ask, each again as soon as it is answered. @returns milliseconds of each answer */
async function closedLoop({ url }: LoadedApi, askers: number, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const ends = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: askers }, async () => {
      while (performance.now() < ends) {
        const asked = performance.now();
        const response = await fetch(url + PATH.replace("*", String(Math.floor(Math.random() * 100))));
        await response.arrayBuffer();
        if (response.ok) times.push(performance.now() - asked);
      }
    }),
  );
  return times;
}

/** Milliseconds until ten answers in a row were as fast as they normally are. */
async function recovery({ url }: LoadedApi, normalMs: number): Promise<number> {
  const began = performance.now();
  for (let inARow = 0; inARow < 10 && performance.now() - began < 4 * RECOVERY_MS; ) {
    const asked = performance.now();
    const response = await fetch(url + PATH.replace("*", "7"));
    await response.arrayBuffer();
    inARow = response.ok && performance.now() - asked <= normalMs ? inARow + 1 : 0;
  }
  return performance.now() - began;
}

/** Resident memory when it is back, or after ten seconds. */
async function settled(api: LoadedApi, before: number): Promise<number> {
  const ends = performance.now() + 10_000;
  for (;;) {
    const { residentBytes } = await api.stats();
    if (residentBytes <= before * 1.1 || performance.now() > ends) return residentBytes;
    await new Promise((done) => setTimeout(done, 500));
  }
}
