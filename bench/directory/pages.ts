/** Every kind of page from memory, and a sample of them by indexed and by naive SQL in the same run. */
import { loadavg } from "node:os";
import type pg from "pg";
import { MemoryBudget } from "../../columns/memory-budget.ts";
import { DIRECTORY_FILTERS, DIRECTORY_SORTS, type DirectorySort } from "../../core/directory/filters.ts";
import { listDirectory } from "../../db/directory/list.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import type { DirectoryPage, DirectoryQuery } from "../../db/directory/question-sql.ts";
import { directoryRows } from "../../db/directory/rows.ts";
import { openDirectoryList } from "../../db/lists/directory.ts";
import { atLeast, atMost, goal, printTable, quantile, SPREAD, spread } from "../../harness/figures.ts";
import {
  askAlike,
  type Cell,
  measurePages,
  PLACES,
  type Subject,
  searchAnew,
  shuffled,
  untilLoaded,
} from "../list/pages.ts";
import { askNaively } from "./naive.ts";
import { DIRECTORY_SEARCHES } from "./questions.ts";

const FIRST_TIME = 1_500;

/** @param sampled how many questions SQL is asked as well */
export type Pages = { pool: pg.Pool; url: string; rows: number; sampled: number };
type Question = Omit<DirectoryQuery, "offset" | "limit">;

export async function directoryPages({ pool, url, rows, sampled }: Pages): Promise<void> {
  const memory = openDirectoryList({ url, db: pool, memory: new MemoryBudget(2 ** 30) });
  const subject: Subject<Question, DirectoryPage> = {
    page: (question, part) => memory.list({ ...question, ...part }),
    rows: ({ ids }) => directoryRows(pool, ids),
    bySql: (question, part) => listDirectory(pool, { ...question, ...part }),
    searching: (q) => ({ filter: "all", sort: "cred_score", descending: true, q, now: Date.now() }),
  };
  try {
    await untilLoaded(memory, rows);
    const now = Date.now();
    const cells = matrix(now);
    const { ids, cpu } = await measurePages(subject, cells);
    const first = await searchAnew(subject, FIRST_TIME);
    // The workers of a service do this: a kept database may contain the changes of an earlier load.
    await foldPlanes(pool, { now: Date.now(), foldRows: 1 });
    const worst = worstCells(now);
    const { times, wrong } = await askAlike(subject, [...worst, ...cells.slice(0, sampled)], {
      naive: (question, part) => askNaively(pool, { ...question, ...part }),
    });
    const row = printTable("\nmilliseconds", SPREAD, 60);
    row(`${first.length} searches, each asked for the first time, ids`, ...spread(first));
    row(`${worst.length} questions that cost SQL most, ${sampled} at random, ids`, ...spread(times.memory!));
    row("the same by indexed SQL", ...spread(times.sql!));
    row("the same by naive SQL, with totals and average", ...spread(times.naive!));
    for (const text of wrong.slice(0, 5)) console.log(text);
    const ms = { unit: " ms", digits: 1 };
    console.log("");
    for (const [q, most] of [
      [0.95, 5],
      [0.99, 10],
    ] as const)
      console.log(
        `${atMost(`a page from memory, p${q * 100}`, quantile(ids, q), most, ms)} (${quantile(cpu, q).toFixed(1)} ms of CPU)`,
      );
    const ratio = quantile(times.naive!, 1) / quantile(ids, 1);
    console.log(atLeast("worst of naive SQL / worst from memory", ratio, 100));
    console.log(atMost("indexed SQL, p95", quantile(times.sql!, 0.95), 150, ms));
    console.log(goal("the same answers three ways", `${wrong.length} differ`, wrong.length === 0));
    console.log(`load of the machine ${loadavg()[0]!.toFixed(1)}\n`);
  } finally {
    await memory.close();
  }
}

const SORTS: DirectorySort[] = [...DIRECTORY_SORTS, "trend"];

/** Every kind of question about the directory: each sort and direction, filter, kind of search, and place of the page. */
function matrix(now: number): Cell<Question>[] {
  const cells: Cell<Question>[] = [];
  for (const sort of SORTS)
    for (const descending of [true, false])
      for (const filter of DIRECTORY_FILTERS)
        for (const [search, q] of Object.entries(DIRECTORY_SEARCHES))
          for (const place of PLACES) {
            const kinds = [`search: ${search}`, `filter: ${filter}`, `sort: ${sort} ${descending ? "down" : "up"}`];
            cells.push({ kinds, place, question: { sort, descending, filter, q, now } });
          }
  return shuffled(cells);
}

/** What costs SQL most: much that matches, sorted by text or by what most rows have, in the middle. */
function worstCells(now: number): Cell<Question>[] {
  const cell = (sort: DirectorySort, search: string, place: Cell<Question>["place"], descending = true) => ({
    ...{ kinds: [], place },
    question: { sort, descending, filter: "all" as const, q: DIRECTORY_SEARCHES[search], now },
  });
  return [
    cell("name", "no search", "middle"),
    cell("name", "no search", "last", false),
    cell("created_at", "no search", "middle"),
    cell("platform", "no search", "middle", false),
    cell("name", "1 letter", "middle"),
    cell("cred_score", "1 letter", "last"),
    cell("name", "2 letters", "middle", false),
    cell("volume_24h", "a common word", "middle"),
  ];
}
