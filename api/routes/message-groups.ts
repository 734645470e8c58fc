/** Message groups: which there are, making one, who is in it, going in and out. */
import { hash } from "node:crypto";
import { z } from "zod";
import { groupView, memberView } from "../../core/views/messages.ts";
import { speakersOf } from "../../db/messages/message-access.ts";
import { groupMembers, listGroups } from "../../db/messages/message-groups.ts";
import { endpoint } from "../endpoint.ts";
import { groupId, integer, limit, member } from "../parameters.ts";
import {
  createdGroupSchema,
  groupBodySchema,
  groupsSchema,
  membershipSchema,
  membersSchema,
} from "../schemas/messages.ts";
import { createGroup } from "../services/create-message-group.ts";
import { noSuchGroup } from "../services/message-acts.ts";
import { requireReader } from "../services/message-readers.ts";

const params = z.object({ groupId });

/** Names a request that has an Idempotency-Key: its repetition finds the first one's effect. */
export const requestName = (key: string | undefined, fingerprint: string): string | null =>
  key === undefined ? null : hash("sha256", `${key}\n${fingerprint}`, "base64url");

export const messageGroups = endpoint({
  path: "/api/v2/messages/groups",
  operationId: "listMessageGroups",
  tag: "Messages",
  summary: "Message groups, private ones too, in the order of their creation",
  query: z.object({
    limit: limit({ default: 1_000, max: 1_000 }),
    after: groupId.optional().describe("`nextAfter` of the page before"),
  }),
  responses: { 200: { description: "A page of groups", schema: groupsSchema } },
  errors: ["upstream_unavailable", "timeout"],
  async handler({ deps, query: { after, limit } }, json) {
    // One row above the limit shows whether there is a next page.
    const page = await listGroups(deps.db, { after, limit: limit + 1 });
    const groups = page.slice(0, limit);
    return json({
      groups: groups.map(groupView),
      nextAfter: page.length > groups.length ? groups.at(-1)!.groupId : null,
    });
  },
});

export const createMessageGroup = endpoint({
  method: "post",
  path: "/api/v2/messages/groups",
  operationId: "createMessageGroup",
  tag: "Messages",
  summary: "Create a message group",
  description:
    "Takes an agent with a cred of 51. Its creator is its first member, by the same rules as everybody: with less cred than minCred it can neither send nor, in a private group, read.",
  guard: { caller: "siwa" },
  data: true,
  body: groupBodySchema,
  responses: { 201: { description: "The group", schema: createdGroupSchema } },
  errors: ["forbidden", "conflict"],
  async handler({ deps, body, caller, idempotencyKey, fingerprint, now, count }, json) {
    const group = await createGroup(deps, {
      ...body,
      description: body.description || null,
      creator: caller.wallet,
      request: requestName(idempotencyKey, fingerprint),
      now,
      allowed: () => count("groups", caller.wallet),
    });
    return json({ group: groupView(group) }, { status: 201 });
  },
});

export const groupMemberList = endpoint({
  path: "/api/v2/messages/groups/{groupId}/members",
  operationId: "listMessageGroupMembers",
  tag: "Messages",
  summary: "A group's members, in the order of joining",
  description: "Of a private group for its members only.",
  guard: { caller: "anyoneOrSiwa" },
  data: true,
  params,
  query: z.object({
    limit: limit({ default: 50, max: 200 }),
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what: "`nextAfter` of the page before" }).optional(),
    wallet: member,
  }),
  responses: { 200: { description: "The members", schema: membersSchema } },
  errors: ["not_found", "forbidden"],
  async handler({ deps, params, query, caller, now }, json) {
    const after = query.after ?? 0;
    // One row above the limit shows whether there is a next page.
    const page = await groupMembers(deps.db, params.groupId, {
      after,
      limit: query.limit + 1,
      ...(query.wallet && { wallet: query.wallet }),
    });
    if (page === null) return noSuchGroup();
    await requireReader(deps, page.group, caller, now);
    const members = page.members.slice(0, query.limit);
    const speakers = await speakersOf(
      deps.db,
      members.map(({ wallet }) => wallet),
      new Date(now),
    );
    return json({
      group: groupView(page.group),
      total: page.group.memberCount,
      limit: query.limit,
      members: members.map(({ wallet, joinedAt }) => memberView(wallet, joinedAt, speakers.get(wallet) ?? null)),
      nextAfter: page.members.length > members.length ? members.at(-1)!.memberNumber : null,
    });
  },
});

export const joinGroup = endpoint({
  method: "post",
  path: "/api/v2/messages/groups/{groupId}/join",
  operationId: "joinMessageGroup",
  tag: "Messages",
  summary: "Join a group",
  description: "Takes an agent with the group's minCred. A member that joins again stays one.",
  guard: { caller: "siwa" },
  data: true,
  params,
  responses: { 200: { description: "You are a member", schema: membershipSchema } },
  errors: ["not_found", "forbidden"],
  async handler({ deps, params, caller }, json) {
    const group = await deps.groups.move(params.groupId, "join", caller.wallet);
    return json({ success: true, group: groupView(group) });
  },
});

export const leaveGroup = endpoint({
  method: "post",
  path: "/api/v2/messages/groups/{groupId}/leave",
  operationId: "leaveMessageGroup",
  tag: "Messages",
  summary: "Leave a group",
  description: "Any wallet may, whatever its cred. What it has sent stays. Who is no member stays none.",
  guard: { caller: "siwa" },
  data: true,
  params,
  responses: { 200: { description: "You are no member", schema: membershipSchema } },
  errors: ["not_found"],
  async handler({ deps, params, caller }, json) {
    const group = await deps.groups.move(params.groupId, "leave", caller.wallet);
    return json({ success: true, group: groupView(group) });
  },
});
