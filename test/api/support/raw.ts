/** Bytes on a socket, for requests that no client library would send. */
import { connect } from "node:net";

/**
 * Sends `bytes` and reads until the server closes, or nothing more comes for `quietMs` after the first byte.
 * @param options.answerMs until the first byte; a busy machine may take long
 * @returns everything received, as latin1 text
 */
export function raw(url: string, bytes: string | Buffer, { quietMs = 3_000, answerMs = 60_000 } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = "";
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(answerMs, done);
    socket.on("data", (chunk) => {
      socket.setTimeout(quietMs);
      received += chunk.toString("latin1");
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}

/** Status and JSON body of a raw answer. */
export function parseRaw(answer: string): { status: number; head: string; body: { code?: string; error?: string } } {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  const json = /\{.*\}/s.exec(body)?.[0];
  return { status: Number(head.split(" ")[1]), head, body: json ? JSON.parse(json) : {} };
}
