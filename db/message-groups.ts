/** Message groups and their members: listed, created, locked and counted. */
import type { Address } from "../core/facts.ts";
import type { Counters } from "../core/messaging/acts.ts";
import type { Group } from "../core/messaging/groups.ts";
import type { Queryable } from "./transaction.ts";

/** SQL of a moment as ISO 8601 with milliseconds. */
export const isoSql = (at: string) => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL of the group `g` as one JSON object in the shape of `Group`. */
export const GROUP = `json_build_object(
  'groupId', g.group_id, 'topic', g.topic, 'description', g.description, 'minCred', g.min_cred,
  'isPublic', g.is_public, 'isDefault', g.is_default, 'memberCount', g.member_count, 'createdBy', g.created_by,
  'createdAt', ${isoSql("g.created_at")}, 'lastMessageId', g.last_message_id)`;

/** A page of the groups in the order of creation: those after a group, else from the first one on. */
export async function listGroups(
  db: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Group[]> {
  const { rows } = await db.query<{ group: Group }>({
    name: "groups-list",
    text: `
      select ${GROUP} as group from offchain.message_group g
      where g.ordinal > coalesce((select ordinal from offchain.message_group where group_id = $1), -1)
      order by g.ordinal limit $2`,
    values: [after ?? null, limit],
  });
  return rows.map(({ group }) => group);
}

/** One group; null for an unknown id. */
export async function groupById(db: Queryable, groupId: string): Promise<Group | null> {
  const { rows } = await db.query<{ group: Group }>({
    name: "group-by-id",
    text: `select ${GROUP} as group from offchain.message_group g where g.group_id = $1`,
    values: [groupId],
  });
  return rows[0]?.group ?? null;
}

/** A group under the lock of a transaction: nobody else changes it, its members or its messages until that ends. */
export type LockedGroup = Group &
  Counters & {
    /** Now, never before the group's newest message; ISO 8601. */
    at: string;
  };

/** Locks a group, waiting for whoever has it; null for an unknown id. */
export async function lockGroup(tx: Queryable, groupId: string): Promise<LockedGroup | null> {
  const { rows } = await tx.query<{ group: Group; last_member_number: string; at: string }>({
    name: "group-lock",
    text: `
      select ${GROUP} as group, g.last_member_number, ${isoSql("greatest(clock_timestamp(), g.last_message_at)")} as at
      from offchain.message_group g where g.group_id = $1 for no key update`,
    values: [groupId],
  });
  const [row] = rows;
  return row ? { ...row.group, lastMemberNumber: Number(row.last_member_number), at: row.at } : null;
}

export type NewGroup = Pick<Group, "groupId" | "topic" | "description" | "minCred" | "isPublic"> & {
  creator: Address;
  /** Hash of Idempotency-Key and request; null without a key. */
  request: string | null;
};

/** The group that a request of a wallet has created before; null when there is none. */
export async function groupByRequest(db: Queryable, creator: Address, request: string): Promise<Group | null> {
  const { rows } = await db.query<{ group: Group }>(
    `select ${GROUP} as group from offchain.message_group g where g.created_by = $1 and g.request = $2`,
    [creator, request],
  );
  return rows[0]?.group ?? null;
}

/** Creates a group with its creator as the only member. @returns null when there is one of this id already */
export async function insertGroup(tx: Queryable, group: NewGroup): Promise<Group | null> {
  const { rows } = await tx.query<{ group: Group }>({
    text: `
      with g as (
        insert into offchain.message_group
          (group_id, topic, description, min_cred, is_public, created_by, request, member_count, last_member_number)
        values ($1, $2, $3, $4, $5, $6, $7, 1, 1)
        on conflict (group_id) do nothing returning *)
      select ${GROUP} as group from g`,
    values: [
      group.groupId,
      group.topic,
      group.description,
      group.minCred,
      group.isPublic,
      group.creator,
      group.request,
    ],
  });
  if (!rows[0]) return null;
  await insertMembers(tx, group.groupId, [{ wallet: group.creator, memberNumber: 1 }]);
  return rows[0].group;
}

/** How many groups a wallet has created. */
export async function countGroupsOf(db: Queryable, creator: Address): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from offchain.message_group where created_by = $1",
    [creator],
  );
  return rows[0]!.count;
}

/** Adds members; their numbers are the group's next. */
export async function insertMembers(
  tx: Queryable,
  groupId: string,
  members: readonly { wallet: Address; memberNumber: number }[],
): Promise<void> {
  if (members.length === 0) return;
  await tx.query({
    name: "group-members-insert",
    text: `
      insert into offchain.group_member (group_id, wallet, member_number)
      select $1, wallet, member_number from unnest($2::text[], $3::int8[]) as m(wallet, member_number)`,
    values: [groupId, members.map((m) => m.wallet), members.map((m) => m.memberNumber)],
  });
}

export async function deleteMembers(tx: Queryable, groupId: string, wallets: readonly Address[]): Promise<void> {
  if (wallets.length === 0) return;
  await tx.query({
    name: "group-members-delete",
    text: "delete from offchain.group_member where group_id = $1 and wallet = any($2)",
    values: [groupId, wallets],
  });
}

/** @param at of its newest message; null when none was added */
export async function updateCounters(
  tx: Queryable,
  groupId: string,
  { lastMessageId, memberCount, lastMemberNumber }: Counters,
  at: string | null,
): Promise<void> {
  await tx.query({
    name: "group-counters",
    text: `
      update offchain.message_group set last_message_id = $2, member_count = $3, last_member_number = $4,
        last_message_at = coalesce($5, last_message_at)
      where group_id = $1`,
    values: [groupId, lastMessageId, memberCount, lastMemberNumber, at],
  });
}

export type Member = { wallet: Address; memberNumber: number; joinedAt: string };

/** A page of a group's members in the order of joining, and the group itself; null for an unknown group. */
export async function groupMembers(
  db: Queryable,
  groupId: string,
  page: { after: number; limit: number },
): Promise<{ group: Group; members: Member[] } | null> {
  const { rows } = await db.query<{ group: Group; members: Member[] }>({
    name: "group-members",
    text: `
      select ${GROUP} as group, (
        select coalesce(json_agg(json_build_object(
          'wallet', m.wallet, 'memberNumber', m.member_number, 'joinedAt', ${isoSql("m.joined_at")})
          order by m.member_number), '[]')
        from (select * from offchain.group_member where group_id = g.group_id and member_number > $2
              order by member_number limit $3) m) as members
      from offchain.message_group g where g.group_id = $1`,
    values: [groupId, page.after, page.limit],
  });
  return rows[0] ?? null;
}
