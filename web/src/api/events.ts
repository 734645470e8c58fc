/** Follows the event stream; after an event the queries on the screen are fetched again. */
import type { QueryClient } from "@tanstack/react-query";
import type { EventType } from "../../../core/events/events.ts";
import { observed } from "../observed.ts";

/** All event types: each is shown on some screen of this terminal. */
const TYPES = Object.keys({
  "agent.registered": true,
  "agent.updated": true,
  "agent.offer_changed": true,
  "agent.price_changed": true,
  "agent.pay_to_changed": true,
  "agent.transferred": true,
  "agent.verified": true,
  "proof.lapsed": true,
  "attestation.revoked": true,
  "agent.paid": true,
  "agent.reviewed": true,
  "cred.changed": true,
  "message.sent": true,
  "event.retracted": true,
} satisfies Record<EventType, true>);
const PATH = "/api/v2/events";

/** Polling interval in milliseconds without events. With events polling is slower but goes on: other registries send no events. */
const POLL_MS = 5_000;
const POLL_BESIDE_EVENTS_MS = 15_000;
/** Delay in milliseconds after an event, with jitter: more events and new scores mostly follow, and browsers spread their requests. */
const GATHER_MS = 700;
const SPREAD_MS = 600;
/** Min milliseconds between two refetches, however many events arrive. */
const APART_MS = 3_000;
/** Milliseconds until a refused stream is opened again. */
const AGAIN_MS = 30_000;

/** True while events arrive; otherwise the views poll every few seconds. */
export const connected = observed(false);

/** Polling interval of a live view. @param times factor on the interval */
export const liveEvery = (times = 1) => ({
  refetchInterval: () => (connected.read() ? POLL_BESIDE_EVENTS_MS : POLL_MS) * times,
  meta: { live: true },
});

/**
 * Follows the events while the page is visible: browsers allow few connections per host, and each window keeps one.
 * When the page is visible again, the stream resumes after the last event, so that changes in between are fetched too.
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
    source.addEventListener("open", () => connected.set(true));
    source.addEventListener("error", () => {
      connected.set(false);
      // The browser reconnects after a lost connection, and not after a refusal.
      if (source?.readyState === EventSource.CLOSED) again ??= window.setTimeout(open, AGAIN_MS);
    });
    for (const type of TYPES) source.addEventListener(type, happened);
  }
  function close(): void {
    window.clearTimeout(again);
    again = undefined;
    source?.close();
    source = undefined;
    connected.set(false);
  }
  function look(): void {
    if (document.hidden) close();
    else if (source === undefined) {
      open();
      // Fetches what changed while the page was hidden.
      if (askedAt > 0) happened();
    }
  }
  document.addEventListener("visibilitychange", look);
  // A page in the browser's back/forward cache keeps no connection.
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", look);
  look();
}
