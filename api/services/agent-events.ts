/** Events that writes about an agent append to the event log, in their own transaction. */
import { listingOf, placeOf } from "../../core/agents/listing.ts";
import type { ListingInput } from "../../core/agents/listing-input.ts";
import { type EventData, MAX_NAMED } from "../../core/events/events.ts";
import { appendEvents } from "../../db/events/append-events.ts";
import type { Write } from "./writing.ts";

/** Emits that the agent has proven something. @param handle of the account proven; null where it has no name */
export function emitVerified(
  { tx, facts: { tokenId }, now }: Write,
  method: EventData<"agent.verified">["method"],
  handle: string | null,
): Promise<void> {
  const fact = `${tokenId} ${method} ${handle} ${now.toISOString()}`;
  return appendEvents(tx, [{ type: "agent.verified", data: { method, handle }, fact, tokenId, at: now }]);
}

/**
 * Emits the parts written off chain, with the names of what came and went.
 * @param paths such as `personality.humor` and `trait:<name>` @param listed the parts of the listing that were written
 */
export async function emitUpdated(
  { tx, facts, now }: Write,
  paths: readonly string[],
  listed: ListingInput,
): Promise<void> {
  if (paths.length === 0) return;
  const { tokenId } = facts;
  const before = new Set(namesIn(listingOf(facts), listed));
  const after = new Set(namesIn(listed, listed));
  const traits = paths.flatMap((path) => (path.startsWith("trait:") ? path.slice("trait:".length) : []));
  const added = [...traits, ...after.difference(before)].slice(0, MAX_NAMED);
  const removed = [...before.difference(after)].slice(0, MAX_NAMED);
  const parts = paths.map((path) => (path.startsWith("trait:") ? "traits" : path.split(".")[0]!));
  const changed = [...new Set(parts)] as EventData<"agent.updated">["changed"];
  const fact = `${tokenId} ${now.toISOString()} ${paths.join(" ")}`;
  const data = {
    ...{ changed, storage: "offchain" as const },
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
  };
  await appendEvents(tx, [{ type: "agent.updated", data, fact, tokenId, at: now }]);
}

/** Services with their places, skills and domains of a listing. @param written only the parts that it has */
function namesIn(listing: ListingInput, written: ListingInput): string[] {
  const services = Object.entries(written.services ? (listing.services ?? {}) : {});
  return [
    ...services.map(([name, service]) => `${name} ${placeOf(service) ?? ""}`.trim()),
    ...(written.skills ? (listing.skills ?? []) : []),
    ...(written.domains ? (listing.domains ?? []) : []),
  ];
}
