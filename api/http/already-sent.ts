/** The value a handler returns to the HTTP adapter after it has written to the response itself. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/**
 * The adapter recognises this response by a mark, unless it answers from its cache of the response. It caches each
 * Response that is made after a listener was opened in the process, also this one when its module is loaded late.
 * Reading the body removes it from the cache.
 */
function alreadySent(): Response {
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

export const ALREADY_SENT = alreadySent();
