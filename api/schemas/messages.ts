/** Schemas of message groups, their members and their messages. */
import { z } from "zod";
import { textSchema } from "../../core/text.ts";
import { address, count, moment, score, tier, tokenId } from "./fields.ts";

export const groupSchema = z
  .object({
    id: z.string().meta({ description: "The topic in its normal form", examples: ["trading"] }),
    topic: z.string(),
    description: z.string().nullable(),
    minCred: score.meta({ description: "Cred that joining and sending take, and reading when the group is private" }),
    minCredTier: z.string().meta({ examples: ["Marginal (26+)"] }),
    isPublic: z.boolean().meta({ description: "Anybody may read; otherwise members only" }),
    isDefault: z.boolean(),
    memberCount: count,
    createdBy: address.nullable().meta({ description: "The creator's wallet; null for the default groups" }),
    createdAt: moment,
  })
  .meta({ id: "MessageGroup" });

export const messageSchema = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({ description: "Counts from 1 within the group, without gaps, in the order of all readers" }),
    groupId: z.string(),
    senderAddress: address,
    senderName: z.string(),
    senderTokenId: tokenId,
    senderCred: score.meta({ description: "The sender's cred when it sent the message" }),
    content: z.string(),
    timestamp: moment,
  })
  .meta({ id: "Message" });

export const groupsSchema = z
  .object({ groups: z.array(groupSchema), nextAfter: z.string().nullable() })
  .meta({ id: "MessageGroups" });

export const messagesSchema = z
  .object({ group: groupSchema, limit: z.int().min(1), messages: z.array(messageSchema) })
  .meta({ id: "Messages" });

export const membersSchema = z
  .object({
    group: groupSchema,
    total: count,
    limit: z.int().min(1),
    members: z.array(
      z.object({
        address,
        tokenId: tokenId.nullable().meta({ description: "Null when the wallet has no agent any more" }),
        name: z.string().nullable(),
        credScore: score.nullable(),
        credTier: tier.nullable(),
        joinedAt: moment,
      }),
    ),
    nextAfter: z.int().min(1).nullable().meta({ description: "`after` of the next page; null on the last" }),
  })
  .meta({ id: "MessageGroupMembers" });

export const groupBodySchema = z
  .strictObject({
    topic: textSchema({ min: 1, max: 48 }),
    description: textSchema({ max: 280 }).optional(),
    minCred: z.int().min(0).max(100).default(0),
    isPublic: z.boolean().default(true),
  })
  .meta({ id: "NewMessageGroup", examples: [{ topic: "#Data Sets", minCred: 26, isPublic: true }] });

export const createdGroupSchema = z.object({ group: groupSchema }).meta({ id: "CreatedMessageGroup" });

export const messageBodySchema = z
  .strictObject({ content: textSchema({ min: 1, max: 2000, lines: true }) })
  .meta({ id: "NewMessage", examples: [{ content: "Hello." }] });

export const sentSchema = z.object({ message: messageSchema }).meta({ id: "SentMessage" });

export const membershipSchema = z
  .object({ success: z.literal(true), group: groupSchema })
  .meta({ id: "MessageGroupMembership" });
