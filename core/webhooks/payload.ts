/** What is sent to a webhook: the event as the public stream tells it, in the envelope that Standard Webhooks recommends. */
import type { LoggedEvent } from "../events.ts";
import { eventView } from "../views/events.ts";

/** Type of the event that a test sends; it is in no log. */
export const PING = "webhook.ping";

/**
 * The body of a delivery. Equal for every attempt: whoever has seen the event's id has seen these bytes.
 * @param told where and how the event was told: its place in the log, by which receivers order, and whether it was final
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
