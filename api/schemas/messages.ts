/** Schemas of message groups, their members and their messages. */
import { array, object, strictObject, z } from "zod";
import { textSchema } from "../../core/text.ts";
import { count } from "../../core/views/fields.ts";
import { groupSchema, memberSchema, messageSchema } from "../../core/views/messages.ts";

export const groupsSchema = object({ groups: array(groupSchema), nextAfter: z.string().nullable() }).meta({
  id: "MessageGroups",
});

export const messagesSchema = object({
  group: groupSchema,
  limit: z.int().min(1),
  messages: array(messageSchema),
}).meta({ id: "Messages" });

export const membersSchema = object({
  group: groupSchema,
  total: count,
  limit: z.int().min(1),
  members: array(memberSchema),
  nextAfter: z.int().min(1).nullable().meta({ description: "`after` of the next page; null on the last" }),
}).meta({ id: "MessageGroupMembers" });

export const groupBodySchema = strictObject({
  topic: textSchema({ min: 1, max: 48 }),
  description: textSchema({ max: 280 }).optional(),
  minCred: z.int().min(0).max(100).default(0),
  isPublic: z.boolean().default(true),
}).meta({ id: "NewMessageGroup", examples: [{ topic: "#Data Sets", minCred: 26, isPublic: true }] });

export const createdGroupSchema = object({ group: groupSchema }).meta({ id: "CreatedMessageGroup" });

export const messageBodySchema = strictObject({ content: textSchema({ min: 1, max: 2000, lines: true }) }).meta({
  id: "NewMessage",
  examples: [{ content: "Hello." }],
});

export const sentSchema = object({ message: messageSchema }).meta({ id: "SentMessage" });

export const membershipSchema = object({ success: z.literal(true), group: groupSchema }).meta({
  id: "MessageGroupMembership",
});
