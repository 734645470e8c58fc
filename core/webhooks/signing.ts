/** Signatures of webhooks as Standard Webhooks has them: HMAC-SHA256 over id, time and body, by secrets shown as `whsec_…`. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base64 } from "@scure/base";

/** Bytes of a new secret; the standard requires 24 to 64. */
export const SECRET_BYTES = 32;

/** A secret in the form that its owner sees. */
export const secretText = (secret: Uint8Array): string => `whsec_${base64.encode(secret)}`;

export type SignedParts = {
  /** Id of the event, the same in every attempt. Contains no full stop. */
  id: string;
  /** Time of this attempt, Unix seconds. */
  timestamp: number;
  body: string;
};

/**
 * The three headers of a delivery, signed with each secret. Receivers accept it when any of the signatures is valid, so
 * a secret can be rotated without losing a delivery.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function webhookHeaders(secrets: readonly Uint8Array[], { id, timestamp, body }: SignedParts) {
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map((secret) => `v1,${base64.encode(hmac(sha256, secret, signed))}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
