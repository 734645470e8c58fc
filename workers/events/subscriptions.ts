/** Which jobs an event leads to, by name: one table, an entry for every kind of index change. A test holds the names to those of jobs. */
import type { ChangeKind } from "../../ponder.schema.ts";

/** A job that runs after events of a kind. */
export type Subscriber = {
  job: string;
  /**
   * Data of one job for all events of one kind in a batch; null when there is nothing to do for these tokens. Absent: a
   * scheduled job that finds its work itself, and runs soon.
   */
  data?(events: { kind: ChangeKind; tokenIds: number[] }): unknown;
};

const scores: Subscriber = {
  job: "score",
  data: ({ kind, tokenIds }) => (tokenIds.length > 0 ? { tokenIds, cause: kind } : null),
};
const listing: Subscriber = {
  job: "directory-own",
  data: ({ tokenIds }) => (tokenIds.length > 0 ? { tokenIds } : null),
};
const codes: Subscriber = { job: "referral-codes" };
const uris: Subscriber = { job: "token-uris" };
const reviews: Subscriber = { job: "review-figures" };

/**
 * Subscribers by kind. A transaction logs several events about one token: when one batch has all of them, a subscriber
 * gets the token once, with the kind that is first in this list.
 */
export const SUBSCRIPTIONS = {
  "agent.registered": [scores, listing, codes, uris],
  "agent.verified": [scores, listing],
  "agent.exchange_verified": [scores, listing],
  "attestation.made": [scores],
  "attestation.revoked": [scores],
  "agent.transferred": [scores, listing],
  "agent.trait_added": [scores, listing],
  "agent.narrative_set": [scores, listing],
  "agent.personality_set": [scores, listing],
  "agent.mutated": [scores, listing],
  "agent.name_registered": [scores, listing],
  "agent.name_transferred": [scores, listing],
  "agent.points_awarded": [scores, listing],
  "agent.approved": [scores, listing],
  "handshake.completed": [],
  "erc8004.registered": [],
  "erc8004.uri_updated": [],
  "erc8004.metadata_set": [],
  "erc8004.transferred": [],
  "erc8004.feedback_given": [reviews],
  "erc8004.feedback_revoked": [reviews],
  "erc8004.response_appended": [],
  "erc8004.validation_requested": [],
  "erc8004.validation_answered": [],
} satisfies Record<ChangeKind, readonly Subscriber[]>;
