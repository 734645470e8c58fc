/** JSON-RPC nodes that answer each call by itself, and one that answers everything at once with something plausible, for what asks a chain and needs none. */
import { json } from "node:stream/consumers";
import { listen } from "./listen.ts";

type Call = { id: unknown; method: string; params?: unknown[] };

/** A node that answers a request, or each call of a batch. @param onPost told of every message that carries calls */
export const startNode = (answer: (call: Call) => object, onPost: () => void = () => {}) =>
  listen(async (incoming, outgoing) => {
    const asked = (await json(incoming)) as Call | Call[];
    onPost();
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });

/** A node of chain 8453. @param resultOf answers every other question; without it each gets a plausible number */
export const startPlainNode = (resultOf: (method: string) => string = () => `0x${"1".padStart(64, "0")}`) =>
  startNode(({ id, method }) => ({
    ...{ jsonrpc: "2.0", id },
    result: method === "eth_chainId" ? "0x2105" : resultOf(method),
  }));
