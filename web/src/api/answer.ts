/** One call of the API: body, index headers, or a problem with its request id. */
import { observed } from "../observed.ts";
import type { ErrorBody } from "./types.ts";

export type Answer<T> = {
  data: T;
  /** The block of the answer; null for routes without one. */
  block: number | null;
  /** Milliseconds since the epoch. */
  receivedAt: number;
};

/** Reason why the index is stale, from the latest answer that has it; the shell shows it above every view. */
export const indexStaleness = observed<string | null>(null);

function noteHeaders(headers: Headers): void {
  const reason = headers.get("x-index-stale");
  // Only answers of the index have this header.
  if (reason !== null || headers.has("x-indexed-block")) indexStaleness.set(reason);
}

const isOwn = (body: unknown): body is Partial<ErrorBody> & Record<string, unknown> =>
  typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";

/** An error of the API, with a sentence for people. */
export class Problem extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly body: Partial<ErrorBody> & Record<string, unknown>;
  readonly headers: Headers;
  /** Milliseconds since the epoch at which the service takes the request again, where it says so. */
  readonly retryAt: number | null;
  /** @param given the body; one that is not the service's own is left out */
  constructor(status: number, given: unknown, headers = new Headers()) {
    const body = isOwn(given) ? given : {};
    super(
      body.error ??
        (status < 400
          ? "What answered is not this service: something between has answered in its place."
          : `The answer has status ${status} and no reason: it may come from something between this page and the service.`),
    );
    this.status = status;
    this.code = body.code ?? "unknown";
    this.requestId = body.requestId ?? headers.get("x-request-id");
    this.body = body;
    this.headers = headers;
    const seconds = headers.get("retry-after");
    this.retryAt = seconds !== null && /^\d+$/.test(seconds) ? Date.now() + Number(seconds) * 1000 : null;
  }
  /** Whether the same request may be answered otherwise later. */
  get mayPass(): boolean {
    return this.status < 400 || this.status === 429 || this.status >= 500;
  }
}

const unreachable = () =>
  new Problem(0, { code: "unreachable", error: "The service cannot be reached. Is this device online?" });

/** @throws Problem for everything but a success; the abort error when `signal` fires */
export async function call<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { accept: "application/json", ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
  noteHeaders(response.headers);
  const body: unknown = await response.json().catch(() => null);
  // Each answer of this service has its version; a captive portal's has none.
  if (!response.ok || body === null || !response.headers.has("x-api-version"))
    throw new Problem(response.status, body, response.headers);
  const block = response.headers.get("x-indexed-block");
  return {
    data: body as T,
    block: block === null ? null : Number(block),
    receivedAt: Date.now(),
  };
}

/** An answer of any status and type as it came. */
export type RawResponse = {
  status: number;
  headers: Headers;
  text: string /** Until all of it was here. */;
  ms: number;
};

/** @throws Problem when the service cannot be reached */
export async function callRaw(path: string, init: RequestInit): Promise<RawResponse> {
  const began = performance.now();
  try {
    const response = await fetch(path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, ms: performance.now() - began };
  } catch {
    throw unreachable();
  }
}

/** An event of a stream (Server-Sent Events) whose data are JSON. */
export type StreamEvent = { id: string | undefined; name: string | undefined; data: unknown };

/**
 * Follows a stream of events until it ends. Unlike EventSource it can carry a credential.
 * @param take receives each event
 * @throws Problem when it is refused or breaks; the abort error when `signal` fires
 */
export async function follow(path: string, init: RequestInit, take: (event: StreamEvent) => void): Promise<void> {
  const { createParser } = await import("eventsource-parser");
  try {
    const response = await fetch(path, { ...init, headers: { accept: "text/event-stream", ...init.headers } });
    if (!response.ok || !response.body) {
      const body: unknown = await response.json().catch(() => null);
      throw new Problem(response.status, body, response.headers);
    }
    const parser = createParser({
      onEvent: ({ id, event, data }) => take({ id, name: event, data: JSON.parse(data) as unknown }),
    });
    for await (const text of response.body.pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown as AsyncIterable<string>)
      parser.feed(text);
  } catch (error) {
    if (error instanceof Problem || init.signal?.aborted) throw error;
    throw unreachable();
  }
}

/** A query function of react-query. */
export const get =
  <T>(path: string) =>
  ({ signal }: { signal: AbortSignal }): Promise<Answer<T>> =>
    call<T>(path, { signal });
