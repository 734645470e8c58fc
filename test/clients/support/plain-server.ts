/** An HTTP server that answers as a test says, and counts what reaches it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../../harness/listen.ts";

export type PlainServer = {
  url: string;
  port: number;
  /** Connections ever opened to it. */
  connections(): number;
  /** Method and path of every request so far. */
  requests: string[];
  /** What is done with the next requests. */
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  close(): void;
};

export async function plainServer(): Promise<PlainServer> {
  let connections = 0;
  const { server, url, port, close } = await listen((incoming, outgoing) => {
    plain.requests.push(`${incoming.method} ${incoming.url}`);
    plain.answer(incoming, outgoing);
  });
  server.on("connection", () => connections++);
  const plain: PlainServer = {
    url,
    port,
    connections: () => connections,
    requests: [],
    answer: (_incoming, outgoing) => void outgoing.end("{}"),
    close,
  };
  return plain;
}

/** Answers with a status, headers and a body: JSON, or text as it stands. */
export const replying =
  (status: number, body: unknown, headers: Record<string, string> = {}): PlainServer["answer"] =>
  (_incoming, outgoing) => {
    outgoing.writeHead(status, headers);
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
  };
