/**
 * A process that asks a server for pages over keep-alive connections, one request at a time on each, and counts answers.
 * It works on bare sockets: what a client library spends for each answer would come out of the cores the servers share.
 */
import { connect, type Socket } from "node:net";
import { quantile } from "../../harness/figures.ts";

/** What to ask: `path`, with a random token id below `ids` put in at `*`. */
export type Load = { url: string; path: string; ids: number; connections: number; forMs: number };
/** `failures` are answers that are no 200; `refusals` those of them that ask to come back, 429 and 503. */
export type LoadResult = {
  answers: number;
  failures: number;
  refusals: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
};

if (process.send) {
  process.on("message", async (load: Load) => process.send!(await run(load)));
}

async function run(load: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(load.url);
  const times: number[] = [];
  let failures = 0;
  let refusals = 0;
  const began = performance.now();
  const ends = began + load.forMs;
  await Promise.all(
    Array.from({ length: load.connections }, () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      return converse(socket, load, ends, (tookMs, status) => {
        times.push(tookMs);
        if (status !== "200") failures++;
        if (status === "429" || status === "503") refusals++;
      });
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)];
  return { answers: times.length - failures, failures, refusals, seconds, p50Ms, p99Ms };
}

/** Asks again as soon as an answer is complete, until the time is over. An answer has a Content-Length. */
function converse(
  socket: Socket,
  load: Load,
  ends: number,
  note: (tookMs: number, status: string) => void,
): Promise<void> {
  let asked = 0;
  let text = "";
  const ask = () => {
    asked = performance.now();
    const path = load.path.replace("*", String(Math.floor(Math.random() * load.ids)));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  };
  return new Promise((resolve, reject) => {
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.on("data", (chunk) => {
      // Read as Latin-1, a character is a byte.
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0 || text.length < end + 4 + lengthOf(text, end)) return;
      const now = performance.now();
      note(now - asked, text.slice(9, 12));
      text = "";
      if (now < ends) ask();
      else socket.end();
    });
  });
}

function lengthOf(text: string, end: number): number {
  const at = text.search(/\r\ncontent-length: /i);
  if (at < 0 || at > end) throw new Error(`no Content-Length in ${text.slice(0, end)}`);
  return Number.parseInt(text.slice(at + 18), 10);
}
