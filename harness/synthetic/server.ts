/**
 * A JSON-RPC node over the synthetic chain, as a process of its own: `node server.ts <head> [<spread>]`, its port over
 * the channel. With a spread of n, every nth block has the next block's story and the others are empty.
 */
import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  toFunctionSelector,
} from "viem";
import { identityAbi } from "../../abis/identity.ts";
import { startNode } from "../plain-node.ts";
import {
  agentAt,
  blockOf,
  CHAIN_ID,
  hashOf,
  IDENTITY,
  logsOf,
  numberOf,
  ownerAt,
  type SyntheticLog,
} from "./blocks.ts";

let head = Number(process.argv[2] ?? 0);
const spread = Number(process.argv[3] ?? 1);

const GET_AGENT = toFunctionSelector("getAgent(uint256)");
const OWNER_OF = toFunctionSelector("ownerOf(uint256)");
const AGGREGATE = toFunctionSelector("aggregate3((address,bool,bytes)[])");

/** Requests since the last `synthetic_counts`, by method; `HTTP` counts the messages that carried them. */
let counts: Record<string, number> = {};
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

type Filter = {
  fromBlock?: Hex;
  toBlock?: Hex;
  blockHash?: Hex;
  address?: Hex | Hex[];
  topics?: (Hex | Hex[] | null)[];
};

function logs(filter: Filter): SyntheticLog[] {
  const addresses = filter.address === undefined ? null : [filter.address].flat().map((a) => a.toLowerCase());
  if (addresses !== null && !addresses.includes(IDENTITY)) return [];
  const wanted = filter.topics?.[0] ? new Set([filter.topics[0]].flat()) : null;
  const [from, to] = filter.blockHash
    ? [numberOf(filter.blockHash), numberOf(filter.blockHash)]
    : [Number(filter.fromBlock), Math.min(Number(filter.toBlock), head)];
  const found: SyntheticLog[] = [];
  for (let story = Math.ceil(from / spread); story * spread <= to; story++) {
    const place = { blockNumber: numberToHex(story * spread), blockHash: hashOf(story * spread) };
    for (const log of logsOf(story))
      if (wanted === null || wanted.has(log.topics[0]!)) found.push(spread === 1 ? log : { ...log, ...place });
  }
  return found;
}

/** A block with the transactions of its story; one without a story has an empty bloom, or a reader takes its logs for lost. */
function block(number: number): ReturnType<typeof blockOf> {
  const shown = blockOf(number);
  if (spread === 1) return shown;
  const place = { blockNumber: shown.number, blockHash: shown.hash };
  const { transactions, logsBloom } = blockOf(number % spread === 0 ? number / spread : 0);
  return { ...shown, logsBloom, transactions: transactions.map((transaction) => ({ ...transaction, ...place })) };
}

type Call = { to: string; data: Hex };

/** The result of a call at the end of a block; null when it reverts. */
function call({ to, data }: Call, block: number): Hex | null {
  if (data.startsWith(GET_AGENT)) {
    const result = agentAt(Number(`0x${data.slice(10)}`), Math.floor(block / spread));
    return result && encodeFunctionResult({ abi: identityAbi, functionName: "getAgent", result });
  }
  // Another registry of tokens has none.
  if (data.startsWith(OWNER_OF) && to === IDENTITY) {
    const result = ownerAt(Number(`0x${data.slice(10)}`), Math.floor(block / spread));
    return result && encodeFunctionResult({ abi: identityAbi, functionName: "ownerOf", result });
  }
  if (!data.startsWith(AGGREGATE)) return null;
  const [calls] = decodeFunctionData({ abi: multicall3Abi, data }).args as readonly [
    readonly { target: Hex; callData: Hex }[],
  ];
  const results = calls.map(({ target, callData }) => call({ to: target, data: callData }, block));
  return encodeFunctionResult({
    abi: multicall3Abi,
    functionName: "aggregate3",
    result: results.map((result) => ({ success: result !== null, returnData: result ?? "0x" })),
  });
}

function answer(method: string, params: unknown[]): unknown {
  switch (method) {
    case "eth_chainId":
      return numberToHex(CHAIN_ID);
    case "eth_blockNumber":
      return numberToHex(head);
    case "eth_getBlockByNumber": {
      const number = params[0] === "latest" ? head : Number(params[0]);
      return number > head ? null : block(number);
    }
    case "eth_getBlockByHash":
      return block(numberOf(params[0] as Hex));
    case "eth_getLogs":
      return logs(params[0] as Filter);
    case "eth_call": {
      const result = call(params[0] as Call, params[1] === "latest" ? head : Number(params[1]));
      if (result !== null) return result;
      throw Object.assign(new Error("execution reverted"), { code: 3 });
    }
    case "synthetic_counts": {
      const { synthetic_counts: _, ...counted } = counts;
      counts = {};
      return counted;
    }
    case "synthetic_setHead":
      head = params[0] as number;
      return head;
    default:
      throw Object.assign(new Error(`the method ${method} does not exist`), { code: -32601 });
  }
}

const { port } = await startNode(
  ({ id, method, params }) => {
    count(method);
    try {
      return { jsonrpc: "2.0", id, result: answer(method, params ?? []) };
    } catch (error) {
      const { code = -32603, message } = error as Error & { code?: number };
      return { jsonrpc: "2.0", id, error: { code, message } };
    }
  },
  () => count("HTTP"),
);
process.send?.(port);
