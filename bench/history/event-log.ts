/** The event log over a year of one change of score a day and agent: size, and cost of telling, reading and retention. */
import type pg from "pg";
import { beginMonth, removeMonths } from "../../db/cred/cred-history-months.ts";
import { isSequencingDue, sequenceEvents } from "../../db/events/event-sequence.ts";
import { eventLog, eventsAfter } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { eventsById } from "../../db/webhooks/events-by-id.ts";
import { plantOnchain } from "../../harness/onchain.ts";
import { onchainTables } from "../../harness/onchain-tables.ts";
import { retainEvents } from "../../workers/events/event-retention.ts";
import { goal } from "../goal.ts";
import { dayOf, daysOf, FLAT, lastToSecond, nameOf, sizeMb, yearDatabase } from "./year.ts";

const READS = 1_000;
const PAGE = 100;
const DAY_MS = 86_400_000;

type Month = {
  name: string;
  mb: number;
  tellUs: number;
  pageUs: number;
  idsUs: number;
  retentionMs: number;
  vacuumMs: number;
};

/** @param retention in days */
export async function eventLogYear(agents: number, months: number, retention: number): Promise<void> {
  const { pool, end } = await yearDatabase("event-log", 2);
  const year: Month[] = [];
  try {
    await plantOnchain(pool, { ddl: onchainTables() });
    await pool.query("insert into offchain.dispatcher_state (schema, settled_block) values ('index', 1000000)");
    // Vacuum runs where it is measured, every day.
    await pool.query("alter system set autovacuum = off");
    await pool.query("select pg_reload_conf()");
    for (let month = 0; month < months; month++) year.push(await oneMonth(pool, agents, month, retention));
  } finally {
    await end();
  }
  report(year, agents, retention);
}

async function oneMonth(pool: pg.Pool, agents: number, month: number, retention: number): Promise<Month> {
  const days = daysOf(month);
  let [telling, retaining, vacuuming] = [0, 0, 0];
  for (let day = 0; day < days; day++) {
    const now = dayOf(month, day);
    await beginMonth(pool, now);
    const began = performance.now();
    await retainEvents(pool, { now, retentionMs: retention * DAY_MS });
    const removed = performance.now();
    await pool.query(
      `insert into offchain.cred_history (token_id, score, cause, block, at)
       select i, (i + $1::int) % 100, 'age', $1, $2::timestamptz from generate_series(0, $3::int - 1) i`,
      [month * 31 + day, now, agents],
    );
    while (await isSequencingDue(pool)) await transaction(pool, (tx) => sequenceEvents(tx, new Date(0)));
    const told = performance.now();
    await pool.query("vacuum analyze offchain.event");
    vacuuming += performance.now() - told;
    telling += told - removed;
    retaining += removed - began;
  }
  await removeMonths(pool, dayOf(month - 1, 0));
  const { head, keptAfter } = await eventLog(pool);
  const kept = Math.min(retention + 1, days) * agents;
  const { rows } = await pool.query("select id from offchain.event where position > $1 order by position limit $2", [
    keptAfter,
    READS,
  ]);
  const time = async (work: (n: number) => Promise<unknown>) => {
    const start = performance.now();
    for (let n = 0; n < READS; n++) await work(n);
    return ((performance.now() - start) * 1000) / READS;
  };
  const page = async (n: number) => {
    const after = keptAfter + ((n * 7_919) % (head - keptAfter - PAGE));
    const { events } = await eventsAfter(pool, { after, head, limit: PAGE, final: n % 2 === 0 });
    if (events.length !== PAGE) throw new Error(`${events.length} events after ${after}`);
  };
  if (month > 0 && head - keptAfter < kept) throw new Error(`${head - keptAfter} events are kept of ${kept}`);
  return {
    name: nameOf(month),
    mb: await sizeMb(pool, "event"),
    tellUs: (telling * 1000) / (days * agents),
    pageUs: await time(page),
    idsUs: await time((n) => eventsById(pool, [rows[n % rows.length].id])),
    retentionMs: retaining / days,
    vacuumMs: vacuuming / days,
  };
}

const FIGURES = [
  ["size, MB", (m: Month) => m.mb, 0],
  ["an event told, µs", (m: Month) => m.tellUs, 1],
  [`page of ${PAGE}, µs`, (m: Month) => m.pageUs, 0],
  ["an event by id, µs", (m: Month) => m.idsUs, 0],
  ["retention of a day, ms", (m: Month) => m.retentionMs, 1],
  ["vacuum of a day, ms", (m: Month) => m.vacuumMs, 1],
] as const;

function report(year: Month[], agents: number, retention: number): void {
  console.log(
    `event log: ${agents.toLocaleString("en")} agents, one change a day each, ${retention} days kept, fsync on\n`,
  );
  console.log(["month  ", ...FIGURES.map(([what]) => what)].join("   "));
  for (const month of year)
    console.log(
      [month.name, ...FIGURES.map(([what, of, digits]) => of(month).toFixed(digits).padStart(what.length))].join("   "),
    );
  console.log("");
  for (const [what, of] of FIGURES) {
    const ratio = lastToSecond(year.map(of));
    console.log(goal(`${what}, last to second quarter ≤ ${FLAT} ×`, `${ratio.toFixed(2)} ×`, ratio <= FLAT));
  }
}
