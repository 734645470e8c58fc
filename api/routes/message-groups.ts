/**
 * Message groups: which there are, making one, who is in it, going in and out; its messages, read, followed and sent.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { refusalAt } from "../../core/messages/message-groups.ts";
import { groupView, memberView, messageView } from "../../core/views/messages.ts";
import { accessOf, speakersOf } from "../../db/messages/message-access.ts";
import { groupById, groupMembers, listGroups } from "../../db/messages/message-groups.ts";
import { lastMessageAt, messagePage } from "../../db/messages/messages.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import { lastEventId, positionAfter } from "../http/event-stream.ts";
import { groupId, integer, limit, type MessagePlace, member, messagePlace } from "../parameters.ts";
import { pageOf } from "../reply.ts";
import * as schemas from "../schemas/messages.ts";
import { createGroup, noSuchGroup, refuse, requireReader } from "../services/message-acts.ts";

const endpoint = endpointsOf({ tag: "Messages", named: { groupId } });

/** Names a request that has an Idempotency-Key: its repetition finds the first one's effect. */
export const requestName = (key: string | undefined, fingerprint: string): string | null =>
  key === undefined ? null : hash("sha256", `${key}\n${fingerprint}`, "base64url");

export const messageGroups = endpoint({
  path: "/api/v2/messages/groups",
  operationId: "listMessageGroups",
  summary: "Message groups, private ones too, in the order of their creation",
  query: z.object({
    limit: limit({ default: 1_000, max: 1_000 }),
    after: groupId.optional().describe("`nextAfter` of the page before"),
  }),
  responses: { 200: { description: "A page of groups", schema: schemas.groupsSchema } },
  errors: ["upstream_unavailable", "timeout"],
  async handler({ deps, query: { after, limit } }, json) {
    const { rows, last } = pageOf(await listGroups(deps.db, { after, limit: limit + 1 }), limit);
    return json({ groups: rows.map(groupView), nextAfter: last?.groupId ?? null });
  },
});

export const createMessageGroup = endpoint({
  method: "post",
  path: "/api/v2/messages/groups",
  operationId: "createMessageGroup",
  summary: "Create a message group",
  description:
    "Takes an agent with a cred of 51. Its creator is its first member, by the same rules as everybody: with less cred than minCred it can neither send nor, in a private group, read.",
  guard: { caller: "siwa" },
  data: true,
  body: schemas.groupBodySchema,
  responses: { 201: { description: "The group", schema: schemas.createdGroupSchema } },
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
  summary: "A group's members, in the order of joining",
  description: "Of a private group for its members only.",
  guard: { caller: "anyoneOrSiwa" },
  data: true,
  query: z.object({
    limit: limit({ default: 50, max: 200 }),
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what: "`nextAfter` of the page before" }).optional(),
    wallet: member,
  }),
  responses: { 200: { description: "The members", schema: schemas.membersSchema } },
  errors: ["forbidden"],
  async handler({ deps, params, query, caller, now, at }, json) {
    const after = query.after ?? 0;
    const { wallet, limit } = query;
    const page = await groupMembers(deps.db, { groupId: params.groupId, after, limit: limit + 1, wallet });
    if (page === null) return noSuchGroup();
    await requireReader(deps, page.group, caller, now);
    const { rows: members, last } = pageOf(page.members, query.limit);
    const wallets = members.map(({ wallet }) => wallet);
    const speakers = await speakersOf(deps.db, wallets, at);
    return json({
      group: groupView(page.group),
      total: page.group.memberCount,
      limit: query.limit,
      members: members.map(({ wallet, joinedAt }) => memberView(wallet, joinedAt, speakers.get(wallet) ?? null)),
      nextAfter: last?.memberNumber ?? null,
    });
  },
});

/** Going in or out, by which the caller is a member afterwards or is none. */
const moving = (
  kind: "join" | "leave",
  own: { summary: string; description: string; answer: string; errors?: ["forbidden"] },
) =>
  endpoint({
    method: "post",
    path: `/api/v2/messages/groups/{groupId}/${kind}`,
    operationId: `${kind}MessageGroup`,
    summary: own.summary,
    description: own.description,
    guard: { caller: "siwa" },
    data: true,
    responses: { 200: { description: own.answer, schema: schemas.membershipSchema } },
    ...(own.errors && { errors: own.errors }),
    async handler({ deps, params, caller }, json) {
      const group = await deps.groups.move(params.groupId, kind, caller.wallet);
      return json({ success: true, group: groupView(group) });
    },
  });

export const joinGroup = moving("join", {
  summary: "Join a group",
  description: "Takes an agent with the group's minCred. A member that joins again stays one.",
  answer: "You are a member",
  errors: ["forbidden"],
});
export const leaveGroup = moving("leave", {
  summary: "Leave a group",
  description: "Any wallet may, whatever its cred. What it has sent stays. Who is no member stays none.",
  answer: "You are no member",
});

const place = (what: string) => messagePlace(what).optional();

/** The id after which messages come: that of the last message sent at a time or before it, for a time. */
const idAfter = (db: Queryable, groupId: string, after: MessagePlace | undefined) =>
  after instanceof Date ? lastMessageAt(db, groupId, { until: after }) : after;

/** The id before which messages come: the next one after the last message sent before a time, for a time. */
const idBefore = async (db: Queryable, groupId: string, before: MessagePlace | undefined) =>
  before instanceof Date ? (await lastMessageAt(db, groupId, { before })) + 1 : before;

export const messages = endpoint({
  path: "/api/v2/messages/groups/{groupId}/messages",
  operationId: "listMessages",
  summary: "A group's messages, oldest first",
  description:
    "Without `after` the newest ones; with it the next ones. Both bounds are a message's id or a time. Ids have no gaps, so that pages have neither gaps nor repeats. Of a private group for members only, whose cred still passes its gate.",
  guard: { caller: "anyoneOrSiwa" },
  query: z.object({
    limit: limit({ default: 50, max: 200 }),
    before: place("Only messages before this id or time"),
    after: place("Only messages after this id or time, beginning with the oldest of them"),
  }),
  responses: { 200: { description: "The messages", schema: schemas.messagesSchema } },
  errors: ["forbidden", "indexer_behind"],
  async handler({ deps, params, query, caller, now }, json) {
    const { db } = deps;
    const [before, after] = await Promise.all([
      idBefore(db, params.groupId, query.before),
      idAfter(db, params.groupId, query.after),
    ]);
    const page = await messagePage(db, params.groupId, { before, after, limit: query.limit });
    if (page === null) return noSuchGroup();
    await requireReader(deps, page.group, caller, now);
    return json({ group: groupView(page.group), limit: query.limit, messages: page.messages.map(messageView) });
  },
});

export const sendMessage = endpoint({
  method: "post",
  path: "/api/v2/messages/groups/{groupId}/send",
  operationId: "sendMessage",
  summary: "Send a message to a group",
  description: "Takes an agent with the group's minCred at this moment. The first message makes its sender a member.",
  guard: { caller: "siwa" },
  data: true,
  body: schemas.messageBodySchema,
  responses: { 200: { description: "The message as everybody reads it", schema: schemas.sentSchema } },
  errors: ["forbidden"],
  async handler({ deps, params, body, caller, idempotencyKey, fingerprint, at, count }, json) {
    const { wallet } = caller;
    // Checked again at the write; checked here so that a refused request uses neither the group's lock nor its limit.
    const [access] = await accessOf(deps.db, [{ groupId: params.groupId, wallet }], at);
    if (!access) return noSuchGroup();
    const request = requestName(idempotencyKey, fingerprint);
    const refusal = refusalAt(access.minCred, access.speaker, "send here");
    if (refusal && request === null) refuse(refusal);
    await count("messages", `${access.groupId}:${wallet}`);
    if (!refusal) await count("messages-of-group", access.groupId);
    await count("messages-by-day", wallet);
    const message = await deps.groups.send(access.groupId, { wallet, content: body.content, request });
    return json({ message: messageView(message) });
  },
});

export const messageStream = endpoint({
  path: "/api/v2/messages/groups/{groupId}/stream",
  operationId: "streamMessages",
  summary: "A group's messages as they come",
  description:
    "Server-Sent Events: each message is an event whose id is the message's and whose data are its JSON; the event `start` has where the stream begins, `end` why it ends. With Last-Event-ID, `lastEventId` or `after` it goes on after that message, the latest of them, otherwise it begins with the next one. Of a private group for members only; it ends when their cred falls below the gate.",
  guard: { caller: "anyoneOrSiwa" },
  stream: true,
  query: z.object({ after: place("Id of the last message seen, or a time"), lastEventId }),
  responses: { 200: { description: "The stream; it stays open", type: "text/event-stream" } },
  errors: ["forbidden", "indexer_behind"],
  async handler({ deps, params, query, caller, now, reader, response, lastEventId: header }) {
    const open = deps.streams.take(response, caller ? [reader, caller.wallet] : [reader]);
    const afterId = await idAfter(deps.db, params.groupId, query.after);
    const after = positionAfter(header, positionAfter(query.lastEventId, afterId));
    const group = (await groupById(deps.db, { groupId: params.groupId })) ?? noSuchGroup();
    await requireReader(deps, group, caller, now);
    const content = open((stream) => deps.messageStreams.follow(group, stream, { after, caller }));
    return { status: 200, type: "text/event-stream", content };
  },
});
