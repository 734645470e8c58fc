/** What Ponder asks the node, and is answered: listened to in its own process by the modules that are preloaded into it. */

/** A request with its answer. */
type Heard = {
  /** The request's JSON, and what the pattern found in it. */
  body: string;
  asked: RegExpExecArray;
  response: Response;
  /** Sends the same request with another body. */
  ask(body: string): Promise<Response>;
};

/** @returns what Ponder is to get, most often the very same answer */
type Listener = (heard: Heard) => Promise<Response>;

const listeners: { pattern: RegExp; listener: Listener }[] = [];

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
  if (typeof body !== "string") return response;
  const ask = (other: string) => {
    if (!(input instanceof Request)) return send(input, { ...init, body: other });
    const { url, method, headers, signal } = input;
    return send(url, { method, headers, signal, body: other });
  };
  for (const { pattern, listener } of listeners) {
    const asked = pattern.exec(body);
    if (asked) return listener({ body, asked, response, ask });
  }
  return response;
};

/** Listens for requests whose JSON matches. A request has one listener. */
export function listen(pattern: RegExp, listener: Listener): void {
  listeners.push({ pattern, listener });
}

/** The same answer with a body that can be read once more. */
export const again = (text: string, response: Response): Response => new Response(text, response);

/** What the node says is wrong with a request; an empty text when it says nothing of the kind. */
export function errorOf(text: string): string {
  if (!text.includes('"error"')) return "";
  try {
    return String(JSON.parse(text).error?.message ?? "");
  } catch {
    return "";
  }
}
