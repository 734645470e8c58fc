/**
 * `npm run bench -- messages [--messages N] [--months N] [--kept N]`: messages of groups over a year: size, cost of sending,
 * reading and deleting by month, with all kept and with a retention. The last pages of both are compared, and what a
 * retention leaves with its cutoff.
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
import { quantile, stopwatch } from "../harness/figures.ts";
import { numberAfter } from "../harness/options.ts";
import { withPostgres } from "../harness/scratch-postgres.ts";
import { dayOf, daysOf, printFlat, printYear, sizeMb, type Year } from "./history/year.ts";

const GROUPS = 5;
/** Calls behind a figure of reading. */
const QUERIES = 400;
const DAY_MS = 86_400_000;

type Side = Year & { keptDays: number | null; answers: unknown[] };

/** @param args `--messages N` a day of all groups (default 500), `--months N` (12), `--kept N` months with retention (2) */
export default async function messages(args: string[]): Promise<void> {
  const [perDay, months] = [numberAfter(args, "--messages") ?? 500, numberAfter(args, "--months") ?? 12];
  const kept = numberAfter(args, "--kept") ?? 2;
  const all: Side = { name: "all kept", keptDays: null, months: [], answers: [] };
  const few: Side = { name: `${kept} months kept`, keptDays: kept * 30, months: [], answers: [] };
  const open = (work: (pool: pg.Pool) => Promise<void>) =>
    withPostgres("bench-messages", { max: 1, schemas: "offchain" }, ({ pool }) => work(pool));
  // Both in turn, month by month, so that they share the machine's mood.
  await open((one) =>
    open(async (other) => {
      for (let month = 0; month < months; month++)
        for (const [side, pool] of [
          [all, one],
          [few, other],
        ] as const) {
          const groups = (await listGroups(pool, { after: undefined, limit: GROUPS })).map(({ groupId }) => groupId);
          side.months.push(await oneMonth(pool, side, { groups, perGroup: Math.ceil(perDay / GROUPS) }, month));
          if (month === months - 1) side.answers = await lastPages(pool, groups, dayOf(month, 20));
        }
    }),
  );
  console.log(`${perDay.toLocaleString("en")} messages a day in ${GROUPS} groups, fsync on`);
  for (const side of [all, few]) printYear(side);
  console.log("");
  printFlat(all, ["MB", "deleting a day, ms"]);
  printFlat(few, ["deleting a day, ms"]);
  if (JSON.stringify(all.answers) !== JSON.stringify(few.answers)) throw new Error("the sides give different pages");
}

type Load = { groups: string[]; perGroup: number };

async function oneMonth(pool: pg.Pool, { keptDays }: Side, { groups, perGroup }: Load, month: number) {
  const days = daysOf(month);
  const sends: number[] = [];
  const deletions: number[] = [];
  for (let day = 0; day < days; day++) {
    for (const groupId of groups) {
      const [ms] = await stopwatch(() => send(pool, groupId, dayOf(month, day), perGroup));
      sends.push(ms);
    }
    if (keptDays === null) continue;
    const cutoff = new Date(dayOf(month, day).getTime() - keptDays * DAY_MS);
    const [ms, deleted] = await stopwatch(() => deleteMessagesBefore(pool, cutoff));
    if (deleted > 0) deletions.push(ms);
    const { rows } = await pool.query("select min(sent_at) < $1 as old from offchain.message", [cutoff]);
    if (rows[0].old) throw new Error("a message is older than the retention");
  }
  await pool.query("vacuum analyze offchain.message");
  const newest = (await messagePage(pool, groups[0]!, { limit: 1 }))!.group.lastMessageId;
  const groupOf = (n: number) => groups[n % GROUPS]!;
  const ofMonth = (n: number) => newest - ((n * 7_919) % ((days - 1) * perGroup));
  const ofTime = (n: number) => new Date(dayOf(month, days - 1).getTime() - ((n * 7_919_000) % ((days - 1) * DAY_MS)));
  return {
    MB: await sizeMb(pool, "message"),
    "µs a message sent": (cheapest(sends) * 1000) / perGroup,
    "newest 50 µs": await time((n) => messagePage(pool, groupOf(n), { limit: 50 })),
    "50 after an id µs": await time((n) => messagePage(pool, groupOf(n), { after: ofMonth(n), limit: 50 })),
    "id of a time µs": await time((n) => lastMessageAt(pool, groupOf(n), { until: ofTime(n) })),
    "stream's read µs": await time((n) => messagesAfter(pool, groupOf(n), newest - 1, 200)),
    "deleting a day, ms": deletions.length > 0 ? cheapest(deletions) : 0,
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
    const [ms] = await stopwatch(() => work(n));
    calls.push(ms * 1000);
  }
  return cheapest(calls);
}
const cheapest = (calls: number[]) => quantile(calls, 0.1);

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
