/** Messages of a group: read in pages, followed as a stream, and sent. */
import { z } from "zod";
import { refusalAt } from "../../core/messages/message-groups.ts";
import { groupView, messageView } from "../../core/views/messages.ts";
import { accessOf } from "../../db/messages/message-access.ts";
import { groupById } from "../../db/messages/message-groups.ts";
import { lastMessageAt, messagePage } from "../../db/messages/messages.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import { lastEventId, positionAfter } from "../last-event-id.ts";
import { groupId, limit, type MessagePlace, messagePlace } from "../parameters.ts";
import { messageBodySchema, messagesSchema, sentSchema } from "../schemas/messages.ts";
import { noSuchGroup, refuse } from "../services/message-acts.ts";
import { requireReader } from "../services/message-readers.ts";
import { requestName } from "./message-groups.ts";

const params = z.object({ groupId });
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
  tag: "Messages",
  summary: "A group's messages, oldest first",
  description:
    "Without `after` the newest ones; with it the next ones. Both bounds are a message's id or a time. Ids have no gaps, so that pages have neither gaps nor repeats. Of a private group for members only, whose cred still passes its gate.",
  guard: { caller: "anyoneOrSiwa" },
  params,
  query: z.object({
    limit: limit({ default: 50, max: 200 }),
    before: place("Only messages before this id or time"),
    after: place("Only messages after this id or time, beginning with the oldest of them"),
  }),
  responses: { 200: { description: "The messages", schema: messagesSchema } },
  errors: ["not_found", "forbidden", "indexer_behind"],
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
  tag: "Messages",
  summary: "Send a message to a group",
  description: "Takes an agent with the group's minCred at this moment. The first message makes its sender a member.",
  guard: { caller: "siwa" },
  data: true,
  params,
  body: messageBodySchema,
  responses: { 200: { description: "The message as everybody reads it", schema: sentSchema } },
  errors: ["not_found", "forbidden"],
  async handler({ deps, params, body, caller, idempotencyKey, fingerprint, now, count }, json) {
    const { wallet } = caller;
    // Checked again at the write; checked here so that a refused request uses neither the group's lock nor its limit.
    const [access] = await accessOf(deps.db, [{ groupId: params.groupId, wallet }], new Date(now));
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
  tag: "Messages",
  summary: "A group's messages as they come",
  description:
    "Server-Sent Events: each message is an event whose id is the message's and whose data are its JSON; the event `start` tells where the stream begins, `end` why it ends. With Last-Event-ID, `lastEventId` or `after` it goes on after that message, the latest of them, otherwise it begins with the next one. Of a private group for members only; it ends when their cred falls below the gate.",
  guard: { caller: "anyoneOrSiwa" },
  stream: true,
  params,
  query: z.object({ after: place("Id of the last message seen, or a time"), lastEventId }),
  responses: { 200: { description: "The stream; it stays open", type: "text/event-stream" } },
  errors: ["not_found", "forbidden", "indexer_behind"],
  async handler({ deps, params, query, caller, now, reader, response, lastEventId: header }) {
    const open = deps.streams.take(response, caller ? [reader, caller.wallet] : [reader]);
    const asked = await idAfter(deps.db, params.groupId, query.after);
    const after = positionAfter(header, positionAfter(query.lastEventId, asked));
    const group = (await groupById(deps.db, { groupId: params.groupId })) ?? noSuchGroup();
    await requireReader(deps, group, caller, now);
    const content = open((stream) => deps.messageStreams.follow(group, stream, { after, caller }));
    return { status: 200, type: "text/event-stream", content };
  },
});
