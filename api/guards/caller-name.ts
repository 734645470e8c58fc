/** The name of a caller, by which limits and idempotency keys are kept. */
import type { Caller, KeyCaller } from "../caller-types.ts";

/** Names a caller in one word, the same for each of its credentials. */
export function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case "siwa":
    case "siwe":
      return caller.wallet;
    case "accessToken":
      return `${caller.issuer}#${caller.subject}`;
    case "apiKey":
      return `api-key:${(caller satisfies KeyCaller).apiKeyId}`;
  }
}
