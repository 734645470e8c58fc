/** An HTTP server that answers as a test says, and counts what reaches it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KEPT_ALIVE } from "../../../harness/patience.ts";

export type PlainServer = {
  url: string;
  port: number;
  /** Connections ever opened to it. */
  connections(): number;
  /** Method and path of every request so far. */
  requests: string[];
  /** What is done with the next requests. */
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  close(): Promise<void>;
};

export async function plainServer(): Promise<PlainServer> {
  let connections = 0;
  const server = createServer(KEPT_ALIVE, (incoming, outgoing) => {
    plain.requests.push(`${incoming.method} ${incoming.url}`);
    plain.answer(incoming, outgoing);
  });
  server.on("connection", () => connections++);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const plain: PlainServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    requests: [],
    answer: (_incoming, outgoing) => void outgoing.end("{}"),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
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
