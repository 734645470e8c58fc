/** What a handler returns to the HTTP adapter after it has written to the response itself. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/**
 * The adapter looks for this response's mark unless it can answer from what it has cached of the response. It caches
 * each Response that is made after a listener was opened in the process, this one too when its module is loaded late;
 * reading the body ends that.
 */
function alreadySent(): Response {
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

export const ALREADY_SENT = alreadySent();
