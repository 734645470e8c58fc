/** `npm run bench -- list [--agents N] [--short]`: every kind of list page from memory, rows included, beside plain SQL in the same run. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isDeepStrictEqual, promisify } from "node:util";
import type pg from "pg";
import { loadFacts } from "../db/agents/facts.ts";
import { listAgents } from "../db/lists/agent-list-sql.ts";
import { type AgentList, type AgentQuery, openAgentList } from "../db/lists/agents.ts";
import { openPool } from "../db/sql/connect.ts";
import { removePostgres, startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { goal } from "./goal.ts";
import { type Cell, matrix, newSearches, offsetOf } from "./list/matrix.ts";

const LIMIT = 100;

/** @param args `--agents N` (default 1,000,000), `--short` for 50,000 and a part of the questions */
export default async function list(args: string[]): Promise<void> {
  const short = args.includes("--short");
  const wanted = args.indexOf("--agents");
  const agents = wanted >= 0 ? Number(args[wanted + 1]) : short ? 50_000 : 1_000_000;
  if (!Number.isSafeInteger(agents) || agents < 1000) throw new Error("--agents takes a number of agents from 1000 on");
  const directory = scratchDirectory("bench-list", { onDisk: true });
  const server = await startPostgres({ dataDir: join(directory, "pg"), fast: true });
  const pool = openPool({ connectionString: server.url, max: 4 });
  try {
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "list/world.ts"),
      server.url,
      String(agents),
    ]);
    await measure(server.url, pool, agents, short);
  } finally {
    await pool.end();
    await server.stop();
    // The cluster may have been moved to where its own account can reach it.
    await removePostgres(join(directory, "pg"));
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(url: string, pool: pg.Pool, agents: number, short: boolean): Promise<void> {
  const before = process.memoryUsage().rss;
  const began = performance.now();
  const memory = openAgentList({ url, db: pool });
  try {
    while (!memory.ready) await new Promise((done) => setTimeout(done, 10));
    const { readMs, sortMs, bytes } = memory.stats();
    console.log(
      `${agents.toLocaleString("en")} agents: ready after ${seconds(performance.now() - began)} (read ${seconds(readMs)}, sorted ${seconds(sortMs)})`,
    );
    console.log(`memory: ${megabytes(bytes)} of arrays, ${megabytes(process.memoryUsage().rss - before)} more RSS\n`);
    const cells = matrix();
    const asked = short ? cells.slice(0, 400) : cells;
    for (const cell of asked.slice(0, 100)) await ask(memory, pool, cell);
    const times = new Map<string, Times>();
    for (const cell of asked) note(times, cell, await ask(memory, pool, cell));
    const searches = await search(memory, short ? 300 : 2_000);
    const sql = await sample(memory, pool, asked.slice(0, short ? 15 : 40));
    report(times, searches, sql);
    await change(memory, pool, agents, asked, short ? 3_000 : 20_000);
  } finally {
    await memory.close();
  }
}

type Taken = { list: number; rows: number };
type Times = { list: number[]; rows: number[] };

/** The page a cell asks for; where its middle and end are, the total tells. */
async function pageOf(memory: AgentList, { query, place }: Cell): Promise<AgentQuery> {
  const { total } = await memory.list({ ...query, limit: 1, position: { offset: 0 } });
  return { ...query, limit: LIMIT, position: { offset: offsetOf(place, total, LIMIT) } };
}

/** One page: from memory, then with the facts of its agents. Milliseconds. */
async function ask(memory: AgentList, pool: pg.Pool, cell: Cell): Promise<Taken> {
  const query = await pageOf(memory, cell);
  const began = performance.now();
  const { tokenIds } = await memory.list(query);
  const listed = performance.now();
  await loadFacts(pool, tokenIds);
  return { list: listed - began, rows: performance.now() - began };
}

function note(times: Map<string, Times>, { sort, filter, search, place }: Cell, taken: Taken): void {
  for (const name of ["all", `page: ${place}`, `search: ${search}`, `filter: ${filter}`, `sort: ${sort}`]) {
    const known = times.get(name) ?? { list: [], rows: [] };
    known.list.push(taken.list);
    known.rows.push(taken.rows);
    times.set(name, known);
  }
}

/** Searches whose answer nobody has asked for before: nothing of it is kept. */
async function search(memory: AgentList, count: number): Promise<number[]> {
  const times: number[] = [];
  for (const text of new Set(newSearches(count))) {
    const began = performance.now();
    await memory.list({ sort: "credScore", order: "desc", limit: LIMIT, search: text, position: { offset: 0 } });
    times.push(performance.now() - began);
    // Answers from memory come without a turn of the event loop: without one here, the looks at the database would be
    // held up until memory is too old to answer, and one search would go to SQL. Requests come by turns anyway.
    await new Promise((done) => setImmediate(done));
  }
  return times;
}

type Compared = { times: number[]; unequal: number };

/** The same pages by SQL; each answer is compared with the one from memory. */
async function sample(memory: AgentList, pool: pg.Pool, cells: Cell[]): Promise<Compared> {
  const times: number[] = [];
  let unequal = 0;
  for (const cell of cells) {
    const query = await pageOf(memory, cell);
    const began = performance.now();
    const answer = await listAgents(pool, query);
    times.push(performance.now() - began);
    if (!isDeepStrictEqual(answer, await memory.list(query))) unequal++;
  }
  return { times, unequal };
}

/** 1,000 scores a second in four commits, while pages are asked for one after the other. */
async function change(memory: AgentList, pool: pg.Pool, agents: number, cells: Cell[], forMs: number): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const pages: number[] = [];
  const seen: number[] = [];
  const begun = memory.stats().rowsRead;
  const ends = performance.now() + forMs;
  delay.enable();
  const changing = (async () => {
    for (let round = 0; performance.now() < ends; round++) {
      const due = performance.now() + 250;
      // Beyond the scale, so that the agent leads the list as soon as its score is seen.
      const leader = 1 + ((round * 7919) % (agents - 1));
      await pool.query(
        `update offchain.cred set score = case when token_id = $1 then $3::int2 else (score + 1 + token_id % 3) % 101 end
         where token_id in (select ($1::int8 + i * 3989) % $2::int8 from generate_series(0, 249) i)`,
        [leader, agents, 1000 + round],
      );
      const committed = performance.now();
      if (leader % 50 !== 0) {
        await until(async () => (await memory.list(BEST)).tokenIds[0] === leader);
        seen.push(performance.now() - committed);
      }
      await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    }
  })();
  for (let i = 0; performance.now() < ends; i++) {
    pages.push((await ask(memory, pool, cells[i % cells.length]!)).list);
    await new Promise((done) => setImmediate(done));
  }
  await changing;
  delay.disable();
  console.log(`\nwhile 1,000 scores a second change (${memory.stats().rowsRead - begun} seen), milliseconds`);
  console.log(row("a page, token ids alone", pages));
  console.log(row("commit to leading a list", seen));
  console.log(
    `event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, worst ${(delay.max / 1e6).toFixed(1)} ms`,
  );
}

const BEST: AgentQuery = { sort: "credScore", order: "desc", limit: 1, spam: true, position: { offset: 0 } };

async function until(met: () => Promise<boolean>): Promise<void> {
  const ends = performance.now() + 5_000;
  while (!(await met()) && performance.now() < ends) await new Promise((done) => setTimeout(done, 5));
}

function report(times: Map<string, Times>, searches: number[], { times: sql, unequal }: Compared): void {
  console.log("a page of 100, milliseconds            token ids alone                 with all facts of each");
  console.log("                                   p50     p95     p99   worst     p50     p95     p99   worst");
  for (const group of ["all", "page", "search", "filter", "sort"])
    for (const [name, { list, rows }] of [...times].filter(([name]) => name.startsWith(group)).sort())
      console.log(`${row(name, list)} ${figures(rows)}`);
  console.log(`\n${searches.length} searches, each for the first time, best scores first`);
  console.log(row("all", searches));
  console.log(`\nplain SQL, ${sql.length} of the same pages, token ids alone`);
  console.log(row("all", sql));
  const own = times.get("all")!.list;
  const [worst, median] = [1, 0.5].map((q) => (quantile(sql, q) / quantile(own, q)).toFixed(0));
  console.log(`worst against worst ${worst}×, median against median ${median}×`);
  const { rows } = times.get("all")!;
  const [p95, most] = [0.95, 1].map((q) => quantile(rows, q)) as [number, number];
  console.log(goal("a page with all facts, p95 ≤ 15 ms", `${p95.toFixed(1)} ms`, p95 <= 15));
  console.log(goal("a page with all facts, worst ≤ 100 ms", `${most.toFixed(1)} ms`, most <= 100));
  console.log(goal("the same answers both ways", `${unequal} of ${sql.length} differ`, unequal === 0));
}

const figures = (values: number[]) =>
  [0.5, 0.95, 0.99, 1].map((q) => quantile(values, q).toFixed(2).padStart(7)).join(" ");
const row = (name: string, values: number[]) => `${name.padEnd(30)} ${figures(values)}`;

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
