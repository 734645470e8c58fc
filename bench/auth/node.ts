/** A node on which no wallet is a contract, so that every bad signature ends there. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** @returns `asked` counts how often it was asked whether there is a contract */
export async function startNode(): Promise<{ url: string; asked: number; stop(): void }> {
  const answer = ({ id, method }: { id: number; method: string }) => {
    if (method === "eth_getCode") state.asked++;
    return { jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x2105" : "0x" };
  };
  const server = createServer(async (incoming, outgoing) => {
    const asked = JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8"));
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const state = { url: `http://127.0.0.1:${port}`, asked: 0, stop: () => void server.close() };
  return state;
}
