/** The API itself asked 200 times a second while 1,000 scores a second change: latency, exact totals, how soon a change shows, memory. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { goal } from "../goal.ts";
import { cpuOf, cpuOfMachine } from "../reads/cpu.ts";
import { startApi, startNode } from "../reads/servers.ts";
import { type Commit, changeScores, totalsByCommit } from "./changes.ts";
import { line, QUANTILES_HEAD, quantile } from "./figures.ts";
import type { Plan, Ran, Sample } from "./open-loop.ts";
import { type Question, questions } from "./questions.ts";
import { OWN_SHARE } from "./world.ts";

const SAMPLES = 500;
/** Behind the last commit an answer may be: what was true before that is wrong. */
const BEHIND_MS = 2_000;
const WARM_SECONDS = 5;
/** As pino numbers levels. */
const WARNING = 40;
/** Agents and the directory. */
const TABLES = 2;

/** @param perSecond requests */
export type UnderLoad = {
  pool: pg.Pool;
  postgres: { url: string; pid: number };
  dataDir: string;
  rows: number;
  seconds: number;
  perSecond: number;
};

export async function underLoad({ pool, postgres, dataDir, rows, seconds, perSecond }: UnderLoad): Promise<void> {
  const chain = await startNode();
  const loaded = Promise.withResolvers<void>();
  const began = performance.now();
  const tables: string[] = [];
  let loadedAfter = 0;
  const warnings = new Map<string, number>();
  const warned = (text: string) => warnings.set(text, (warnings.get(text) ?? 0) + 1);
  const api = await startApi(postgres.url, dataDir, chain.url, (entry) => {
    if (Number(entry.level) >= WARNING) warned(String(entry.msg));
    if (entry.msg !== "a table was loaded into memory") return;
    tables.push(`${Number(entry.rows).toLocaleString("en")} rows after ${secondsOf(performance.now() - began)}`);
    loadedAfter = performance.now() - began;
    if (tables.length === TABLES) loaded.resolve();
  });
  const load = fork(join(import.meta.dirname, "open-loop.ts"));
  try {
    const answers = performance.now() - began;
    await loaded.promise;
    const ready = Math.max(answers, loadedAfter);
    console.log(
      `the API answers ${secondsOf(answers)} after its start, has ${tables.join(" and ")} in memory; ${memoryOf(api.pid)}`,
    );
    await play(load, { url: api.url, paths: paths(WARM_SECONDS * perSecond, rows), perSecond, everyNth: 1e9 });
    const asked = questions(perSecond * seconds, rows);
    const plan: Plan = {
      url: api.url,
      paths: asked.map(({ path }) => path),
      perSecond,
      everyNth: Math.max(1, Math.floor(asked.length / SAMPLES)),
    };
    const machine = cpuOfMachine();
    const spent = () => ({
      api: cpuOf(api.pid),
      postgres: cpuOf(postgres.pid, { children: true }),
      bench: cpuOf(process.pid) + cpuOf(load.pid!),
    });
    const before = spent();
    const start = performance.now();
    const changes = await changeScores(pool, api.url, Math.ceil(rows / OWN_SHARE));
    const ran = await play(load, plan);
    await changes.stop();
    const passed = (performance.now() - start) / 1000;
    const after = spent();
    const used = {
      api: after.api - before.api,
      postgres: after.postgres - before.postgres,
      bench: after.bench - before.bench,
    };
    const foreign = cpuOfMachine() - machine - used.api - used.postgres - used.bench;
    console.log(
      `${(ran.waits.length / ran.seconds).toFixed(0)} requests and ${(changes.scores / passed).toFixed(0)} scores a second for ${passed.toFixed(0)} s; of two cores the API took ${share(used.api, passed)}, the database ${share(used.postgres, passed)}, this benchmark ${share(used.bench, passed)}, others ${share(foreign, passed)}`,
    );
    console.log(`\nmilliseconds                              ${QUANTILES_HEAD}`);
    console.log(line("an answer, from when it was due", ran.waits));
    console.log(line("an answer, from when it was asked for", ran.services));
    console.log(line("commit to its answer", changes.seenMs));
    const wrong = await wrongTotals(pool, asked, ran.samples, changes.commits);
    for (const [text, times] of warnings) console.log(`the API warned ${times} times: ${text}`);
    for (const text of [...ran.failures.slice(0, 3), ...wrong.slice(0, 5)]) console.log(text);
    const resident = residentMb(api.pid);
    console.log(`\n${memoryOf(api.pid)}\n`);
    const cpuMs = (1000 * used.api) / asked.length;
    console.log(goal("CPU of the API for each ≤ 1.0 ms", `${cpuMs.toFixed(2)} ms`, cpuMs <= 1));
    console.log(
      goal(
        `${perSecond} answers a second, p99 ≤ 25 ms`,
        `${quantile(ran.waits, 0.99).toFixed(1)} ms`,
        quantile(ran.waits, 0.99) <= 25,
      ),
    );
    console.log(goal("no failures", `${ran.failures.length} of ${asked.length}`, ran.failures.length === 0));
    console.log(goal("no wrong totals", `${wrong.length} of ${ran.samples.length} sampled`, wrong.length === 0));
    console.log(
      goal(
        "a change shows, p95 ≤ 2 s",
        `${quantile(changes.seenMs, 0.95).toFixed(0)} ms`,
        quantile(changes.seenMs, 0.95) <= 2000,
      ),
    );
    console.log(goal("in memory ≤ 10 s after the start", `${(ready / 1000).toFixed(1)} s`, ready <= 10_000));
    console.log(goal("the API's memory ≤ 500 MB", `${resident.toFixed(0)} MB`, resident <= 500));
  } finally {
    load.kill();
    await api.stop();
    chain.stop();
  }
}

async function play(load: ReturnType<typeof fork>, plan: Plan): Promise<Ran> {
  load.send(plan);
  const [ran] = (await once(load, "message")) as [Ran];
  return ran;
}

/** Others than those that are measured. */
const paths = (count: number, rows: number) =>
  questions(count * 2, rows)
    .slice(-count)
    .map(({ path }) => path);

/** Every sampled answer whose total was that of no state of the database that it may show. */
async function wrongTotals(pool: pg.Pool, asked: Question[], samples: Sample[], commits: Commit[]): Promise<string[]> {
  const known = new Map<string, Promise<number[]>>();
  const wrong: string[] = [];
  for (const { index, total, sentAt, answeredAt } of samples) {
    const { filter, q } = asked[index]!;
    const possible = new Set<number>();
    // The windows of `new` and `trending` may have moved on the way.
    for (const moment of new Set([sentAt, answeredAt].map((at) => Math.floor(at / 60_000) * 60_000))) {
      const now = filter === "new" || filter === "trending" ? moment : 0;
      const key = JSON.stringify([filter, q, now]);
      if (!known.has(key)) known.set(key, totalsByCommit(pool, { filter, q, now }, commits.length));
      for (const [state, value] of (await known.get(key)!).entries()) {
        const from = state === 0 ? Number.NEGATIVE_INFINITY : commits[state - 1]!.begun;
        const until = commits[state]?.done ?? Number.POSITIVE_INFINITY;
        if (from <= answeredAt && until >= sentAt - BEHIND_MS) possible.add(value);
      }
    }
    if (!possible.has(total)) wrong.push(`${asked[index]!.path} said ${total}, SQL ${[...possible].join(" or ")}`);
  }
  return wrong;
}

const secondsOf = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const share = (seconds: number, passed: number) => `${((100 * seconds) / passed / 2).toFixed(0)} %`;

/** Megabytes (2^20 bytes) as Linux counts them; NaN elsewhere. */
const residentMb = (pid: number, field = "VmRSS"): number => {
  try {
    return (
      Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
    );
  } catch {
    return Number.NaN;
  }
};
const memoryOf = (pid: number) =>
  `memory of the API ${residentMb(pid).toFixed(0)} MB, at most so far ${residentMb(pid, "VmHWM").toFixed(0)} MB`;
