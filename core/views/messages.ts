/** The views of groups, members and messages. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";
import { type TierWord, tierOf, tierWord } from "../cred/tiers.ts";
import type { Message } from "../messages/acts.ts";
import { type Group, minCredTier, type Speaker } from "../messages/message-groups.ts";

export type GroupView = {
  id: string;
  topic: string;
  description: string | null;
  minCred: number;
  minCredTier: string;
  isPublic: boolean;
  isDefault: boolean;
  memberCount: number;
  createdBy: Address | null;
  createdAt: string;
};

export const groupView = (group: Group): GroupView => ({
  id: group.groupId,
  topic: group.topic,
  description: group.description,
  minCred: group.minCred,
  minCredTier: minCredTier(group.minCred),
  isPublic: group.isPublic,
  isDefault: group.isDefault,
  memberCount: group.memberCount,
  createdBy: group.createdBy && checksum(group.createdBy),
  createdAt: group.createdAt,
});

export type MessageView = {
  id: number;
  groupId: string;
  senderAddress: Address;
  senderName: string;
  senderTokenId: number;
  senderCred: number;
  content: string;
  timestamp: string;
};

export const messageView = (message: Message): MessageView => ({
  id: message.messageId,
  groupId: message.groupId,
  senderAddress: checksum(message.sender),
  senderName: message.senderName,
  senderTokenId: message.senderTokenId,
  senderCred: message.senderCred,
  content: message.content,
  timestamp: message.sentAt,
});

export type MemberView = {
  address: Address;
  tokenId: number | null;
  name: string | null;
  credScore: number | null;
  credTier: TierWord | null;
  joinedAt: string;
};

/** @param speaker the member's current agent; null when its wallet no longer has one */
export const memberView = (wallet: Address, joinedAt: string, speaker: Speaker | null): MemberView => ({
  address: checksum(wallet),
  tokenId: speaker?.tokenId ?? null,
  name: speaker?.name ?? null,
  credScore: speaker?.score ?? null,
  credTier: speaker && tierWord(tierOf(speaker.score)),
  joinedAt,
});
