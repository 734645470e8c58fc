/** The views of groups, members and messages. */
import { object, z } from "zod";
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { tierOf, tierWord } from "../cred/tiers.ts";
import type { Message } from "../messages/acts.ts";
import { type Group, minCredTier, type Speaker } from "../messages/message-groups.ts";
import { address, count, membersOf, moment, score, tier, tokenId } from "./fields.ts";

export const groupSchema = object({
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
}).meta({ id: "MessageGroup" });

export const groupView = (group: Group): z.output<typeof groupSchema> =>
  membersOf(groupSchema, {
    ...group,
    id: group.groupId,
    minCredTier: minCredTier(group.minCred),
    createdBy: group.createdBy && checksum(group.createdBy),
  });

export const messageSchema = object({
  id: z.int().min(1).meta({ description: "Counts from 1 within the group, without gaps, in the order of all readers" }),
  groupId: z.string(),
  senderAddress: address,
  senderName: z.string(),
  senderTokenId: tokenId,
  senderCred: score.meta({ description: "The sender's cred when it sent the message" }),
  content: z.string(),
  timestamp: moment,
}).meta({ id: "Message" });

export const messageView = (message: Message): z.output<typeof messageSchema> =>
  membersOf(messageSchema, {
    ...message,
    id: message.messageId,
    senderAddress: checksum(message.sender),
    timestamp: message.sentAt,
  });

export const memberSchema = object({
  address,
  tokenId: tokenId.nullable().meta({ description: "Null when the wallet has no agent any more" }),
  name: z.string().nullable(),
  credScore: score.nullable(),
  credTier: tier.nullable(),
  joinedAt: moment,
});

/** @param speaker the member's current agent; null when its wallet no longer has one */
export const memberView = (
  wallet: Address,
  joinedAt: string,
  speaker: Speaker | null,
): z.output<typeof memberSchema> => ({
  address: checksum(wallet),
  tokenId: speaker?.tokenId ?? null,
  name: speaker?.name ?? null,
  credScore: speaker?.score ?? null,
  credTier: speaker && tierWord(tierOf(speaker.score)),
  joinedAt,
});
