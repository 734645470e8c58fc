/**
 * Preloaded into the Ponder process: tells the launcher which blocks Ponder takes as final when it starts. It builds on
 * them and says no hash; asked for later, the chain may have put others in their place.
 */

/** One of those blocks, as it is told. */
export type TakenAsFinal = { takenAsFinal: { block: number; hash: string } };

/** Where it starts, where its cache ends, and what is final: nothing else is asked for like this, and never in bulk. */
const BY_NUMBER = /"method":"eth_getBlockByNumber","params":\["0x[0-9a-f]+",false\]/;

/** Bodies of requests that are made before they are sent. */
const bodies = new WeakMap<Request, string>();
globalThis.Request = class extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(input, init);
    if (typeof init?.body === "string") bodies.set(this, init.body);
  }
};

const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const response = await send(input, init);
  const body = init?.body ?? (input instanceof Request ? bodies.get(input) : undefined);
  if (typeof body !== "string" || !BY_NUMBER.test(body) || !response.ok) return response;
  const text = await response.text();
  tell(text);
  return new Response(text, response);
};

function tell(answer: string): void {
  let block: { number?: unknown; hash?: unknown } | null | undefined;
  try {
    block = JSON.parse(answer).result;
  } catch {
    // Ponder will say so.
    return;
  }
  if (typeof block?.number !== "string" || typeof block.hash !== "string") return;
  process.send?.({ takenAsFinal: { block: Number(block.number), hash: block.hash } } satisfies TakenAsFinal);
}
