/** The reservations about one own agent. */
import { earlierOwner, type OwnedFacts, reserved, sharedWith } from "../agents/reservations.ts";
import { exchangeCounts } from "../cred/cred.ts";
import type { Reservation } from "./fields.ts";

/**
 * All reservations about an own agent. The exchange's attestation is of an owner's wallet: it is an earlier one's unless it
 * names the present one, and serves others while it counts.
 */
export function reservationsOf(facts: OwnedFacts, now: Date): Reservation[] {
  const { ownership, shared, exchange, owner } = facts;
  const isEarlier = exchange !== null && exchange.recipient !== owner;
  return [
    ...earlierOwner(ownership),
    ...(isEarlier ? [reserved("coinbase", exchange.verifiedAt, ownership.heldSince)] : []),
    ...sharedWith({ ...shared, attestation: exchangeCounts(facts, now) ? shared.attestation : 0 }),
  ];
}
