/**
 * The limits of waiting in tests and harnesses. Milliseconds; `PATIENCE` multiplies the first on a machine that is
 * known to be slow, as the gate does.
 */

/** For what will happen: costs nothing when it does, and names what did not when it does not. */
export const LONG = 60_000 * (Number(process.env.PATIENCE) || 1);

/** For what must not come, from a partner that never answers: no good answer is ever bounded by it. */
export const NEVER = 200;

/**
 * Options of an HTTP server: it closes no connection that a client still takes for open. Node's own closes after 5 s without
 * a request, and a client that was kept from running meanwhile sends its next one into a closed connection.
 */
export const KEPT_ALIVE = { keepAliveTimeout: 10 * LONG };
