/** Messages are kept unless the operator says for how long; then the old ones go, and nothing else. */
import { beforeAll, expect, it } from "vitest";
import { messagePage } from "../../db/messages/messages.ts";
import { JOBS } from "../../workers/jobs.ts";
import { messageRetention } from "../../workers/messages/message-retention.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const database = perFile(testDatabase);
beforeAll(async () => {
  for (const group of ["general", "trading"])
    await database.pool.query(
      `with g as (update offchain.message_group set last_message_id = 5000, member_count = 1 where group_id = $1)
       insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
       select $1, n, '0x1', 'Ada', 0, 50, 'm' || n, '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 minute'
       from generate_series(1, 5000) n`,
      [group],
    );
});

/** Runs the job when the messages that were sent before a time are older than it keeps. */
const run = async (before: string | null) => {
  const { rows } = await database.pool.query("select clock_timestamp() as now");
  const messageRetentionMs = before === null ? undefined : rows[0].now.getTime() - Date.parse(before);
  return messageRetention.run({ db: database.pool, config: { messageRetentionMs } } as never, {});
};
const left = async (groupId: string) => {
  const page = (await messagePage(database.pool, groupId, { after: 0, limit: 10_000 }))!;
  return [page.messages.length, page.messages[0]?.messageId, page.group.lastMessageId];
};
const newest = async (limit: number, before?: number) => {
  const ids = (await messagePage(database.pool, "general", { limit, before }))!.messages.map((m) => m.messageId);
  return ids.length > 0 ? [ids.length, ids[0], ids.at(-1)] : [0];
};

it("keeps everything by default, deletes by age when told to, and uses no id again", async () => {
  expect(JOBS).toContain(messageRetention);
  expect(await run(null)).toBe(0);
  expect(await left("general")).toEqual([5000, 1, 5000]);
  // Half a minute before the message 4,100 was sent.
  const before = new Date(Date.parse("2026-11-01T00:00:00Z") + 4_099.5 * 60_000).toISOString();
  expect(await run(before)).toBe(2 * 4_099);
  for (const group of ["general", "trading"]) expect(await left(group)).toEqual([901, 4100, 5000]);
  expect(await run(before)).toBe(0);
  expect([await newest(10_000), await newest(50)]).toEqual([
    [901, 4100, 5000],
    [50, 4951, 5000],
  ]);
  expect([await newest(50, 4105), await newest(50, 4100)]).toEqual([[5, 4100, 4104], [0]]);
  expect(await run("2026-11-05T00:00:00Z")).toBe(2 * 901);
  expect(await left("general")).toEqual([0, undefined, 5000]);
});
