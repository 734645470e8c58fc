/** Events that writes about an agent append to the event log, in their own transaction. */
import type { EventData } from "../../core/events/events.ts";
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

/** Emits the parts written off chain. @param paths such as `personality.humor` and `trait:<name>` */
export async function emitUpdated({ tx, facts: { tokenId }, now }: Write, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const parts = paths.map((path) => (path.startsWith("trait:") ? "traits" : path.split(".")[0]!));
  const changed = [...new Set(parts)] as EventData<"agent.updated">["changed"];
  const fact = `${tokenId} ${now.toISOString()} ${paths.join(" ")}`;
  const data = { changed, storage: "offchain" as const };
  await appendEvents(tx, [{ type: "agent.updated", data, fact, tokenId, at: now }]);
}
