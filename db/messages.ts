/** Messages of groups: read in pages and onwards, added under the group's lock, announced, and deleted by age where that is wanted. */
import type pg from "pg";
import { checksum } from "../core/addresses.ts";
import type { Address } from "../core/facts.ts";
import type { Message } from "../core/messaging/acts.ts";
import type { Group } from "../core/messaging/groups.ts";
import { appendEvents, type NewEvent } from "./append-events.ts";
import { GROUP, isoSql } from "./message-groups.ts";
import { type Queryable, transaction } from "./transaction.ts";

/**
 * Announces how far groups have got; the payload is `<group id> <id of its newest message>` and carries no message:
 * whoever hears it reads the rows, and whoever misses it finds the same number in the group's row.
 */
export const MESSAGES_CHANNEL = "messages";

/** SQL of the message `m` as one JSON object in the shape of `Message`. */
const MESSAGE = `json_build_object(
  'groupId', m.group_id, 'messageId', m.message_id, 'sender', m.sender, 'senderName', m.sender_name,
  'senderTokenId', m.sender_token_id, 'senderCred', m.sender_cred, 'content', m.content,
  'sentAt', ${isoSql("m.sent_at")})`;

/** Which messages of a group: the oldest after an id, else the newest, in either case before another id. */
export type PageOf = { after?: number | undefined; before?: number | undefined; limit: number };

const pageSql = (order: "asc" | "desc") => `
  select ${GROUP} as group, (
    select coalesce(json_agg(${MESSAGE} order by m.message_id), '[]')
    from (select * from offchain.message
          where group_id = g.group_id and message_id > $2 and message_id < $3
          order by message_id ${order} limit $4) m) as messages
  from offchain.message_group g where g.group_id = $1`;
const OLDEST_FIRST = pageSql("asc");
const NEWEST_FIRST = pageSql("desc");

/** A page of messages, oldest first, with their group as of the same moment; null for an unknown group. */
export async function messagePage(
  db: Queryable,
  groupId: string,
  { after, before = Number.MAX_SAFE_INTEGER, limit }: PageOf,
): Promise<{ group: Group; messages: Message[] } | null> {
  const { rows } = await db.query<{ group: Group; messages: Message[] }>({
    ...(after === undefined
      ? { name: "messages-newest", text: NEWEST_FIRST }
      : { name: "messages-after", text: OLDEST_FIRST }),
    values: [groupId, after ?? 0, before, limit],
  });
  return rows[0] ?? null;
}

/**
 * Halves the ids between the oldest message kept and the newest until it has the last one sent `op` a time: messages are
 * in the order of their times, and ids have no gaps. About 20 look-ups by key for a million messages.
 */
const lastSql = (op: "<" | "<=") => `
  with recursive search(low, high) as (
    select coalesce((select min(m.message_id) from offchain.message m where m.group_id = $1) - 1, g.last_message_id),
           g.last_message_id + 1
    from offchain.message_group g where g.group_id = $1
    union all
    select case when passed then mid else low end, case when passed then high else mid end
    from (
      select s.low, s.high, (s.low + s.high) / 2 as mid,
             coalesce((select m.sent_at ${op} $2 from offchain.message m
                       where m.group_id = $1 and m.message_id = (s.low + s.high) / 2), true) as passed
      from search s where s.high - s.low > 1) half)
  select max(low)::int8 as id from search`;
const LAST_BEFORE = lastSql("<");
const LAST_UNTIL = lastSql("<=");

/** Id of the last message of a group that was sent before a time, or until it; 0 for none and for an unknown group. */
export async function lastMessageAt(
  db: Queryable,
  groupId: string,
  time: { before: Date } | { until: Date },
): Promise<number> {
  const { rows } = await db.query<{ id: string | null }>({
    ...("before" in time
      ? { name: "messages-last-before", text: LAST_BEFORE, values: [groupId, time.before] }
      : { name: "messages-last-until", text: LAST_UNTIL, values: [groupId, time.until] }),
  });
  return Number(rows[0]?.id ?? 0);
}

/** The messages of a group after an id, oldest first. */
export async function messagesAfter(db: Queryable, groupId: string, after: number, limit: number): Promise<Message[]> {
  const { rows } = await db.query<{ message: Message }>({
    name: "messages-onwards",
    text: `
      select ${MESSAGE} as message from offchain.message m
      where m.group_id = $1 and m.message_id > $2 order by m.message_id limit $3`,
    values: [groupId, after, limit],
  });
  return rows.map(({ message }) => message);
}

/** How far each of these groups has got. */
export async function newestMessages(db: Queryable, groupIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ group_id: string; last_message_id: string }>({
    name: "messages-newest-ids",
    text: "select group_id, last_message_id from offchain.message_group where group_id = any($1)",
    values: [groupIds],
  });
  return new Map(rows.map((row) => [row.group_id, Number(row.last_message_id)]));
}

/** The messages that these requests have sent before, each with its request. */
export async function messagesByRequest(
  tx: Queryable,
  groupId: string,
  requests: readonly { wallet: Address; request: string }[],
): Promise<{ request: string; message: Message }[]> {
  if (requests.length === 0) return [];
  const { rows } = await tx.query<{ request: string; message: Message }>({
    name: "messages-by-request",
    text: `
      select m.request, ${MESSAGE} as message
      from unnest($2::text[], $3::text[]) as asked(wallet, request)
      join offchain.message m on m.group_id = $1 and m.sender = asked.wallet and m.request = asked.request`,
    values: [groupId, requests.map((r) => r.wallet), requests.map((r) => r.request)],
  });
  return rows;
}

/** Adds messages under their group's lock, and announces them with the commit; those of a public group to everybody. */
export async function insertMessages(
  tx: Queryable,
  { groupId, isPublic }: Pick<Group, "groupId" | "isPublic">,
  messages: readonly (Message & { request: string | null })[],
): Promise<void> {
  if (messages.length === 0) return;
  const column = <K extends keyof (typeof messages)[number]>(key: K) => messages.map((m) => m[key]);
  await tx.query({
    name: "messages-insert",
    text: `
      insert into offchain.message
        (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at, request)
      select $1, m.* from unnest($2::int8[], $3::text[], $4::text[], $5::int8[], $6::int2[], $7::text[],
        $8::timestamptz[], $9::text[]) as m`,
    values: [
      groupId,
      column("messageId"),
      column("sender"),
      column("senderName"),
      column("senderTokenId"),
      column("senderCred"),
      column("content"),
      column("sentAt"),
      column("request"),
    ],
  });
  await tx.query("select pg_notify($1, $2)", [MESSAGES_CHANNEL, `${groupId} ${messages.at(-1)!.messageId}`]);
  if (isPublic) await appendEvents(tx, messages.map(sentNote));
}

const sentNote = ({ groupId, messageId, sender, senderTokenId, sentAt }: Message): NewEvent => ({
  type: "message.sent",
  data: { groupId, messageId, senderAddress: checksum(sender) },
  fact: `${groupId} ${messageId} ${sentAt}`,
  tokenId: senderTokenId,
  at: new Date(sentAt),
});

/** So many rows are deleted in one transaction: locks are held for a fraction of a second. */
const DELETE_SIZE = 2_000;

/**
 * Deletes what was sent before a moment, group by group from the oldest on. Ids are not used again.
 * @returns how many messages went
 */
export async function deleteMessagesBefore(db: pg.Pool, before: Date): Promise<number> {
  const { rows } = await db.query<{ group_id: string }>("select group_id from offchain.message_group order by ordinal");
  let deleted = 0;
  for (const { group_id } of rows) {
    for (;;) {
      const count = await transaction(db, async (tx) => {
        // A group's messages are in the order of their times: the old ones are its first ones.
        const { rowCount } = await tx.query(
          `delete from offchain.message where group_id = $1 and sent_at < $2 and message_id <= (
             select max(message_id) from (
               select message_id from offchain.message where group_id = $1 order by message_id limit ${DELETE_SIZE}) m)`,
          [group_id, before],
        );
        return rowCount ?? 0;
      });
      deleted += count;
      if (count < DELETE_SIZE) break;
    }
  }
  return deleted;
}
