/** Messages of a group: read in pages, followed as a stream, and sent. */
import { z } from "zod";
import { refusalAt } from "../../core/messaging/groups.ts";
import { groupView, messageView } from "../../core/views/messages.ts";
import { accessOf } from "../../db/message-access.ts";
import { groupById } from "../../db/message-groups.ts";
import { messagePage } from "../../db/messages.ts";
import { endpoint, json } from "../endpoint.ts";
import { positionOf } from "../http/event-stream.ts";
import { groupId, integer, limit } from "../parameters.ts";
import { messageBodySchema, messagesSchema, sentSchema } from "../schemas/messages.ts";
import { noSuchGroup, refuse } from "../services/group-acts.ts";
import { requireReader } from "../services/message-readers.ts";
import { requestName } from "./message-groups.ts";

const params = z.object({ groupId });
const messageId = (what: string) => integer({ min: 0, max: Number.MAX_SAFE_INTEGER, what }).optional();

export const messages = endpoint({
  method: "get",
  path: "/api/v2/messages/groups/{groupId}/messages",
  operationId: "listMessages",
  tag: "Messages",
  summary: "A group's messages, oldest first",
  description:
    "Without `after` the newest ones; with it the next ones. Ids have no gaps, so that pages have neither gaps nor repeats. Of a private group for members only, whose cred still passes its gate.",
  guard: { caller: "anyoneOrSiwa" },
  params,
  query: z.object({
    limit: limit({ default: 50, max: 200 }),
    before: messageId("Only messages before this id"),
    after: messageId("Only messages after this id, beginning with the oldest of them"),
  }),
  responses: { 200: { description: "The messages", schema: messagesSchema } },
  errors: ["not_found", "forbidden", "indexer_behind"],
  async handler({ deps, params, query, caller, now }) {
    const page = await messagePage(deps.db, params.groupId, query);
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
  async handler({ deps, params, body, caller, idempotencyKey, fingerprint, now, count }) {
    const { wallet } = caller;
    // Asked again when it is written: here, so that who is refused takes up neither the group's lock nor its limit.
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
  method: "get",
  path: "/api/v2/messages/groups/{groupId}/stream",
  operationId: "streamMessages",
  tag: "Messages",
  summary: "A group's messages as they come",
  description:
    "Server-Sent Events: each message is an event whose id is the message's and whose data are its JSON; the event `start` tells where the stream begins, `end` why it ends. With Last-Event-ID or `after` it goes on after that message, otherwise it begins with the next one. Of a private group for members only; it ends when their cred falls below the gate.",
  guard: { caller: "anyoneOrSiwa" },
  stream: true,
  params,
  query: z.object({ after: messageId("Id of the last message seen; Last-Event-ID goes before it") }),
  responses: { 200: { description: "The stream; it stays open", type: "text/event-stream" } },
  errors: ["not_found", "forbidden", "indexer_behind"],
  async handler({ deps, params, query, caller, now, clientAddress, response, lastEventId }) {
    const open = deps.streams.take(response, { client: clientAddress, wallet: caller?.wallet });
    const after = lastEventId === undefined ? query.after : positionOf(lastEventId);
    const group = (await groupById(deps.db, params.groupId)) ?? noSuchGroup();
    await requireReader(deps, group, caller, now);
    const content = open((stream) => deps.messageStreams.follow(group, stream, { after, caller }));
    return { status: 200, type: "text/event-stream", content };
  },
});
