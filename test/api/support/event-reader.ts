/** Reads a stream of Server-Sent Events as a client library would, and keeps what it has got. */
type ReadEvent = { id: string | undefined; event: string; data: string };

export type EventReader = {
  status: number;
  headers: Headers;
  /** Events so far, in their order; comments are no events. */
  events: ReadEvent[];
  /** Comments so far. */
  comments: string[];
  /** The last `retry` the server gave, milliseconds. */
  retry(): number | undefined;
  /** Data of the events without a name, parsed. */
  messages(): { id: number; content: string }[];
  /** Data of the last event `end`. */
  ending(): Record<string, unknown> | undefined;
  /** The id to go on from. */
  lastId(): string | undefined;
  /** True once the server has closed it. */
  ended(): boolean;
  close(): void;
  /** Text of an answer that is no stream. */
  text(): Promise<string>;
};

export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: abort.signal });
  const events: ReadEvent[] = [];
  const comments: string[] = [];
  let retry: number | undefined;
  let lastId: string | undefined;
  let ended = false;
  let other = "";
  const streams = response.headers.get("content-type") === "text/event-stream";

  function take(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split("\n")) {
      const cut = line.indexOf(":");
      if (cut === 0) comments.push(line.slice(1).trim());
      else fields[line.slice(0, cut)] = line.slice(cut + 1).replace(/^ /, "");
    }
    if (fields.retry !== undefined) retry = Number(fields.retry);
    if (fields.id !== undefined) lastId = fields.id;
    if (fields.data !== undefined) events.push({ id: fields.id, event: fields.event ?? "message", data: fields.data });
  }

  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body!) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      if (!streams) continue;
      const blocks = rest.split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) take(block);
    }
    other = rest;
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });

  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    retry: () => retry,
    messages: () => events.filter(({ event }) => event === "message").map(({ data }) => JSON.parse(data)),
    ending: () => {
      const last = events.findLast(({ event }) => event === "end");
      return last && JSON.parse(last.data);
    },
    lastId: () => lastId,
    ended: () => ended,
    close: () => abort.abort(),
    async text() {
      await reading;
      return other;
    },
  };
}
