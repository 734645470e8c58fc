/** Message groups: the id of a topic, the check of a group's gate, and the sentence of a refusal. */
import type { Address } from "../agents/facts.ts";
import { tierOf } from "../cred/tiers.ts";

/** Min cred to create a group: the tier Qualified. */
export const CREATOR_MIN_CRED = 51;
/** Bound: groups created by one wallet, which needs CREATOR_MIN_CRED and may create 5 an hour. */
export const GROUPS_PER_CREATOR = 100;

export type Group = {
  groupId: string;
  /** Topic as its creator wrote it. */
  topic: string;
  description: string | null;
  minCred: number;
  isPublic: boolean;
  isDefault: boolean;
  memberCount: number;
  /** Null for the built-in groups. */
  createdBy: Address | null;
  /** ISO 8601. */
  createdAt: string;
  /** Message ids start at 1 and have no gaps; 0: no message yet. */
  lastMessageId: number;
};

/** The agent that a wallet sends messages for, at one moment. */
export type Speaker = { tokenId: number; name: string; score: number };

/** A refusal: its sentence, the required cred, and the agent's cred. */
export type Refusal = { sentence: string; required: number; yours: number; hint?: string };

/**
 * The id of a topic: without a leading `#`, in lower case, every character but a–z, 0–9 and `-` replaced by `-`.
 * @returns null when no letter or digit remains
 */
export function groupIdOf(topic: string): string | null {
  const id = Array.from(topic.replace(/^#/, ""), (character) => {
    const lower = character.toLowerCase();
    return /^[a-z0-9-]$/.test(lower) ? lower : "-";
  }).join("");
  return /[a-z0-9]/.test(id) ? id : null;
}

/** The min cred of a group for people: `Marginal (26+)`. */
export const minCredTier = (minCred: number): string => `${tierOf(minCred).label} (${minCred}+)`;

/**
 * Whether an agent passes a gate.
 * @param speaker null for a wallet without an agent. It passes no gate, not even 0, because messages are between agents.
 * @param act the action, as in "To … takes a cred of 26."
 * @returns null when it passes
 */
export function refusalAt(required: number, speaker: Speaker | null, act: string): Refusal | null {
  if (speaker === null)
    return {
      sentence: "This wallet has no agent, and messages are between agents.",
      required,
      yours: 0,
      hint: "Sign with an agent's own wallet; POST /api/v2/mint registers one, at the price of GET /api/v2/pricing. GET /api/v2/messages/groups lists what everybody reads.",
    };
  if (speaker.score >= required) return null;
  const sentence = `To ${act} takes a cred of ${required}; this agent has ${speaker.score}.`;
  const hint = `GET /api/v2/agent/${speaker.tokenId}/cred/advice lists what raises it.`;
  return { sentence, required, yours: speaker.score, hint };
}
