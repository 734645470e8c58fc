/** What a service without memory for lists answers: the questions of the load (questions.ts), one after the other, each page with its exact total and its rows. */
import { loadavg } from "node:os";
import type pg from "pg";
import { listByIndexes } from "../../db/directory/list.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import type { DirectoryQuery } from "../../db/directory/question-sql.ts";
import { directoryRows } from "../../db/directory/rows.ts";
import { openDirectoryList } from "../../db/lists/directory.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { atMost, goal, printTable, quantile, SPREAD, seconds, spread, stopwatch } from "../../harness/figures.ts";
import { cpuOf } from "../../harness/running-processes.ts";
import { sizes } from "../discover/service.ts";
import { countNaively } from "./naive.ts";
import { type Question, questions } from "./questions.ts";

/** @param asked number of questions; `checked` of them are counted naively as well */
export type SqlAlone = {
  pool: pg.Pool;
  postgres: { url: string; pid: number };
  rows: number;
  asked: number;
  checked: number;
};

/** The question of a request of the load. */
function queryOf({ path }: Question, now: number): DirectoryQuery {
  const asked = new URL(path, "http://directory").searchParams;
  return {
    filter: asked.get("filter") as DirectoryQuery["filter"],
    sort: asked.get("sort") as DirectoryQuery["sort"],
    descending: asked.get("dir") === "DESC",
    q: asked.get("q") ?? undefined,
    limit: Number(asked.get("limit")),
    offset: Number(asked.get("offset")),
    now,
  };
}

/** Up to a million rows, and up to ten million. */
const GOALS_MS = { p95: 150, worst: 1_000 };
const GOALS_OF_MORE_MS = { p95: 500, worst: undefined };

/** Own agents whose scores change: at a thousand changes a second, this number of rows waits for the next fold. */
const CHANGED = 3_000;

export async function measureSqlAlone(plan: SqlAlone): Promise<void> {
  const { pool } = plan;
  const [built, rows] = await stopwatch(() => foldPlanes(pool, { now: Date.now(), foldRows: 1 }));
  console.log(`${rows.toLocaleString("en")} rows brought into the planes in ${seconds(built)}`);
  console.log(await sizes(pool, ["directory_plane", "directory_slot", "directory"]));
  await ask("SQL alone", plan);
  await askIndexes(plan);
  const [changing] = await stopwatch(() => pool.query(CHANGE, [CHANGED]));
  console.log(`${CHANGED.toLocaleString("en")} scores changed in ${seconds(changing)}`);
  await ask("SQL alone while these wait for a fold", { ...plan, asked: Math.ceil(plan.asked / 4), checked: 0 });
  const [folding] = await stopwatch(() => foldPlanes(pool, { now: Date.now(), foldRows: 1 }));
  console.log(`folded in ${seconds(folding)}\n`);
}

const CHANGE = `update offchain.cred set score = (score + 1 + token_id % 3) % 101
  where token_id in (select i * 31 from generate_series(1, $1::int8) i)`;

/** How the service answers while there are no planes. */
async function askIndexes({ pool, rows, asked }: SqlAlone): Promise<void> {
  const times: number[] = [];
  for (const question of questions(Math.ceil(asked / 20), rows)) {
    const query = queryOf(question, Date.now());
    times.push((await stopwatch(() => snapshot(pool, (tx) => listByIndexes(tx, query))))[0]);
  }
  const row = printTable("\nmilliseconds", SPREAD, 60);
  row(`without planes, ${times.length} of the questions, ids and totals`, ...spread(times));
}

async function ask(title: string, { pool, postgres, rows, asked, checked }: SqlAlone): Promise<void> {
  const list = openDirectoryList({ url: postgres.url, db: pool, enabled: false });
  const now = Date.now();
  const times = new Map<string, number[]>([["all", []]]);
  const answers: { ms: number; query: DirectoryQuery; total: number }[] = [];
  const wrong: string[] = [];
  const used = () => cpuOf(postgres.pid, { children: true });
  let cpu = 0;
  for (const question of questions(asked, rows)) {
    const query = queryOf(question, now);
    const before = used();
    const [ms, { total }] = await stopwatch(async () => {
      const page = await list.list(query);
      await directoryRows(pool, page.ids);
      return page;
    });
    cpu += used() - before;
    const kind =
      query.q !== undefined ? "with a search" : query.offset >= 500 ? "deep in the list" : "without a search";
    for (const name of ["all", kind, `sort: ${query.sort}`]) times.set(name, [...(times.get(name) ?? []), ms]);
    answers.push({ ms, query, total });
  }
  // After all questions: each count reads the whole table, and so pushes out of the buffers what answers them.
  const sample = checked === 0 ? [] : answers.filter((_, i) => i % Math.ceil(asked / checked) === 0);
  for (const { query, total } of sample) {
    const counted = await countNaively(pool, query);
    if (counted !== total) wrong.push(`${JSON.stringify(query)}: ${total}, naively ${counted}`);
  }
  console.log(`${title}: ${asked} questions of the load, ids, total and rows`);
  const row = printTable("milliseconds", SPREAD);
  for (const [name, ms] of [...times].sort(([a], [b]) => a.localeCompare(b))) row(name, ...spread(ms));
  console.log(`CPU of the database, ${((1000 * cpu) / asked).toFixed(1)} ms a question`);
  for (const { ms, query, total } of answers.sort((a, b) => b.ms - a.ms).slice(0, 8)) {
    const { filter, sort, descending, q, offset } = query;
    const said = `${filter} by ${sort} ${descending ? "down" : "up"}${q === undefined ? "" : ` "${q}"`} from ${offset}`;
    console.log(`  ${ms.toFixed(0)} ms: ${said} of ${total}`);
  }
  for (const text of wrong) console.log(text);
  const all = times.get("all")!;
  const { p95, worst } = rows <= 1_000_000 ? GOALS_MS : GOALS_OF_MORE_MS;
  console.log(atMost(`${title}, p95`, quantile(all, 0.95), p95, { unit: " ms" }));
  if (worst !== undefined) console.log(atMost(`${title}, worst`, quantile(all, 1), worst, { unit: " ms" }));
  if (checked > 0)
    console.log(goal(`${title}, exact totals`, `${wrong.length} of ${sample.length} differ`, wrong.length === 0));
  console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}\n`);
  await list.close();
}
