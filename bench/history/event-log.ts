/** The event log over a year of one change of score a day and agent: size, and cost of appending, reading and retention. */
import type pg from "pg";
import { beginMonth, removeMonths } from "../../db/cred/cred-history-months.ts";
import { isSequencingDue, sequenceEvents } from "../../db/events/event-sequence.ts";
import { eventLog, eventsAfter, eventsById } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { withPostgres } from "../../harness/scratch-postgres.ts";
import { retainEvents } from "../../workers/events/event-retention.ts";
import { changeScores, dayOf, daysOf, eachUs, printFlat, printYear, sizeMb, type Year } from "./year.ts";

const READS = 1_000;
const PAGE = 100;
const DAY_MS = 86_400_000;

/** @param retention in days */
export async function eventLogYear(agents: number, months: number, retention: number): Promise<void> {
  const year: Year = { name: "event log", months: [] };
  await withPostgres("bench-event-log", { max: 2, schemas: "both" }, async ({ pool }) => {
    await pool.query("insert into offchain.dispatcher_state (schema, settled_block) values ('index', 1000000)");
    // Vacuum runs where it is measured, every day.
    await pool.query("alter system set autovacuum = off");
    await pool.query("select pg_reload_conf()");
    for (let month = 0; month < months; month++) year.months.push(await oneMonth(pool, agents, month, retention));
  });
  console.log(
    `\nevent log: ${agents.toLocaleString("en")} agents, one change a day each, ${retention} days kept, fsync on`,
  );
  printYear(year);
  console.log("");
  printFlat(year);
}

async function oneMonth(pool: pg.Pool, agents: number, month: number, retention: number) {
  const days = daysOf(month);
  let [appending, retaining, vacuuming] = [0, 0, 0];
  for (let day = 0; day < days; day++) {
    const now = dayOf(month, day);
    await beginMonth(pool, now);
    const began = performance.now();
    await retainEvents(pool, { now, retentionMs: retention * DAY_MS });
    const removed = performance.now();
    await changeScores(pool, agents, now, month * 31 + day);
    while (await isSequencingDue(pool)) await transaction(pool, (tx) => sequenceEvents(tx, new Date(0)));
    const appended = performance.now();
    await pool.query("vacuum analyze offchain.event");
    vacuuming += performance.now() - appended;
    appending += appended - removed;
    retaining += removed - began;
  }
  await removeMonths(pool, dayOf(month - 1, 0));
  const { head, keptAfter } = await eventLog(pool);
  const kept = Math.min(retention + 1, days) * agents;
  const { rows } = await pool.query("select id from offchain.event where position > $1 order by position limit $2", [
    keptAfter,
    READS,
  ]);
  const page = async (n: number) => {
    const after = keptAfter + ((n * 7_919) % (head - keptAfter - PAGE));
    const { events } = await eventsAfter(pool, { after, head, limit: PAGE, final: n % 2 === 0 });
    if (events.length !== PAGE) throw new Error(`${events.length} events after ${after}`);
  };
  if (month > 0 && head - keptAfter < kept) throw new Error(`${head - keptAfter} events are kept of ${kept}`);
  return {
    "size, MB": await sizeMb(pool, "event"),
    "an event appended, µs": (appending * 1000) / (days * agents),
    [`page of ${PAGE}, µs`]: await eachUs(READS, page),
    "an event by id, µs": await eachUs(READS, (n) => eventsById(pool, [rows[n % rows.length].id])),
    "retention of a day, ms": retaining / days,
    "vacuum of a day, ms": vacuuming / days,
  };
}
