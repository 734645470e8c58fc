/** L3: five times as many requests as the database can answer: the API refuses the surplus at once, and answers the others in time. */
import { join } from "node:path";
import { startChild } from "../../harness/child.ts";
import { quantile } from "../../harness/figures.ts";
import { type Check, counted, measured, none, ofReads, reported } from "./check.ts";
import type { Plan, Run } from "./open-loop.ts";
import type { LoadedApi, LoadWorld } from "./service.ts";

/** Searches that no memory answers: the database walks names for them. */
const SEARCH = { path: "/api/v2/agents?search=ar%20*&sort=credScore&limit=20", ids: 100 };
const searchOf = (n: number) => SEARCH.path.replace("*", String(n));
/** Waiting to be answered at once: what a normal load is. */
const NORMAL = 32;
const TIMES = 5;
const CONNECTIONS = 1_000;
/** Connections of clients that read one agent each, which memory and indexes answer. */
const READERS = 4;
/** What they read: few agents, because the cache of rows that fills would count as memory that does not come back. */
const READ = { ids: 500 };
const RECOVERY_MS = 5_000;
/** The first seconds of a flood are a burst, whose requests wait (db/sql/turns.ts): what comes after them is judged. */
const BURST_SECONDS = 10;

export async function overload(world: LoadWorld, { seconds }: { seconds: number }): Promise<Check[]> {
  const api = await world.startApi({ env: { LIST_MEMORY_MB: "0" } });
  const flood = startChild(join(import.meta.dirname, "open-loop.ts"));
  await world.read(api, NORMAL, seconds / 4, SEARCH);
  const normal = await world.read(api, NORMAL, seconds / 2, SEARCH);
  const rate = normal.answers / normal.seconds;
  const quiet = await world.read(api, READERS, seconds / 4, READ);
  const before = (await api.stats()).residentBytes;
  const paths = Array.from({ length: Math.ceil(rate * TIMES * (BURST_SECONDS + seconds)) }, () =>
    searchOf(Math.floor(Math.random() * SEARCH.ids)),
  );
  const [{ byStatus, withoutRetryAfter }, keyed] = await Promise.all([
    flood.asks<Run>({
      ...{ url: api.url, paths, connections: CONNECTIONS, warmUpMs: BURST_SECONDS * 1_000 },
      perSecond: rate * TIMES,
    } satisfies Plan),
    world.read(api, READERS, BURST_SECONDS + seconds, READ),
  ]);
  const recovered = await recovery(api, normal.p99Ms);
  const after = await settled(api, before);
  await flood.stop();
  await api.stop();
  const taken = byStatus[200] ?? [];
  const shed = [...(byStatus[503] ?? []), ...(byStatus[429] ?? [])];
  const others = Object.keys(byStatus).filter((status) => !["200", "503", "429"].includes(status));
  const p99 = (of: readonly number[]) => quantile(of, 0.99);
  const ratio = p99(taken) / normal.p99Ms;
  return [
    none("answers other than 200, 429, 503, or none", others.length),
    none("429 and 503 without Retry-After", withoutRetryAfter),
    counted("requests shed", shed.length, "> 0", shed.length > 0),
    ...ofReads([keyed]),
    reported("p99 of keyed reads, quiet / meanwhile", `${quiet.p99Ms.toFixed(0)} / ${keyed.p99Ms.toFixed(0)} ms`),
    reported("sent / taken / shed", `${taken.length + shed.length} / ${taken.length} / ${shed.length}`),
    reported("answers a second, normally", rate.toFixed(0)),
    measured("p99 of what was shed", `${p99(shed).toFixed(0)} ms`, "≤ 50 ms", p99(shed) <= 50),
    measured(
      "p99 of what was taken against normal",
      `${ratio.toFixed(2)} × (${normal.p99Ms.toFixed(0)} ms)`,
      "≤ 3 ×",
      ratio <= 3,
    ),
    measured("as fast as before again after", `${(recovered / 1000).toFixed(1)} s`, "≤ 5 s", recovered <= RECOVERY_MS),
    measured("resident memory after / before", `${(after / before).toFixed(2)} ×`, "≤ 1.1 ×", after <= before * 1.1),
  ];
}

/** Asks once. @returns milliseconds of the answer; undefined when it was refused */
async function timed({ url }: LoadedApi, path: string): Promise<number | undefined> {
  const asked = performance.now();
  const response = await fetch(url + path);
  await response.arrayBuffer();
  return response.ok ? performance.now() - asked : undefined;
}

/** Milliseconds until ten answers in a row were as fast as they normally are. */
async function recovery(api: LoadedApi, normalMs: number): Promise<number> {
  const began = performance.now();
  for (let inARow = 0; inARow < 10 && performance.now() - began < 4 * RECOVERY_MS; )
    inARow = ((await timed(api, searchOf(7))) ?? Number.POSITIVE_INFINITY) <= normalMs ? inARow + 1 : 0;
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
