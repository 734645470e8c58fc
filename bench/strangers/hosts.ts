/** Process with two hundred hosts of agents whose documents cost their reader CPU; it sends its parent the number of requests that they got. */
import type { RequestListener, ServerResponse } from "node:http";
import { listen } from "../../harness/listen.ts";
import { filled, again as writeAgain } from "../../harness/strange-hosts/parts.ts";

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
  writeAgain(to, piece, everyMs);
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
const answer: RequestListener = (incoming, outgoing) => {
  asked++;
  incoming.resume();
  ANSWERS[Number(/^127\.0\.1\.(\d+)/.exec(incoming.headers.host ?? "")?.[1] ?? 0) % ANSWERS.length]!(outgoing);
};
const { port } = await listen(answer, { address: "0.0.0.0" });
process.send!({ port });
process.on("message", () => process.send!({ asked }));
