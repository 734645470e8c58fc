/** `npm run bench -- list [--agents N] [--short]`: compares every kind of list page from memory, rows included, with plain SQL in the same run. */
import { join } from "node:path";
import type pg from "pg";
import { loadFacts } from "../db/agents/facts.ts";
import { AGENT_SORTS, type AgentFilter, type AgentPage, listAgents } from "../db/lists/agent-list-sql.ts";
import { type AgentList, type AgentQuery, openAgentList } from "../db/lists/agents.ts";
import { runToEnd } from "../harness/child.ts";
import { atMost, goal, printTable, quantile, SPREAD, spread } from "../harness/figures.ts";
import { commandLine, WITH_SHORT } from "../harness/options.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
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
  const sizes = { agents: { absent: 1_000_000, short: 50_000, least: 1_000 } };
  const { numbers, others } = commandLine(sizes, WITH_SHORT, args);
  const { agents } = numbers;
  await withPostgres("bench-list", { fast: true }, async ({ postgres, pool, later }) => {
    await runToEnd(join(import.meta.dirname, "synthetic/world.ts"), postgres.url, agents);
    const memory = openAgentList({ url: postgres.url, db: pool });
    later(() => memory.close());
    await untilLoaded(memory, agents);
    await measure(memory, pool, others.short ?? false);
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

async function measure(memory: AgentList, pool: pg.Pool, short: boolean): Promise<void> {
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
}

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
