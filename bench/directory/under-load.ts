/** The API itself asked 200 times a second while 1,000 scores a second change: latency, exact totals, how soon a change shows, memory. */
import type pg from "pg";
import {
  atMost,
  goal,
  megabytes,
  printTable,
  quantile,
  SPREAD,
  seconds as secondsOf,
  spread,
} from "../../harness/figures.ts";
import { cpuOf, cpuOfMachine, residentBytes } from "../../harness/running-processes.ts";
import type { ScratchPostgres } from "../../harness/scratch-postgres.ts";
import type { LogEntry } from "../../harness/service-process.ts";
import { until } from "../../harness/until.ts";
import type { Plan, Run, Sample } from "../load/open-loop.ts";
import { startProgram, startService } from "../reads/servers.ts";
import { type Commit, changeScores, totalsByCommit } from "./changes.ts";
import { OWN_SHARE, type Question, questions } from "./questions.ts";

const SAMPLES = 500;
const CONNECTIONS = 128;
/** Behind the last commit an answer may be: what was true before that is wrong. */
const BEHIND_MS = 2_000;
const WARM_SECONDS = 5;
/** As pino numbers levels. */
const WARNING = 40;
/** Agents and the directory. */
const TABLES = 2;

/** @param plan.perSecond requests */
export async function underLoad(
  at: ScratchPostgres,
  { rows, seconds, perSecond }: { rows: number; seconds: number; perSecond: number },
): Promise<void> {
  const { pool } = at;
  const { api, warnings, readyMs } = await startLoaded(at);
  const load = startProgram(at, "load/open-loop.ts");
  const ask = (asked: readonly Question[], everyNth?: number) =>
    load.asks<Run>({
      ...{ url: api.url, paths: asked.map(({ path }) => path), perSecond, connections: CONNECTIONS },
      ...(everyNth && { everyNth }),
    } satisfies Plan);
  // Others than those that are measured.
  await ask(questions(2 * WARM_SECONDS * perSecond, rows).slice(-WARM_SECONDS * perSecond));
  const asked = questions(perSecond * seconds, rows);
  const meters = {
    "the API": () => cpuOf(api.pid),
    "the database": () => cpuOf(at.postgres.pid, { children: true }),
    "this benchmark": () => cpuOf(process.pid) + cpuOf(load.pid),
    all: cpuOfMachine,
  };
  const read = () => Object.entries(meters).map(([name, meter]) => [name, meter()] as const);
  const before = new Map(read());
  const start = performance.now();
  const changes = await changeScores(pool, api.url, Math.ceil(rows / OWN_SHARE));
  const ran = await ask(asked, Math.max(1, Math.floor(asked.length / SAMPLES)));
  await changes.stop();
  const passed = (performance.now() - start) / 1000;
  const used = new Map(read().map(([name, now]) => [name, now - before.get(name)!]));
  const shares = [...used].map(([name, cpu]) => `${name} ${((100 * cpu) / passed / 2).toFixed(0)} %`).join(", ");
  console.log(
    `${(ran.waits.length / ran.seconds).toFixed(0)} requests and ${(changes.scores / passed).toFixed(0)} scores a second for ${passed.toFixed(0)} s; of two cores ${shares}`,
  );
  const row = printTable("\nmilliseconds", SPREAD);
  row("an answer, from when it was due", ...spread(ran.waits));
  row("an answer, from when it was asked for", ...spread(Object.values(ran.byStatus).flat()));
  row("commit to its answer", ...spread(changes.seenMs));
  const wrong = await wrongTotals(pool, asked, ran.samples, changes.commits);
  for (const [text, times] of warnings) console.log(`the API warned ${times} times: ${text}`);
  for (const text of [...ran.failures.slice(0, 3), ...wrong.slice(0, 5)]) console.log(text);
  console.log(`\n${memoryOf(api.pid)}\n`);
  const p = (values: readonly number[], q: number) => quantile(values, q);
  const cpuMs = (1000 * used.get("the API")!) / asked.length;
  for (const line of [
    atMost("CPU of the API for each", cpuMs, 1, { unit: " ms", digits: 2 }),
    atMost(`${perSecond} answers a second, p99`, p(ran.waits, 0.99), 25, { unit: " ms", digits: 1 }),
    goal("no failures", `${ran.failed} of ${asked.length}`, ran.failed === 0),
    goal("no wrong totals", `${wrong.length} of ${ran.samples.length} sampled`, wrong.length === 0),
    atMost("a change shows, p95", p(changes.seenMs, 0.95), 2_000, { unit: " ms" }),
    atMost("in memory after the start", readyMs / 1000, 10, { unit: " s", digits: 1 }),
    atMost("the API's memory", residentBytes(api.pid) / 2 ** 20, 500, { unit: " MB" }),
  ])
    console.log(line);
}

/** The API with both tables in memory. @returns when it was that far, and what it warns of */
async function startLoaded(at: ScratchPostgres) {
  const began = performance.now();
  const tables: string[] = [];
  let readyMs = 0;
  const warnings = new Map<string, number>();
  const onLog = ({ level, msg, rows }: LogEntry) => {
    if (level >= WARNING) warnings.set(msg, (warnings.get(msg) ?? 0) + 1);
    if (msg !== "a table was loaded into memory") return;
    readyMs = performance.now() - began;
    tables.push(`${Number(rows).toLocaleString("en")} rows after ${secondsOf(readyMs)}`);
  };
  const api = await startService(at, { LOG_LEVEL: "info" }, onLog);
  const answers = performance.now() - began;
  await until("both tables are in memory", () => tables.length === TABLES, { timeoutMs: 600_000 });
  console.log(
    `the API answers ${secondsOf(answers)} after its start, has ${tables.join(" and ")} in memory; ${memoryOf(api.pid)}`,
  );
  return { api, warnings, readyMs: Math.max(answers, readyMs) };
}

/** Every sampled answer whose total was that of no state of the database that it may show. */
async function wrongTotals(
  pool: pg.Pool,
  asked: readonly Question[],
  samples: readonly Sample[],
  commits: readonly Commit[],
): Promise<string[]> {
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

const memoryOf = (pid: number) =>
  `memory of the API ${megabytes(residentBytes(pid))}, at most so far ${megabytes(residentBytes(pid, "VmHWM"))}`;
