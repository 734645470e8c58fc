/** A node in front of the chain's that fails as nodes do: errors, cut connections, answers lost, answers late. */
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeMode } from "./plan.ts";

export type TroubledNode = { url: string; mode: NodeMode | null; close(): void };

const SLOW_MS = 1_500;

/** @param rpcUrl whom it asks */
export async function startTroubledNode(rpcUrl: string): Promise<TroubledNode> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { mode } = node;
    if (mode === "cut") return void incoming.socket.destroy();
    if (mode === "error") return void outgoing.writeHead(502).end("bad gateway");
    const forward = () => {
      const { "content-length": length, "content-type": type } = incoming.headers;
      const headers = { ...(length && { "content-length": length }), ...(type && { "content-type": type }) };
      const asked = request(rpcUrl, { method: "POST", headers, agent }, (answer) => {
        if (mode === "lost") {
          answer.resume();
          return void outgoing.destroy();
        }
        outgoing.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" });
        answer.pipe(outgoing);
      });
      asked.on("error", () => outgoing.destroy());
      incoming.pipe(asked);
    };
    if (mode === "slow") setTimeout(forward, SLOW_MS);
    else forward();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const node: TroubledNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: null,
    close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
  return node;
}
