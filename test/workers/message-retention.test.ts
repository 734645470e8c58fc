/** Messages are kept unless the operator says for how long; then the old ones go, and nothing else. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { messagePage } from "../../db/messages.ts";
import { messageRetention } from "../../workers/jobs/message-retention.ts";
import { JOBS } from "../../workers/jobs.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  for (const group of ["general", "trading"])
    await database.pool.query(
      `with g as (update offchain.message_group set last_message_id = 5000, member_count = 1 where group_id = $1)
       insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
       select $1, n, '0x1', 'Ada', 0, 50, 'm' || n, '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 minute'
       from generate_series(1, 5000) n`,
      [group],
    );
});
afterAll(() => database?.drop());

const run = (now: string, messageRetentionMs?: number) =>
  messageRetention.run({ db: database.pool, clock: () => new Date(now), config: { messageRetentionMs } } as never, {});
const left = async (groupId: string) => {
  const page = (await messagePage(database.pool, groupId, { after: 0, limit: 10_000 }))!;
  return [page.messages.length, page.messages[0]?.messageId, page.group.lastMessageId];
};

it("keeps everything by default, deletes by age when told to, and uses no id again", async () => {
  expect(JOBS).toContain(messageRetention);
  expect(await run("2036-01-01T00:00:00Z")).toBe(0);
  expect(await left("general")).toEqual([5000, 1, 5000]);
  // A day after the message 4,100 was sent, of those that are kept for a day.
  const now = new Date(Date.parse("2026-11-01T00:00:00Z") + 4_100 * 60_000 + 86_400_000).toISOString();
  expect(await run(now, 86_400_000)).toBe(2 * 4_099);
  for (const group of ["general", "trading"]) expect(await left(group)).toEqual([901, 4100, 5000]);
  expect(await run(now, 86_400_000)).toBe(0);
  expect(await run("2036-01-01T00:00:00Z", 86_400_000)).toBe(2 * 901);
  expect(await left("general")).toEqual([0, undefined, 5000]);
});
