/** A small HTTP server that answers from a list and remembers what it was asked, and a clock on which nobody waits. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { listen } from "../../harness/listen.ts";
import type { Time } from "../../sdk/src/index.ts";

export type Asked = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
/** `cut` breaks the line instead of answering; a function writes for itself. */
export type Scripted =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | "cut"
  | ((asked: Asked, response: ServerResponse) => void);

/** What the service answers when it refuses. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}, more: object = {}) => ({
  status,
  headers: { "x-request-id": "r-1", ...headers },
  body: { error: "A plain sentence.", code, requestId: "r-1", ...more },
});

async function scriptedServer() {
  const asked: Asked[] = [];
  const script: Scripted[] = [];
  const { url, close } = await listen(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body };
    asked.push(one);
    const next = script.shift() ?? { status: 200, body: {} };
    if (next === "cut") return void request.socket.destroy();
    if (typeof next === "function") return next(one, response);
    const said = { "content-type": "application/json", ...next.headers };
    response.writeHead(next.status, said).end(JSON.stringify(next.body ?? {}));
  });
  return {
    url,
    asked,
    /** The next answers, in their order; `{}` with 200 after them. */
    answer: (...answers: Scripted[]) => void script.splice(0, script.length, ...answers),
    close,
  };
}

/** Waits are noted and over at once; the clock goes on by them. */
function instantTime(start = Date.UTC(2026, 0, 1)): Time & { waits: number[] } {
  const waits: number[] = [];
  let now = start;
  return {
    waits,
    now: () => now,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}

/** The server of a whole test file, and a clock for each of its tests. */
export function scriptedForFile() {
  const server = {} as Awaited<ReturnType<typeof scriptedServer>>;
  const time = {} as ReturnType<typeof instantTime>;
  beforeAll(async () => void Object.assign(server, await scriptedServer()));
  beforeEach(() => {
    server.asked.length = 0;
    Object.assign(time, instantTime());
  });
  afterAll(() => server.close?.());
  return { server, time };
}

/** What `work` fails with. */
export const failure = <Failure = unknown>(work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  ) as Promise<Failure>;
