/** Ports of webhooks: targets, receivers, sealed secrets. */

/** Outcome of a POST to a webhook's URL. `reason` is a half-sentence: why there is no status. */
export type WebhookPost =
  | { kind: "answered"; status: number; retryAfterSeconds: number | null }
  | { kind: "unanswered"; reason: string; timedOut: boolean }
  | { kind: "refused"; reason: string }
  /** Not sent: the host has its max of requests in flight. */
  | { kind: "deferred"; seconds: number };

/** Decides which URLs may be webhooks. */
export interface WebhookTargets {
  /** Why a URL is refused, a half-sentence ("must …"); null when it is allowed. */
  problem(url: string): string | null;
}

/** The servers behind webhooks; they are untrusted. Never throws. */
export interface WebhookReceivers {
  /**
   * Sends JSON once. Redirects are not followed.
   * @param options.slow the receiver was slow recently: it gets a small share of its host's places
   */
  post(url: string, headers: Record<string, string>, body: string, options?: { slow?: boolean }): Promise<WebhookPost>;
}

/** Encrypts small secrets that must be read again, so that a stolen database reveals none. */
export interface SecretBox {
  /** @param context what the secret belongs to; it opens for nothing else */
  seal(secret: Uint8Array, context: string): Uint8Array;
  /** @throws Error when the key is gone, the bytes were changed or the context is another */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** Whether the current key sealed it. */
  isCurrent(sealed: Uint8Array): boolean;
  /** Keyed hashes under which a text can be counted but not read: one per key, the current key first. */
  pseudonyms(text: string): [string, ...string[]];
}
