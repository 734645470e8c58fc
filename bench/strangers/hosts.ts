/** Process with two hundred hosts of agents whose documents cost who reads them; it tells its parent how many requests they had. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const BYTES = 2 ** 20 - 100;
const filled = (begin: string, piece: string, end = "") =>
  `${begin}${piece.repeat((BYTES - begin.length - end.length) / piece.length)}${end}`;

const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
const tools = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1 },
  result: {
    protocolVersion: "2025-06-18",
    tools: Array.from({ length: 64 }, (_, i) => ({
      name: `t${i}`,
      description: "e\u0301".repeat(900),
      inputSchema: deep(200),
    })),
  },
});

const sent = (type: string, text: string) => {
  const bytes = Buffer.from(text);
  return (to: ServerResponse) => void to.writeHead(200, { "content-type": type }).end(bytes);
};
const again = (type: string, piece: string, everyMs: number) => (to: ServerResponse) => {
  to.writeHead(200, { "content-type": type });
  const timer = setInterval(() => to.write(piece), everyMs);
  to.once("close", () => clearInterval(timer));
};
const [JSON_TYPE, STREAM] = ["application/json", "text/event-stream"];

/** What a host answers to everything, each to every fifth host or so. */
const ANSWERS: ((to: ServerResponse) => void)[] = [
  again(STREAM, ": no data\n\n".repeat(1_000), 50),
  sent(STREAM, filled("data:{\n", "\n")),
  sent(JSON_TYPE, filled("[", "[],", "1]")),
  sent(JSON_TYPE, filled("", '{"a":[')),
  sent(JSON_TYPE, filled('{"name":"A","skills":[', '{"name":"e\u0301"},', '{"name":"a"}]}')),
  sent(JSON_TYPE, tools),
  again(JSON_TYPE, " ", 500),
];

let asked = 0;
const server = createServer((incoming, outgoing) => {
  asked++;
  incoming.resume();
  outgoing.on("error", () => {});
  ANSWERS[Number(/^127\.0\.1\.(\d+)/.exec(incoming.headers.host ?? "")?.[1] ?? 0) % ANSWERS.length]!(outgoing);
});
server.listen(0, "0.0.0.0", () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on("message", () => process.send!({ asked }));
process.on("disconnect", () => process.exit());
