/**
 * `npm run bench -- history [--agents N] [--months N] [--kept N] [--events N]`: the score history over a year of one change a day and
 * agent: size, cost of inserts and of queries by month, with all months kept and with a few. The last answers of both are
 * compared, so that what is removed changes none. Then the event log over the same year; `--only-events` for it alone.
 */
import type pg from "pg";
import { credHeld } from "../db/cred/cred-history.ts";
import { beginMonth, removeMonths } from "../db/cred/cred-history-months.ts";
import { credUpdates } from "../db/cred/cred-updates.ts";
import { eventLogYear } from "./history/event-log.ts";
import { dayOf, daysOf, FLAT, lastToSecond, nameOf, sizeMb, yearDatabase } from "./history/year.ts";
import { numberAfter } from "./synthetic/kept.ts";

const QUERIES = 2_000;

type Month = {
  name: string;
  mb: number;
  insertUs: number;
  heldUs: number;
  pastUs: number;
  feedUs: number;
  removeMs: number;
};
type Side = { name: string; keptMonths: number | null; months: Month[]; answers: (number | null)[] };

/** @param args `--agents N` (default 20,000), `--months N` (12), `--kept N` months with retention (2), `--events N` days (7) */
export default async function history(args: string[]): Promise<void> {
  const [agents, months] = [numberAfter(args, "--agents") ?? 20_000, numberAfter(args, "--months") ?? 12];
  const [kept, events] = [numberAfter(args, "--kept") ?? 2, numberAfter(args, "--events") ?? 7];
  if (!args.includes("--only-events")) await scores(agents, months, kept);
  await eventLogYear(agents, months, events);
}

async function scores(agents: number, months: number, kept: number): Promise<void> {
  const all: Side = { name: "all months kept", keptMonths: null, months: [], answers: [] };
  const few: Side = { name: `${kept} months kept`, keptMonths: kept, months: [], answers: [] };
  for (const side of [all, few]) await simulate(side, agents, months);
  report(all, few, agents);
  if (JSON.stringify(all.answers) !== JSON.stringify(few.answers))
    throw new Error("what was removed changed an answer");
}

async function simulate(side: Side, agents: number, months: number): Promise<void> {
  const { pool, end } = await yearDatabase("history", 2);
  try {
    for (let month = 0; month < months; month++) side.months.push(await oneMonth(pool, side, agents, month));
    for (let n = 0; n < QUERIES; n++)
      side.answers.push(
        (await credHeld(pool, agentOf(n, agents), { at: dayOf(months - 1, n % 28), block: null }))?.score ?? null,
      );
  } finally {
    await end();
  }
}

const agentOf = (n: number, agents: number) => (n * 7_919) % agents;

async function oneMonth(pool: pg.Pool, { keptMonths }: Side, agents: number, month: number): Promise<Month> {
  const days = daysOf(month);
  const began = performance.now();
  for (let day = 0; day < days; day++) {
    await beginMonth(pool, dayOf(month, day));
    await pool.query(
      `insert into offchain.cred_history (token_id, score, cause, block, at)
       select i, (i + $1::int) % 100, 'age', $1, $2::timestamptz from generate_series(0, $3::int - 1) i`,
      [month * 31 + day, dayOf(month, day), agents],
    );
  }
  const insertUs = ((performance.now() - began) * 1000) / (days * agents);
  const removing = performance.now();
  if (keptMonths !== null) await removeMonths(pool, dayOf(month - keptMonths + 1, 0));
  const removeMs = performance.now() - removing;
  await pool.query("vacuum analyze offchain.cred_history");
  const time = async (work: (n: number) => Promise<unknown>) => {
    const start = performance.now();
    for (let n = 0; n < QUERIES; n++) await work(n);
    return ((performance.now() - start) * 1000) / QUERIES;
  };
  const ask = (at: Date) => time((n) => credHeld(pool, agentOf(n, agents), { at, block: null }));
  const last = (await pool.query("select max(id)::int8 as id from offchain.cred_history")).rows[0].id;
  return {
    name: nameOf(month),
    mb: await sizeMb(pool, "cred_history"),
    ...{ insertUs, removeMs },
    heldUs: await ask(dayOf(month, days - 1)),
    // The middle of the month: within what is kept on either side.
    pastUs: await ask(dayOf(month, 14)),
    feedUs: await time(() => credUpdates(pool, { after: Number(last) - 100, limit: 100 })),
  };
}

function report(all: Side, few: Side, agents: number): void {
  console.log(`${agents.toLocaleString("en")} agents, one change a day each, fsync on\n`);
  for (const { name, months } of [all, few]) {
    console.log(
      `${name}\nmonth          MB   µs a point   score now µs   two weeks ago µs   100 of the feed µs   removing ms`,
    );
    for (const m of months) {
      const cells = [m.mb.toFixed(0).padStart(8), m.insertUs.toFixed(1).padStart(12), m.heldUs.toFixed(0).padStart(14)];
      cells.push(
        m.pastUs.toFixed(0).padStart(18),
        m.feedUs.toFixed(0).padStart(20),
        m.removeMs.toFixed(0).padStart(13),
      );
      console.log(`${m.name} ${cells.join(" ")}`);
    }
    console.log("");
  }
  for (const [what, of] of [
    ["size", (m: Month) => m.mb],
    ["insert", (m: Month) => m.insertUs],
    ["score now", (m: Month) => m.heldUs],
    ["score two weeks ago", (m: Month) => m.pastUs],
    ["feed", (m: Month) => m.feedUs],
  ] as const)
    for (const { name, months } of [all, few]) {
      const ratio = lastToSecond(months.map(of));
      const goal =
        name === few.name || what !== "size" ? `goal ≤ ${FLAT} ×   ${ratio <= FLAT ? "met" : "NOT met"}` : "";
      console.log(
        `${`${what}, ${name}`.padEnd(40)} last to second quarter ${ratio.toFixed(2).padStart(6)} ×   ${goal}`,
      );
    }
}
