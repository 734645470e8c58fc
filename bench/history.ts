/**
 * `npm run bench -- history [--agents N] [--months N] [--kept N]`: the score history over a year of one change a day and
 * agent: size, cost of inserts and of queries by month, with all months kept and with a few. The last answers of both are
 * compared, so that what is removed changes none.
 */
import type pg from "pg";
import { credHeld } from "../db/cred/cred-history.ts";
import { beginMonth, removeMonths } from "../db/cred/cred-history-months.ts";
import { credUpdates } from "../db/cred/cred-updates.ts";
import { stopwatch } from "../harness/figures.ts";
import { numberAfter } from "../harness/options.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { dayOf, daysOf, printFlat, printYear, sizeMb, type Year } from "./history/year.ts";

const QUERIES = 2_000;

type Side = Year & { keptMonths: number | null; answers: (number | null)[] };

/** @param args `--agents N` (default 20,000), `--months N` (12), `--kept N` months with retention (2) */
export default async function history(args: string[]): Promise<void> {
  const [agents, months] = [numberAfter(args, "--agents") ?? 20_000, numberAfter(args, "--months") ?? 12];
  const kept = numberAfter(args, "--kept") ?? 2;
  const all: Side = { name: "all months kept", keptMonths: null, months: [], answers: [] };
  const few: Side = { name: `${kept} months kept`, keptMonths: kept, months: [], answers: [] };
  for (const side of [all, few]) await simulate(side, agents, months);
  console.log(`${agents.toLocaleString("en")} agents, one change a day each, fsync on`);
  for (const side of [all, few]) printYear(side);
  console.log("");
  printFlat(all, ["MB", "removing ms"]);
  printFlat(few, ["removing ms"]);
  if (JSON.stringify(all.answers) !== JSON.stringify(few.answers))
    throw new Error("what was removed changed an answer");
}

const simulate = (side: Side, agents: number, months: number) =>
  withPostgres("bench-history", { max: 2, schemas: "offchain" }, async ({ pool }) => {
    for (let month = 0; month < months; month++) side.months.push(await oneMonth(pool, side, agents, month));
    for (let n = 0; n < QUERIES; n++)
      side.answers.push(
        (await credHeld(pool, agentOf(n, agents), { at: dayOf(months - 1, n % 28), block: null }))?.score ?? null,
      );
  });

const agentOf = (n: number, agents: number) => (n * 7_919) % agents;

async function oneMonth(pool: pg.Pool, { keptMonths }: Side, agents: number, month: number) {
  const days = daysOf(month);
  const dayUs = await eachUs(days, async (day) => {
    await beginMonth(pool, dayOf(month, day));
    await changeScores(pool, agents, dayOf(month, day), month * 31 + day);
  });
  const [removeMs] = await stopwatch(
    async () => keptMonths !== null && removeMonths(pool, dayOf(month - keptMonths + 1, 0)),
  );
  await pool.query("vacuum analyze offchain.cred_history");
  const ask = (at: Date) => eachUs(QUERIES, (n) => credHeld(pool, agentOf(n, agents), { at, block: null }));
  const last = (await pool.query("select max(id)::int8 as id from offchain.cred_history")).rows[0].id;
  return {
    MB: await sizeMb(pool, "cred_history"),
    "µs a point": dayUs / agents,
    "score now µs": await ask(dayOf(month, days - 1)),
    // The middle of the month: within what is kept on either side.
    "two weeks ago µs": await ask(dayOf(month, 14)),
    "100 of the feed µs": await eachUs(QUERIES, () => credUpdates(pool, { after: Number(last) - 100, limit: 100 })),
    "removing ms": removeMs,
  };
}

/** A change of score of each agent. @param block where it was seen */
const changeScores = (pool: pg.Pool, agents: number, at: Date, block: number) =>
  pool.query(
    `insert into offchain.cred_history (token_id, score, cause, block, at)
     select i, (i + $1::int) % 100, 'age', $1, $2::timestamptz from generate_series(0, $3::int - 1) i`,
    [block, at, agents],
  );

/** Microseconds of a call on average. */
async function eachUs(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < times; n++) await work(n);
  return ((performance.now() - start) * 1000) / times;
}
