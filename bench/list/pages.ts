/** How long pages of a list take: of every kind, from memory and with their rows, of new searches, and by SQL. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isDeepStrictEqual } from "node:util";
import { type Column, megabytes, printTable, SPREAD, seconds, spread, stopwatch } from "../../harness/figures.ts";
import { randomOf } from "../../harness/random.ts";

const LIMIT = 100;
export const PLACES = ["first", "middle", "last"] as const;

/** A question but for the place of its page, and the kinds that it is of, such as `search: 1 letter`. */
export type Cell<Question> = { kinds: readonly string[]; place: (typeof PLACES)[number]; question: Question };
type Part = { offset: number; limit: number };

export type Subject<Question, Page extends { total: number }> = {
  page(question: Question, part: Part): Promise<Page>;
  /** Reads the rows of a page. */
  rows(page: Page): Promise<unknown>;
  bySql(question: Question, part: Part): Promise<Page>;
  /** The question with this search and nothing else. */
  searching(text: string): Question;
};

/** Searches of any list by what is special about them; the words are those that synthetic/world.ts plants. */
export const SEARCHES: Record<string, string | undefined> = {
  "no search": undefined,
  "1 letter": "e",
  "2 letters": "or",
  "a common word": "bot",
  "a long common word": "Quantum",
  "a long rare text": "helix 3fe",
  "3 characters, rare": "9f3",
  "letters with accents": "ångstrom",
  "Chinese letters": "機器",
  "address prefix": "0xab",
  "an address": "0xcfcd208495d565ef66e7dff9f98764dac4ca4238",
  "an agent's id": "4242",
  "no match": "qqqq",
};

/** Every kind of question: each in every place, shuffled the same way every time, so that none profits from its neighbour. */
export function shuffled<T>(list: T[]): T[] {
  const random = randomOf(7);
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

/** Searches that differ from each other and from those of any list of kinds, from one letter to whole names. */
export function newSearches(count: number): string[] {
  const words = ["quantum", "trade", "oracle", "nova", "agent", "sentinel", "kernel", "mosaic", "zephyr", "pulse"];
  return Array.from({ length: count }, (_, i) => {
    const word = words[i % words.length]!;
    const other = words[(i * 7 + Math.floor(i / 10)) % words.length]!;
    const number = (i * 7919).toString(16);
    return [
      word.slice(i % 4, (i % 4) + 1 + (Math.floor(i / 11) % 5)),
      word + other.slice(0, 1 + (i % 3)),
      number.slice(0, 3),
      `${word} ${number.slice(0, 2)}`,
      `0x${number}`,
    ][Math.floor(i / 3) % 5]!;
  });
}

/** Waits until a list is in memory, and says how long that took and what it takes. */
export async function untilLoaded(
  memory: { ready: boolean; stats(): { readMs: number; sortMs: number; bytes: number } | undefined },
  rows: number,
): Promise<void> {
  const before = process.memoryUsage.rss();
  const began = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let held = 0;
  while (!memory.ready) {
    const used = process.threadCpuUsage();
    await new Promise((done) => setTimeout(done, 5));
    held = Math.max(held, threadMs(used));
  }
  delay.disable();
  const { readMs, sortMs, bytes } = memory.stats()!;
  console.log(
    `${rows.toLocaleString("en")} rows in memory after ${seconds(performance.now() - began)} (read ${seconds(readMs)}, sorted ${seconds(sortMs)}); ${megabytes(bytes)} of arrays, ${megabytes(process.memoryUsage.rss() - before)} more resident`,
  );
  console.log(
    `the event loop while loading: late by ${(delay.max / 1e6).toFixed(0)} ms at most, busy for ${held.toFixed(0)} ms at most in five\n`,
  );
}

function threadMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1000;
}

/** Where the page of a cell is: known when the total is. */
async function partOf<Q, P extends { total: number }>(
  { page }: Subject<Q, P>,
  { question, place }: Cell<Q>,
): Promise<Part> {
  const { total } = await page(question, { offset: 0, limit: 1 });
  const last = Math.max(0, total - LIMIT);
  return { limit: LIMIT, offset: place === "first" ? 0 : place === "last" ? last : Math.floor(last / 2) };
}

/** Milliseconds of pages: the ids, what of that this thread worked, and all with the rows. */
export type PageTimes = { ids: number[]; cpu: number[]; rows: number[] };

/** One page after the other. @returns the times of all */
export async function measurePages<Q, P extends { total: number }>(
  subject: Subject<Q, P>,
  cells: readonly Cell<Q>[],
): Promise<PageTimes> {
  for (const cell of cells.slice(0, 300)) await subject.page(cell.question, await partOf(subject, cell));
  const series = new Map<string, PageTimes>();
  for (const cell of cells) {
    const part = await partOf(subject, cell);
    const used = process.threadCpuUsage();
    const began = performance.now();
    const page = await subject.page(cell.question, part);
    const [ids, cpu] = [performance.now() - began, threadMs(used)];
    await subject.rows(page);
    const rows = performance.now() - began;
    for (const kind of ["all", `page: ${cell.place}`, ...cell.kinds]) {
      const taken = series.get(kind) ?? { ids: [], cpu: [], rows: [] };
      series.set(kind, taken);
      taken.ids.push(ids);
      taken.cpu.push(cpu);
      taken.rows.push(rows);
    }
  }
  const columns = ["ids", "CPU", "rows"].flatMap((what) =>
    SPREAD.map(([head, digits]): Column => [`${what} ${head}`, Number(digits)]),
  );
  const row = printTable(`${cells.length} pages of ${LIMIT} with their exact totals, milliseconds`, columns);
  for (const group of ["all", "page", "search", "filter", "sort"])
    for (const [kind, { ids, cpu, rows }] of [...series].filter(([name]) => name.startsWith(group)).sort())
      row(kind, ...spread(ids), ...spread(cpu), ...spread(rows));
  return series.get("all")!;
}

/** New searches: no part of their answers is kept. */
export async function searchAnew<Q, P extends { total: number }>(
  { page, searching }: Subject<Q, P>,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (const text of new Set(newSearches(count))) {
    const [ms] = await stopwatch(() => page(searching(text), { offset: 0, limit: LIMIT }));
    times.push(ms);
    // Answers from memory come without a turn of the event loop: without one here, the looks at the database would be
    // held up until memory is too old to answer, and one search would go to SQL. Requests come by turns anyway.
    await new Promise((done) => setImmediate(done));
  }
  return times;
}

/**
 * The same pages by SQL and in further ways that know the total alone; each answer is compared with the one from memory.
 * @returns milliseconds by way, and a line for each question that was not answered alike
 */
export async function askAlike<Q, P extends { total: number }>(
  subject: Subject<Q, P>,
  cells: readonly Cell<Q>[],
  further: Record<string, (question: Q, part: Part) => Promise<number>> = {},
) {
  const times: Record<string, number[]> = {};
  const wrong: string[] = [];
  const asked = async <T>(way: string, work: () => Promise<T>): Promise<T> => {
    const [ms, result] = await stopwatch(work);
    times[way] = [...(times[way] ?? []), ms];
    return result;
  };
  for (const cell of cells) {
    const part = await partOf(subject, cell);
    const page = await asked("memory", () => subject.page(cell.question, part));
    const bySql = await asked("sql", () => subject.bySql(cell.question, part));
    const totals = [];
    for (const [way, ask] of Object.entries(further)) totals.push(await asked(way, () => ask(cell.question, part)));
    if (!isDeepStrictEqual(page, bySql) || totals.some((total) => total !== page.total))
      wrong.push(`${JSON.stringify(cell.question)}: ${page.total}, by SQL ${[bySql.total, ...totals].join(", ")}`);
  }
  return { times, wrong };
}
