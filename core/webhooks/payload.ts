/** The body sent to a webhook: the event as in the public stream, in the envelope that Standard Webhooks recommends. */
import type { LoggedEvent } from "../events/events.ts";
import { eventView } from "../views/webhooks.ts";

/** Type of the event that a test delivery sends; it is not in the log. */
export const PING = "webhook.ping";

/**
 * The body of a delivery, with the same bytes in every attempt.
 * @param delivered position in the log at which the event was delivered, by which receivers order, and whether it was final
 */
export function eventBody(
  event: Omit<LoggedEvent, "position" | "final">,
  { position, final }: Pick<LoggedEvent, "position" | "final">,
): string {
  const data = eventView({ ...event, position, final });
  return JSON.stringify({ type: data.type, timestamp: data.at, position, data });
}

export const pingBody = (webhookId: string, at: Date): string =>
  JSON.stringify({ type: PING, timestamp: at.toISOString(), position: null, data: { webhookId } });
