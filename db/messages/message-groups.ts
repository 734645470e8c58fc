/**
 * Message groups and their members: listed, created, locked and counted.
 * Bound: lists of groups and of members, pages of 1,000; a member needs an agent.
 */
import { eq } from "drizzle-orm";
import type { Address } from "../../core/agents/facts.ts";
import type { Counters } from "../../core/messages/acts.ts";
import type { Group } from "../../core/messages/message-groups.ts";
import { messageGroup } from "../schema/messages.ts";
import { orm } from "../sql/orm.ts";
import { type Queryable, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** SQL of the group `g` as one JSON object in the shape of `Group`. */
export const GROUP = `json_build_object(
  'groupId', g.group_id, 'topic', g.topic, 'description', g.description, 'minCred', g.min_cred,
  'isPublic', g.is_public, 'isDefault', g.is_default, 'memberCount', g.member_count, 'createdBy', g.created_by,
  'createdAt', ${t.isoTime("g.created_at")}, 'lastMessageId', g.last_message_id)`;

/** A page of the groups in the order of creation: those after a group, else from the first one on. */
export const listGroups = statement({
  name: "groups-list",
  given: ({ after, limit }: { after: string | undefined; limit: number }) => ({ after: after ?? null, limit }),
  params: { after: t.nullable(t.text), limit: t.int8 },
  text: `
    select ${GROUP} as group from offchain.message_group g
    where g.ordinal > coalesce((select ordinal from offchain.message_group where group_id = $after), -1)
    order by g.ordinal limit $limit`,
  columns: { group: t.json<Group>() },
  prepared: true,
}).values;

/** One group; null for an unknown id. */
export const groupById = statement({
  name: "group-by-id",
  params: { groupId: t.text },
  text: `select ${GROUP} as group from offchain.message_group g where g.group_id = $groupId`,
  columns: { group: t.json<Group>() },
  prepared: true,
}).value;

/** A group under the lock of a transaction: until it ends, no other transaction changes the group, its members or its messages. */
export type LockedGroup = Group &
  Counters & {
    /** Now, never before the group's newest message; ISO 8601. */
    at: string;
  };

const LOCK = statement({
  name: "group-lock",
  params: { groupId: t.text },
  text: `
    select ${GROUP} as group, g.last_member_number, ${t.isoTime("greatest(clock_timestamp(), g.last_message_at)")} as at
    from offchain.message_group g where g.group_id = $groupId for no key update`,
  columns: { group: t.json<Group>(), last_member_number: t.int8, at: t.text },
  prepared: true,
});

/** Locks a group; waits for the transaction that holds the lock. Null for an unknown id. */
export async function lockGroup(tx: Queryable, groupId: string): Promise<LockedGroup | null> {
  const row = await LOCK.maybeOne(tx, { groupId });
  return row && { ...row.group, lastMemberNumber: row.last_member_number, at: row.at };
}

export type NewGroup = Pick<Group, "groupId" | "topic" | "description" | "minCred" | "isPublic"> & {
  creator: Address;
  /** Hash of Idempotency-Key and request; null without a key. */
  request: string | null;
};

/** The group that an earlier request of a wallet created; null when there is none. */
export const groupByRequest = statement({
  name: "group-by-request",
  params: { creator: t.text, request: t.text },
  text: `select ${GROUP} as group from offchain.message_group g where g.created_by = $creator and g.request = $request`,
  columns: { group: t.json<Group>() },
}).value;

const INSERT = statement({
  name: "group-insert",
  params: {
    ...columnsOf(messageGroup, { only: ["groupId", "topic", "description", "minCred", "isPublic", "request"] }),
    creator: t.text,
  },
  text: `
    with g as (
      insert into offchain.message_group
        (group_id, topic, description, min_cred, is_public, created_by, request, member_count, last_member_number)
      values ($groupId, $topic, $description, $minCred, $isPublic, $creator, $request, 1, 1)
      on conflict (group_id) do nothing returning *)
    select ${GROUP} as group from g`,
  columns: { group: t.json<Group>() },
});

/** Creates a group with its creator as the only member. @returns null when a group of this id exists already */
export async function insertGroup(tx: Queryable, group: NewGroup): Promise<Group | null> {
  const inserted = await INSERT.maybeOne(tx, group);
  if (!inserted) return null;
  await insertMembers(tx, { groupId: group.groupId, members: [{ wallet: group.creator, memberNumber: 1 }] });
  return inserted.group;
}

/** How many groups a wallet has created. */
export const countGroupsOf = async (db: Queryable, creator: Address): Promise<number> =>
  await orm(db).$count(messageGroup, eq(messageGroup.createdBy, creator));

/** Adds members; their numbers are the group's next. */
export const insertMembers = statement({
  name: "group-members-insert",
  params: { groupId: t.text, members: t.records({ wallet: t.text, memberNumber: t.int8 }) },
  unlessEmpty: "members",
  text: `
    insert into offchain.group_member (group_id, wallet, member_number)
    select $groupId, wallet, member_number from $members`,
  prepared: true,
}).run;

/** Removes members; wallets that are no members are ignored. */
export const deleteMembers = statement({
  name: "group-members-delete",
  params: { groupId: t.text, wallets: t.array(t.text) },
  unlessEmpty: "wallets",
  text: "delete from offchain.group_member where group_id = $groupId and wallet = any($wallets)",
  prepared: true,
}).run;

/**
 * Stores a group's counters.
 * @param at time of its newest message; null when no message was added
 */
export const updateCounters = statement({
  name: "group-counters",
  params: {
    ...columnsOf(messageGroup, { only: ["groupId", "lastMessageId", "memberCount", "lastMemberNumber"] }),
    at: t.nullable(t.timestamptz),
  },
  text: `
    update offchain.message_group set last_message_id = $lastMessageId, member_count = $memberCount,
      last_member_number = $lastMemberNumber, last_message_at = coalesce($at, last_message_at)
    where group_id = $groupId`,
  prepared: true,
}).run;

export type Member = { wallet: Address; memberNumber: number; joinedAt: string };

/**
 * A page of a group's members in the order of joining, and the group itself; null for an unknown group.
 * @param wallet only this member
 */
export const groupMembers = statement({
  name: "group-members",
  params: { groupId: t.text, after: t.int8, limit: t.int8, wallet: t.optional(t.text) },
  text: `
    select ${GROUP} as group, (
      select coalesce(json_agg(json_build_object(
        'wallet', m.wallet, 'memberNumber', m.member_number, 'joinedAt', ${t.isoTime("m.joined_at")})
        order by m.member_number), '[]')
      from (select * from offchain.group_member where group_id = g.group_id and member_number > $after
              and ($wallet::text is null or wallet = $wallet)
            order by member_number limit $limit) m) as members
    from offchain.message_group g where g.group_id = $groupId`,
  columns: { group: t.json<Group>(), members: t.json<Member[]>() },
  prepared: true,
}).maybeOne;
