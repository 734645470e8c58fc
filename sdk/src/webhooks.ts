/** Deliveries of webhooks, by the rules of Standard Webhooks: whether one is the service's own, and the event in it. */

/** A delivery that must not be believed: answer 401. The message says what is wrong with it. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
}

export type WebhookEvent = {
  /** The same in every attempt, and after a replay: handle each once. */
  id: string;
  type: string;
  timestamp: string;
  /** Its place in the log of events; absent in a `webhook.ping`. */
  position?: number;
  data: Record<string, unknown>;
};

/** As `Request` of the web or `node:http` has them. */
type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A signature is of the time of its attempt; an older one is a replay of somebody else. */
const MAX_AGE_SECONDS = 300;

/**
 * Checks a delivery and reads its event. Answer 2xx within ten seconds, and do the work afterwards.
 * @param secret `whsec_…`, as the webhook's creation or rotation answered it
 * @param delivery.body what was received, before it is read as JSON
 * @throws WebhookRefused when it is not the service's, or too old
 */
export async function verifyWebhook(
  secret: string,
  { headers, body, now = Date.now() }: { headers: DeliveryHeaders; body: string; now?: number },
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookRefused("The delivery has no webhook headers.");
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS))
    throw new WebhookRefused("The delivery is more than five minutes away from now.");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = bytesOf(secret.replace(/^whsec_/, ""));
  if (raw === null || raw.length === 0) throw new WebhookRefused("The secret is not whsec_ and base64.");
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(" ")) {
    const given = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : null;
    if (given !== null && (await crypto.subtle.verify(algorithm, key, given, signed)))
      return { id, ...(JSON.parse(body) as Omit<WebhookEvent, "id">) };
  }
  throw new WebhookRefused("No signature of the delivery is by this secret.");
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === "string" ? value : undefined;
}

/** @returns null for what is no base64 */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
