/** Intercepts Ponder's JSON-RPC requests in its own process, so that preloaded modules can read or replace responses. */

/** A request with its response. */
type Exchange = {
  /** JSON of the request. */
  body: string;
  /** Match of the pattern in `body`. */
  match: RegExpExecArray;
  response: Response;
  /** Sends the same request with another body. */
  resend(body: string): Promise<Response>;
};

/** @returns the response that Ponder receives, usually the unchanged one */
type Interceptor = (exchange: Exchange) => Promise<Response>;

const interceptors: { pattern: RegExp; interceptor: Interceptor }[] = [];

/** Bodies of requests that are constructed before they are passed to fetch. */
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
  const resend = (other: string) => {
    if (!(input instanceof Request)) return send(input, { ...init, body: other });
    const { url, method, headers, signal } = input;
    return send(url, { method, headers, signal, body: other });
  };
  for (const { pattern, interceptor } of interceptors) {
    const match = pattern.exec(body);
    if (match) return interceptor({ body, match, response, resend });
  }
  return response;
};

/** Registers an interceptor of the requests whose JSON matches. Only the first match of a request is called. */
export function intercept(pattern: RegExp, interceptor: Interceptor): void {
  interceptors.push({ pattern, interceptor });
}

/** The same response with a body that can be read again. */
export const withBody = (text: string, response: Response): Response => new Response(text, response);

/** The message of a JSON-RPC error in a response; an empty text when there is none. */
export function errorOf(text: string): string {
  if (!text.includes('"error"')) return "";
  try {
    return String(JSON.parse(text).error?.message ?? "");
  } catch {
    return "";
  }
}
