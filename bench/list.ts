/** `npm run bench -- list [--agents N] [--short]`: compares every kind of list page from memory, rows included, with plain SQL in the same run. */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type pg from "pg";
import { loadFacts } from "../db/agents/facts.ts";
import { AGENT_SORTS, type AgentFilter, type AgentPage, listAgents } from "../db/lists/agent-list-sql.ts";
import { type AgentList, type AgentQuery, openAgentList } from "../db/lists/agents.ts";
import { runToEnd } from "../harness/child.ts";
import { atMost, goal, printTable, quantile, SPREAD, spread, stopwatch } from "../harness/figures.ts";
import { numberAfter } from "../harness/options.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { until } from "../harness/until.ts";
import {
  askAlike,
  type Cell,
  measurePages,
  PLACES,
  SEARCHES,
  type Subject,
  searchAnew,
  shuffled,
  untilLoaded,
} from "./list/pages.ts";

type Question = Omit<AgentQuery, "position" | "limit">;

/** @param args `--agents N` (default 1,000,000), `--short` for 50,000 and a part of the questions */
export default async function list(args: string[]): Promise<void> {
  const short = args.includes("--short");
  const agents = numberAfter(args, "--agents", 1_000) ?? (short ? 50_000 : 1_000_000);
  await withPostgres("bench-list", { fast: true }, async ({ postgres, pool, later }) => {
    await runToEnd(join(import.meta.dirname, "list/world.ts"), postgres.url, agents);
    const memory = openAgentList({ url: postgres.url, db: pool });
    later(() => memory.close());
    await untilLoaded(memory, agents);
    await measure(memory, pool, agents, short);
  });
}

const subjectOf = (memory: AgentList, pool: pg.Pool): Subject<Question, AgentPage> => {
  const query = (question: Question, { offset, limit }: { offset: number; limit: number }): AgentQuery => ({
    ...{ ...question, limit, position: { offset } },
  });
  return {
    page: (question, part) => memory.list(query(question, part)),
    rows: ({ tokenIds }) => loadFacts(pool, tokenIds),
    bySql: (question, part) => listAgents(pool, query(question, part)),
    searching: (search) => ({ sort: "credScore", order: "desc", search }),
  };
};

async function measure(memory: AgentList, pool: pg.Pool, agents: number, short: boolean): Promise<void> {
  const subject = subjectOf(memory, pool);
  const cells = short ? matrix().slice(0, 400) : matrix();
  const { ids, rows } = await measurePages(subject, cells);
  const searches = await searchAnew(subject, short ? 300 : 2_000);
  const { times, wrong } = await askAlike(subject, cells.slice(0, short ? 15 : 40));
  const sql = times.sql!;
  const row = printTable("\nmilliseconds, token ids alone", SPREAD);
  row(`${searches.length} searches, each for the first time`, ...spread(searches));
  row(`plain SQL, ${sql.length} of the same pages`, ...spread(sql));
  const [worst, median] = [1, 0.5].map((q) => (quantile(sql, q) / quantile(ids, q)).toFixed(0));
  console.log(`worst against worst ${worst}×, median against median ${median}×`);
  for (const text of wrong.slice(0, 5)) console.log(text);
  const ms = { unit: " ms", digits: 1 };
  console.log(atMost("a page with all facts, p95", quantile(rows, 0.95), 15, ms));
  console.log(atMost("a page with all facts, worst", quantile(rows, 1), 100, ms));
  console.log(goal("the same answers both ways", `${wrong.length} of ${sql.length} differ`, wrong.length === 0));
  await change(memory, pool, agents, cells, short ? 3_000 : 20_000);
}

/** 1,000 scores a second in four commits, while pages are asked for one after the other. */
async function change(
  memory: AgentList,
  pool: pg.Pool,
  agents: number,
  cells: Cell<Question>[],
  forMs: number,
): Promise<void> {
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
        await until("the best leads", async () => (await memory.list(BEST)).tokenIds[0] === leader, { everyMs: 5 });
        seen.push(performance.now() - committed);
      }
      await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    }
  })();
  for (let i = 0; performance.now() < ends; i++) {
    const { question } = cells[i % cells.length]!;
    const [ms] = await stopwatch(() => memory.list({ ...question, limit: 100, position: { offset: 0 } }));
    pages.push(ms);
    await new Promise((done) => setImmediate(done));
  }
  await changing;
  delay.disable();
  const row = printTable(
    `\nwhile 1,000 scores a second change (${memory.stats().rowsRead - begun} seen), ms`,
    SPREAD,
    60,
  );
  row("a page, token ids alone", ...spread(pages));
  row("commit to leading a list", ...spread(seen));
  console.log(
    `event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, worst ${(delay.max / 1e6).toFixed(1)} ms`,
  );
}

const BEST: AgentQuery = { sort: "credScore", order: "desc", limit: 1, spam: true, position: { offset: 0 } };

const FILTERS: Record<string, AgentFilter> = {
  "as a reader sees it": {},
  "with spam": { spam: true },
  "common framework": { framework: "openclaw" },
  "rare framework": { framework: "bankr" },
  verified: { verified: true },
  "unverified of a framework": { verified: false, framework: "Eliza" },
};

/** Every kind of question about the list of agents: each sort and direction, filter, search, and place of the page. */
function matrix(): Cell<Question>[] {
  const cells: Cell<Question>[] = [];
  for (const sort of AGENT_SORTS)
    for (const order of ["asc", "desc"] as const)
      for (const [filter, narrowed] of Object.entries(FILTERS))
        for (const [search, text] of Object.entries(SEARCHES))
          for (const place of PLACES)
            cells.push({
              kinds: [`search: ${search}`, `filter: ${filter}`, `sort: ${sort} ${order}`],
              place,
              question: { ...narrowed, sort, order, search: text },
            });
  return shuffled(cells);
}
