/** Messages of groups: read in pages, added under the group's lock, announced by NOTIFY, and deleted by age when retention is configured. */
import { asc } from "drizzle-orm";
import type pg from "pg";
import { checksum } from "../../core/addresses.ts";
import type { Message } from "../../core/messages/acts.ts";
import type { Group } from "../../core/messages/message-groups.ts";
import { appendEvents, type NewEvent } from "../events/append-events.ts";
import { message, messageGroup } from "../schema/messages.ts";
import { orm } from "../sql/orm.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";
import { type Queryable, transaction } from "../sql/transaction.ts";
import { GROUP } from "./message-groups.ts";

/**
 * NOTIFY channel of new messages. The payload is `<group id> <id of the group's newest message>` and carries no message:
 * a listener reads the rows, and a listener that missed a notification finds the same id in the group's row.
 */
export const MESSAGES_CHANNEL = "messages";

/** SQL of the message `m` as one JSON object in the shape of `Message`. */
const MESSAGE = `json_build_object(
  'groupId', m.group_id, 'messageId', m.message_id, 'sender', m.sender, 'senderName', m.sender_name,
  'senderTokenId', m.sender_token_id, 'senderCred', m.sender_cred, 'content', m.content,
  'sentAt', ${t.isoTime("m.sent_at")})`;

/** Which messages of a group: the oldest after an id, else the newest, in either case before another id. */
export type PageOf = { after?: number | undefined; before?: number | undefined; limit: number };

const pageStatement = (name: string, page: string) =>
  statement({
    name,
    params: { groupId: t.text, after: t.int8, before: t.int8, limit: t.int8 },
    text: `
      select ${GROUP} as group, (
        select coalesce(json_agg(${MESSAGE} order by m.message_id), '[]')
        from (select * from offchain.message where group_id = g.group_id and message_id < $before and ${page}) m) as messages
      from offchain.message_group g where g.group_id = $groupId`,
    columns: { group: t.json<Group>(), messages: t.json<Message[]>() },
    prepared: true,
  });
const OLDEST_FIRST = pageStatement("messages-after", "message_id > $after order by message_id limit $limit");
/** Ids have no gaps, so the newest messages are a range; with an order and a limit instead, Postgres would plan each call again. */
const NEWEST_FIRST = pageStatement(
  "messages-newest",
  "message_id > $after and message_id >= least($before, g.last_message_id + 1) - $limit",
);

/** A page of messages, oldest first, with their group as of the same moment; null for an unknown group. */
export const messagePage = (
  db: Queryable,
  groupId: string,
  { after, before = Number.MAX_SAFE_INTEGER, limit }: PageOf,
): Promise<{ group: Group; messages: Message[] } | null> =>
  (after === undefined ? NEWEST_FIRST : OLDEST_FIRST).maybeOne(db, { groupId, after: after ?? 0, before, limit });

/**
 * Binary search over the message ids between the oldest stored message and the newest, for the last one with
 * `sent_at` `op` a time: messages are in the order of their times, and ids have no gaps. About 20 look-ups by key for a
 * million messages.
 */
const lastStatement = (name: string, op: "<" | "<=") =>
  statement({
    name,
    params: { groupId: t.text, at: t.timestamptz },
    text: `
      with recursive search(low, high) as (
        select coalesce((select min(m.message_id) from offchain.message m where m.group_id = $groupId) - 1, g.last_message_id),
               g.last_message_id + 1
        from offchain.message_group g where g.group_id = $groupId
        union all
        select case when passed then mid else low end, case when passed then high else mid end
        from (
          select s.low, s.high, (s.low + s.high) / 2 as mid,
                 coalesce((select m.sent_at ${op} $at from offchain.message m
                           where m.group_id = $groupId and m.message_id = (s.low + s.high) / 2), true) as passed
          from search s where s.high - s.low > 1) half)
      select max(low)::int8 as id from search`,
    columns: { id: t.nullable(t.int8) },
    prepared: true,
  });
const LAST_BEFORE = lastStatement("messages-last-before", "<");
const LAST_UNTIL = lastStatement("messages-last-until", "<=");

/** Id of the last message of a group that was sent before a time, or until it; 0 for none and for an unknown group. */
export async function lastMessageAt(
  db: Queryable,
  groupId: string,
  time: { before: Date } | { until: Date },
): Promise<number> {
  const { id } = await ("before" in time
    ? LAST_BEFORE.one(db, { groupId, at: time.before })
    : LAST_UNTIL.one(db, { groupId, at: time.until }));
  return id ?? 0;
}

/** The messages of a group after an id, oldest first. */
export const messagesAfter = statement({
  name: "messages-onwards",
  params: { groupId: t.text, after: t.int8, limit: t.int8 },
  text: `
    select ${MESSAGE} as message from offchain.message m
    where m.group_id = $groupId and m.message_id > $after order by m.message_id limit $limit`,
  columns: { message: t.json<Message>() },
  prepared: true,
}).values;

const NEWEST_IDS = statement({
  name: "messages-newest-ids",
  params: { groupIds: t.array(t.text) },
  text: "select group_id, last_message_id from offchain.message_group where group_id = any($groupIds)",
  columns: { group_id: t.text, last_message_id: t.int8 },
  prepared: true,
});

/** Id of the newest message of each of these groups. */
export async function newestMessages(db: Queryable, groupIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await NEWEST_IDS.rows(db, { groupIds });
  return new Map(rows.map((row) => [row.group_id, row.last_message_id]));
}

/** The messages that earlier requests of these keys sent, each with its request. */
export const messagesByRequest = statement({
  name: "messages-by-request",
  params: { groupId: t.text, requests: t.records({ wallet: t.text, request: t.text }) },
  unlessEmpty: "requests",
  text: `
    select m.request, ${MESSAGE} as message
    from $requests join offchain.message m
      on m.group_id = $groupId and m.sender = requests.wallet and m.request = requests.request`,
  columns: { request: t.filtered(t.text), message: t.json<Message>() },
  prepared: true,
}).rows;

const SENT = columnsOf(message, { without: ["groupId"] });
const INSERT = statement({
  name: "messages-insert",
  params: {
    groupId: t.text,
    messages: t.records(SENT),
  },
  text: `insert into offchain.message (group_id, ${t.namesOf(SENT)}) select $groupId, messages.* from $messages`,
  prepared: true,
});

const ANNOUNCE = statement({
  name: "messages-announce",
  params: { payload: t.text },
  text: `select pg_notify('${MESSAGES_CHANNEL}', $payload)`,
  columns: { pg_notify: t.pgType<string>("void") },
});

/**
 * Adds messages under their group's lock. NOTIFY announces them at commit; those of a public group go into the event
 * log too.
 */
export async function insertMessages(
  tx: Queryable,
  { groupId, isPublic }: Pick<Group, "groupId" | "isPublic">,
  messages: readonly (Message & { request: string | null })[],
): Promise<void> {
  if (messages.length === 0) return;
  await INSERT.run(tx, { groupId, messages });
  await ANNOUNCE.run(tx, { payload: `${groupId} ${messages.at(-1)!.messageId}` });
  if (isPublic) await appendEvents(tx, messages.map(sentEvent));
}

const sentEvent = ({ groupId, messageId, sender, senderTokenId, sentAt }: Message): NewEvent => ({
  type: "message.sent",
  data: { groupId, messageId, senderAddress: checksum(sender) },
  fact: `${groupId} ${messageId} ${sentAt}`,
  tokenId: senderTokenId,
  at: new Date(sentAt),
});

/** Max rows deleted per transaction; keeps locks under a second. */
const DELETE_SIZE = 2_000;

/** Messages of a group are in the order of their times: the old ones are its first ones. */
const DELETE_OLDEST = statement({
  name: "messages-delete-oldest",
  params: { groupId: t.text, before: t.timestamptz },
  text: `
    delete from offchain.message where group_id = $groupId and sent_at < $before and message_id <= (
      select max(message_id) from (
        select message_id from offchain.message where group_id = $groupId order by message_id limit ${DELETE_SIZE}) m)`,
});

/**
 * Deletes messages sent before a time, group by group from the oldest on. Ids are not used again.
 * @returns number of deleted messages
 */
export async function deleteMessagesBefore(db: pg.Pool, before: Date): Promise<number> {
  const groups = await orm(db)
    .select({ groupId: messageGroup.groupId })
    .from(messageGroup)
    .orderBy(asc(messageGroup.ordinal));
  let deleted = 0;
  for (const { groupId } of groups) {
    for (;;) {
      const count = await transaction(db, (tx) => DELETE_OLDEST.run(tx, { groupId, before }));
      deleted += count;
      if (count < DELETE_SIZE) break;
    }
  }
  return deleted;
}
