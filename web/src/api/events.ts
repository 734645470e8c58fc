/** What happens in the service, as it happens: once something has, what is on the screen is asked for again. */
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { EventType } from "../../../core/events.ts";

/** Everything that can happen shows on a screen of this terminal. */
const TYPES = Object.keys({
  "agent.registered": true,
  "agent.updated": true,
  "agent.transferred": true,
  "agent.verified": true,
  "proof.lapsed": true,
  "attestation.revoked": true,
  "cred.changed": true,
  "message.sent": true,
  "event.retracted": true,
} satisfies Record<EventType, true>);
const PATH = "/api/v2/events";

/** Without events it is asked this often; with them, too, but more seldom: other registries tell nobody of their changes. */
const POLL_MS = 5_000;
const POLL_BESIDE_EVENTS_MS = 15_000;
/** After an event others mostly follow, and scores do. Not every browser asks at the same moment. */
const GATHER_MS = 700;
const SPREAD_MS = 600;
/** However much happens, this is between two times of asking. */
const APART_MS = 3_000;
/** A stream that was refused is tried again after so long. */
const AGAIN_MS = 30_000;

let connected = false;
const listeners = new Set<() => void>();
function setConnected(now: boolean): void {
  if (connected === now) return;
  connected = now;
  for (const listener of listeners) listener();
}

/** Whether events arrive; otherwise the views ask every few seconds. */
export const useConnected = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connected,
  );

/** How often a live view asks by itself. @param times less often than others */
export const liveEvery = (times = 1) => ({
  refetchInterval: () => (connected ? POLL_BESIDE_EVENTS_MS : POLL_MS) * times,
  meta: { live: true },
});

/**
 * Follows the events while the page is looked at: browsers give a host few connections, and each window keeps one of
 * them. Where it stood before it goes on, so that what happened meanwhile is asked for as well.
 */
export function followEvents(client: QueryClient): void {
  let source: EventSource | undefined;
  let again: number | undefined;
  let due: number | undefined;
  let askedAt = 0;

  function ask(): void {
    due = undefined;
    askedAt = Date.now();
    void client.refetchQueries({ type: "active", predicate: ({ meta }) => meta?.live === true });
  }
  function happened(): void {
    if (due !== undefined) return;
    const soon = GATHER_MS + Math.random() * SPREAD_MS;
    due = window.setTimeout(ask, Math.max(soon, askedAt + APART_MS - Date.now()));
  }
  function open(): void {
    again = undefined;
    source = new EventSource(PATH);
    source.addEventListener("open", () => setConnected(true));
    source.addEventListener("error", () => {
      setConnected(false);
      // A lost line is taken up again by the browser, a refusal is not.
      if (source?.readyState === EventSource.CLOSED) again ??= window.setTimeout(open, AGAIN_MS);
    });
    for (const type of TYPES) source.addEventListener(type, happened);
  }
  function close(): void {
    window.clearTimeout(again);
    again = undefined;
    source?.close();
    source = undefined;
    setConnected(false);
  }
  function look(): void {
    if (document.hidden) close();
    else if (source === undefined) {
      open();
      // What happened while nobody looked.
      if (askedAt > 0) happened();
    }
  }
  document.addEventListener("visibilitychange", look);
  // A page that the browser may bring back keeps no connection.
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", look);
  look();
}
