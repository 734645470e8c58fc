/** What a message group is: its id by its topic, whom its gate lets through, and in which words a refusal is told. */
import type { Address } from "../facts.ts";
import { tierOf } from "../tiers.ts";

/** Cred that creating a group takes: the tier Qualified. */
export const CREATOR_MIN_CRED = 51;
/** Groups that one wallet may have created. */
export const GROUPS_A_CREATOR = 100;

export type Group = {
  groupId: string;
  /** As its creator wrote it. */
  topic: string;
  description: string | null;
  minCred: number;
  isPublic: boolean;
  isDefault: boolean;
  memberCount: number;
  /** Null for the groups that are there from the beginning. */
  createdBy: Address | null;
  /** ISO 8601. */
  createdAt: string;
  /** Ids of messages count from 1 without gaps; 0 = there is none. */
  lastMessageId: number;
};

/** The agent that a wallet speaks for, at one moment. */
export type Speaker = { tokenId: number; name: string; score: number };

/** Why somebody may not do something: a sentence, and the cred it takes beside the cred there is. */
export type Refusal = { sentence: string; required: number; yours: number; hint?: string };

/**
 * The id of a topic: without a leading `#`, in lower case, every character but a–z, 0–9 and `-` replaced by `-`.
 * @returns null when not one letter or digit is left: such an id would name nothing
 */
export function groupIdOf(topic: string): string | null {
  const id = Array.from(topic.replace(/^#/, ""), (character) => {
    const lower = character.toLowerCase();
    return /^[a-z0-9-]$/.test(lower) ? lower : "-";
  }).join("");
  return /[a-z0-9]/.test(id) ? id : null;
}

/** The least cred of a group as people read it: `Marginal (26+)`. */
export const minCredTier = (minCred: number): string => `${tierOf(minCred).label} (${minCred}+)`;

/**
 * Whether an agent passes a gate.
 * @param speaker null for a wallet without an agent: messages are between agents, so it passes none, not even 0
 * @param act what it wants to do, as in "To … takes a cred of 26."
 * @returns null when it passes
 */
export function refusalAt(required: number, speaker: Speaker | null, act: string): Refusal | null {
  if (speaker === null)
    return {
      sentence: "This wallet has no agent, and messages are between agents.",
      ...{ required, yours: 0, hint: "Register one: POST /api/v2/mint" },
    };
  if (speaker.score >= required) return null;
  const sentence = `To ${act} takes a cred of ${required}; this agent has ${speaker.score}.`;
  const hint = `GET /api/v2/agent/${speaker.tokenId}/cred-report tells how to raise it.`;
  return { sentence, required, yours: speaker.score, hint };
}
