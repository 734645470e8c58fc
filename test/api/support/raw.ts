/** Bytes on a socket, for requests that no client library would send. */
import { connect } from "node:net";
import { LONG } from "../../../harness/patience.ts";

/**
 * Sends `bytes` and reads until the answer is complete or the server closes.
 * @param options.quietMs ends it as well, where no answer is to come
 * @returns everything received, as latin1 text
 */
export function raw(url: string, bytes: string | Buffer, { quietMs = LONG } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = "";
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(quietMs, done);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (isComplete(received)) done();
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}

/** By its declared length or its last chunk; other answers end with their connection. */
function isComplete(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const body = answer.slice(end + 4);
  const length = /^content-length: *(\d+)/im.exec(answer.slice(0, end))?.[1];
  return length === undefined ? /(^|\r\n)0\r\n\r\n$/.test(body) : body.length >= Number(length);
}

/** Status and JSON body of a raw answer. */
export function parseRaw(answer: string): { status: number; head: string; body: { code?: string; error?: string } } {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  const json = /\{.*\}/s.exec(body)?.[0];
  return { status: Number(head.split(" ")[1]), head, body: json ? JSON.parse(json) : {} };
}
