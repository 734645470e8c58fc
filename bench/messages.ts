/**
 * `npm run bench -- messages [--messages N] [--months N] [--kept N]`: messages of groups over a year: size, cost of sending,
 * reading and deleting by month, with all kept, with a retention, and with the table partitioned by month, which the
 * product's is not. The last pages of all three are compared, and what a retention leaves with its cutoff.
 */
import type pg from "pg";
import type { Address } from "../core/agents/facts.ts";
import type { Message } from "../core/messages/acts.ts";
import { listGroups, lockGroup, updateCounters } from "../db/messages/message-groups.ts";
import {
  deleteMessagesBefore,
  insertMessages,
  lastMessageAt,
  messagePage,
  messagesAfter,
  messagesByRequest,
} from "../db/messages/messages.ts";
import { transaction } from "../db/sql/transaction.ts";
import { goal } from "./goal.ts";
import { dayOf, daysOf, FLAT, lastToSecond, nameOf, sizeMb, yearDatabase } from "./history/year.ts";
import { median } from "./load/check.ts";
import { numberAfter } from "./synthetic/kept.ts";

const GROUPS = 5;
/** Calls behind a figure of reading. */
const QUERIES = 400;
const DAY_MS = 86_400_000;

type Month = {
  name: string;
  mb: number;
  sendUs: number;
  newestUs: number;
  afterUs: number;
  timeUs: number;
  streamUs: number;
  deleteMs: number;
};
type Side = { name: string; keptDays: number | null; partitioned: boolean; months: Month[]; answers: unknown[] };
type Load = { groups: string[]; perGroup: number; months: number };

/** @param args `--messages N` a day of all groups (default 500), `--months N` (12), `--kept N` months with retention (2) */
export default async function messages(args: string[]): Promise<void> {
  const [perDay, months] = [numberAfter(args, "--messages") ?? 500, numberAfter(args, "--months") ?? 12];
  const kept = numberAfter(args, "--kept") ?? 2;
  const sideOf = (name: string, of: { keptDays?: number; partitioned?: boolean } = {}): Side => ({
    ...{ name, keptDays: of.keptDays ?? null, partitioned: of.partitioned ?? false, months: [], answers: [] },
  });
  const sides = [
    sideOf("all kept"),
    sideOf(`${kept} months kept`, { keptDays: kept * 30 }),
    sideOf("all kept, partitioned by month", { partitioned: true }),
  ];
  await simulate(sides, { perGroup: Math.ceil(perDay / GROUPS), months });
  report(sides, perDay);
  const [first, ...others] = sides.map(({ answers }) => JSON.stringify(answers));
  if (others.some((answers) => answers !== first)) throw new Error("the sides give different pages");
}

/** Runs all sides in turn, month by month, so that they share the machine's mood. */
async function simulate(sides: readonly Side[], { perGroup, months }: Omit<Load, "groups">): Promise<void> {
  const running: (Awaited<ReturnType<typeof yearDatabase>> & { side: Side })[] = [];
  try {
    for (const side of sides) {
      const database = await yearDatabase("messages", 1);
      running.push({ side, ...database });
      if (side.partitioned) await partition(database.pool);
    }
    for (let month = 0; month < months; month++)
      for (const { side, pool } of running) {
        const groups = (await listGroups(pool, { after: undefined, limit: GROUPS })).map(({ groupId }) => groupId);
        side.months.push(await oneMonth(pool, side, { groups, perGroup, months }, month));
        if (month === months - 1) side.answers = await lastPages(pool, groups, dayOf(month, 20));
      }
  } finally {
    for (const { end } of running) await end();
  }
}

/** What a table partitioned by time needs of its keys: the time in each. */
const partition = (pool: pg.Pool) =>
  pool.query(`
    alter table offchain.message drop constraint message_group_id_message_id_pk,
      add constraint message_group_id_message_id_pk primary key (group_id, message_id, sent_at);
    drop index offchain.message_request;
    create unique index message_request on offchain.message (group_id, sender, request, sent_at) where request is not null;
    select offchain.partition_by_time('message', 'sent_at', 'month')`);

async function oneMonth(pool: pg.Pool, side: Side, { groups, perGroup }: Load, month: number): Promise<Month> {
  const days = daysOf(month);
  if (side.partitioned) await pool.query("select offchain.make_partitions('message', 'month', $1)", [dayOf(month, 0)]);
  const sends: number[] = [];
  const deletions: number[] = [];
  for (let day = 0; day < days; day++) {
    for (const groupId of groups) {
      const began = performance.now();
      await send(pool, groupId, dayOf(month, day), perGroup);
      sends.push(performance.now() - began);
    }
    if (side.keptDays === null) continue;
    const cutoff = new Date(dayOf(month, day).getTime() - side.keptDays * DAY_MS);
    const deleting = performance.now();
    if ((await deleteMessagesBefore(pool, cutoff)) > 0) deletions.push(performance.now() - deleting);
    const { rows } = await pool.query("select min(sent_at) < $1 as old from offchain.message", [cutoff]);
    if (rows[0].old) throw new Error("a message is older than the retention");
  }
  await pool.query("vacuum analyze offchain.message");
  const newest = (await messagePage(pool, groups[0]!, { limit: 1 }))!.group.lastMessageId;
  const ofMonth = (n: number) => newest - ((n * 7_919) % ((days - 1) * perGroup));
  const ofTime = (n: number) => new Date(dayOf(month, days - 1).getTime() - ((n * 7_919_000) % ((days - 1) * DAY_MS)));
  return {
    name: nameOf(month),
    mb: await sizeMb(pool, "message"),
    sendUs: (cheapest(sends) * 1000) / perGroup,
    newestUs: await time((n) => messagePage(pool, groups[n % GROUPS]!, { limit: 50 })),
    afterUs: await time((n) => messagePage(pool, groups[n % GROUPS]!, { after: ofMonth(n), limit: 50 })),
    timeUs: await time((n) => lastMessageAt(pool, groups[n % GROUPS]!, { until: ofTime(n) })),
    streamUs: await time((n) => messagesAfter(pool, groups[n % GROUPS]!, newest - 1, 200)),
    deleteMs: deletions.length > 0 ? cheapest(deletions) : 0,
  };
}

/**
 * Microseconds that nine of ten calls take at least: what a call costs, though the machine has other work. The first calls,
 * not measured, let Postgres decide on its plan.
 */
async function time(work: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 20; n++) await work(n);
  const calls: number[] = [];
  for (let n = 0; n < QUERIES; n++) {
    const start = performance.now();
    await work(n);
    calls.push((performance.now() - start) * 1000);
  }
  return cheapest(calls);
}
const cheapest = (calls: number[]) => calls.toSorted((a, b) => a - b)[Math.floor(calls.length / 10)]!;

/** One batch of a group, as api/services/message-acts.ts writes it; every third message has an Idempotency-Key. */
const send = (pool: pg.Pool, groupId: string, day: Date, count: number) =>
  transaction(pool, async (tx) => {
    const group = (await lockGroup(tx, groupId))!;
    const batch = Array.from({ length: count }, (_, n): Message & { request: string | null } => {
      const messageId = group.lastMessageId + 1 + n;
      return {
        ...{ groupId, messageId, sender: walletOf(n), senderName: "Ada", senderTokenId: n % 50, senderCred: 50 },
        content: `${"a word ".repeat(15)}${messageId}`,
        sentAt: new Date(day.getTime() + Math.floor((n * DAY_MS) / count)).toISOString(),
        request: messageId % 3 === 0 ? `0x${String(messageId).padStart(64, "0")}` : null,
      };
    });
    const keyed = batch.flatMap(({ sender, request }) => (request === null ? [] : [{ wallet: sender, request }]));
    const sent = await messagesByRequest(tx, groupId, keyed);
    if (sent.length > 0) throw new Error("a new key was found");
    const counters = { ...group, lastMessageId: group.lastMessageId + count };
    await updateCounters(tx, groupId, counters, batch.at(-1)!.sentAt);
    await insertMessages(tx, { groupId, isPublic: false }, batch);
  });

const walletOf = (n: number): Address => `0x${(n % 50).toString(16).padStart(40, "0")}`;

const lastPages = (pool: pg.Pool, groups: readonly string[], at: Date): Promise<unknown[]> =>
  Promise.all(
    groups.map(async (groupId) => {
      const { messages } = (await messagePage(pool, groupId, { limit: 200 }))!;
      const until = await lastMessageAt(pool, groupId, { until: at });
      const later = (await messagePage(pool, groupId, { after: until, limit: 200 }))!.messages;
      return { messages, until, later };
    }),
  );

const COLUMNS = [
  ["MB", "mb", 1],
  ["µs a message sent", "sendUs", 0],
  ["newest 50 µs", "newestUs", 0],
  ["50 after an id µs", "afterUs", 0],
  ["id of a time µs", "timeUs", 0],
  ["stream's read µs", "streamUs", 0],
  ["deleting a day, ms", "deleteMs", 1],
] as const;

function report(sides: readonly Side[], perDay: number): void {
  console.log(`${perDay.toLocaleString("en")} messages a day in ${GROUPS} groups, fsync on`);
  for (const { name, months } of sides) {
    console.log(`\n${name}\nmonth    ${COLUMNS.map(([head]) => head.padStart(20)).join(" ")}`);
    for (const month of months)
      console.log(
        `${month.name.padEnd(8)} ${COLUMNS.map(([, key, digits]) => month[key].toFixed(digits).padStart(20)).join(" ")}`,
      );
  }
  console.log("");
  const [all, few, parts] = sides as [Side, Side, Side];
  for (const { name, keptDays, months } of [all, few])
    for (const [what, key] of COLUMNS) {
      if (key === "deleteMs" || (key === "mb" && keptDays === null)) continue;
      const ratio = lastToSecond(months.map((month) => month[key]));
      const told = `last to second quarter ${ratio.toFixed(2)} ×, goal ≤ ${FLAT}`;
      console.log(goal(`${what}, ${name}`, told, ratio <= FLAT));
    }
  for (const [what, key] of COLUMNS) {
    if (key === "deleteMs") continue;
    const last = (side: Side) => median(side.months.slice(-3).map((month) => month[key]));
    console.log(
      `${what}, by month in place of one table: ${(last(parts) / last(all)).toFixed(2)} × in the last months`,
    );
  }
}
