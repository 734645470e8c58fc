/** Creates a group: checks the creator, derives the id, and makes one group for repeated requests. */
import type { Address } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import {
  CREATOR_MIN_CRED,
  GROUPS_PER_CREATOR,
  type Group,
  groupIdOf,
  refusalAt,
} from "../../core/messages/message-groups.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { speakersOf } from "../../db/messages/message-access.ts";
import { countGroupsOf, groupByRequest, insertGroup } from "../../db/messages/message-groups.ts";
import { type Queryable, transaction } from "../../db/sql/transaction.ts";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "./message-acts.ts";

export type GroupRequest = Pick<Group, "topic" | "description" | "minCred" | "isPublic"> & {
  creator: Address;
  /** Names repetitions of the request; null without an Idempotency-Key. */
  request: string | null;
  now: number;
  /** Called after all other checks: only the caller's limit can still refuse. @throws Failure rate_limited */
  allowed(): Promise<void>;
};

/**
 * Check then write: the creator's score and number of groups, then the group; the score may fall, the id be taken: the
 * agent's advisory lock, checked again, unique id. A wallet whose own agent changes in between may create one group
 * more.
 * @throws Failure invalid_input, forbidden, conflict, rate_limited
 */
export async function createGroup({ db }: Pick<ApiDeps, "db">, asked: GroupRequest): Promise<Group> {
  const { creator, request, now } = asked;
  const groupId = groupIdOf(asked.topic);
  if (groupId === null)
    return fail("invalid_input", "The topic has no letter a to z and no digit, so no id can be made of it.", {
      details: [{ path: "topic", message: "must have a letter a to z or a digit" }],
    });
  const before = request === null ? null : await groupByRequest(db, { creator, request });
  if (before) return before;
  const { tokenId } = await requireCreator(db, creator, now);
  await asked.allowed();
  return transaction(db, async (tx) => {
    // Serialises the creations of one agent, because its groups are counted.
    await lockAgentWrites(tx, tokenId);
    await requireCreator(tx, creator, now);
    if ((await countGroupsOf(tx, creator)) >= GROUPS_PER_CREATOR)
      fail("conflict", `This wallet has created ${GROUPS_PER_CREATOR} groups; it can create no more.`);
    const group = await insertGroup(tx, { ...asked, groupId });
    if (group) return group;
    // The second of two equal concurrent requests ends here.
    const twin = request === null ? null : await groupByRequest(tx, { creator, request });
    return (
      twin ??
      fail("conflict", `There is a group with the id "${groupId}" already.`, {
        hint: `POST /api/v2/messages/groups/${groupId}/join joins it. Topics that differ only in case or in characters other than a to z and 0 to 9 are one topic.`,
      })
    );
  });
}

/** The creator's agent. @throws Failure forbidden */
async function requireCreator(db: Queryable, creator: Address, now: number) {
  const speaker = (await speakersOf(db, [creator], new Date(now))).get(creator) ?? null;
  const refusal = refusalAt(CREATOR_MIN_CRED, speaker, "create a group");
  if (refusal) refuse(refusal);
  return speaker!;
}
