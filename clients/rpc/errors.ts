/** Errors of JSON-RPC nodes, in one place: which describe the request, and which a limit or an error of the node. */
import type { Hex } from "../../core/agents/facts.ts";
import { fail } from "../../core/errors.ts";
import { isKnownRefusal } from "./refusals.ts";

/** The member `error` of an answer. `data` is of any shape. */
export type RpcErrorBody = { code: number; message: string; data?: unknown };

/** The node's own answer about the request: a revert, invalid parameters, a transaction that it does not take. */
export class RpcRequestError extends Error {
  readonly code: number;
  /** The node's text, at most 2,000 characters. */
  readonly details: string;
  readonly data: unknown;
  constructor({ code, message, data }: RpcErrorBody) {
    const details = message.slice(0, 2_000);
    super(details);
    this.name = "RpcRequestError";
    this.code = code;
    this.details = details;
    this.data = data;
  }
}

export type Fault =
  /** The execution failed: every node would answer the same. */
  | "execution"
  /** The request itself is refused. */
  | "request"
  /** Too many requests, or compute units, in a time. */
  | "rate"
  /** More blocks than one eth_getLogs may have. */
  | "range"
  /** An answer larger, or a query longer, than the node allows. */
  | "size"
  /** More gas than the node grants to one call. */
  | "gas"
  /** The node does not keep the state of that block. */
  | "state"
  /** This node, or this backend of its URL, does not have the block (yet). */
  | "block"
  /** An error of the node: its answer says nothing about the request. */
  | "node";

/** JSON-RPC error codes that describe the node: parse, internal, resource, limits, unknown method. */
const NODE_CODES = new Set([-32700, -32603, -32001, -32002, -32005, -32007, -32601, -32014, -32016, 429]);

/** Texts of a failed execution; nodes use different codes for it. */
const EXECUTION = /revert|out ?of ?gas|gas required exceeds|invalid opcode|stack (under|over)flow|EVM error (?!Fatal)/i;

/** Texts by fault, tried in this order: geth, reth, erigon, nethermind, besu, op-geth, anvil, and the hosted providers. */
const STATE =
  /missing trie node|BlockOutOfRange|historical state|state .{0,60}(pruned|not available|unavailable|not found)|(no|world) state (available|unavailable|found)|old data not available|(data|block|history).{0,60}pruned|archive (node|data|request|plan|access|mode|tier)|requires? (an )?archive|(most recent|last) \d+ blocks|state histor|metadata is not found|proof window/i;
const BLOCK =
  /header not found|header for hash not found|block .{0,40}not found|(unknown|missing) block|beyond (the )?(current )?head|after last (accepted|known)? ?block|blocks? specified in filter.{0,60}cannot be found|cannot (find|query) .{0,30}block|could not find block|block .{0,30}(is )?not (yet )?(available|known|imported|finalized yet)|requested block|invalid block range/i;
const SIZE =
  /(response|result|log|payload|body|message).{0,40}(too (large|big)|size|exceed)|returned more than|too many (results|logs|events)|more than [\d,]+ (results|logs)|(max|maximum|exceeds?) (results|logs)|results? (limit|exceed)|time(d)? ?out|deadline exceeded|query (took|takes) too long/i;
const RANGE =
  /(block|blocks|log|logs|query|eth_getLogs|filter).{0,60}(range|distance|span)|range.{0,60}(limit|exceed|large|wide|big|max|block|allowed)|max(imum)?.{0,10}range|too many blocks|(limited to|limit.{0,20}to|up to|at most|maximum|max).{0,40}blocks?|requested number of blocks|this block range should work/i;
const RATE =
  /too many requests?|rate.{0,3}limit|over rate|request rate|compute unit|throughput|(capacity|quota|credits?|usage).{0,40}(exceed|limit|reach|exhaust)|(exceed|reach).{0,60}(quota|capacity|credits|usage|per (second|minute|day))|requests? (count|limit)|per second|throttl|slow down|limit exceeded|daily .{0,20}limit/i;
/** Of a transaction only these: a full pool or an account's limit in it is a refusal. */
const SENDING_RATE =
  /too many requests?|rate.{0,3}limit|over rate|request rate|compute unit|requests? .{0,20}limit|per second/i;
const GAS =
  /gas.{0,40}(exceed|above|greater|higher|more than|too high|\bcap\b|maximum|max )|(exceed|above|greater than).{0,40}gas.{0,12}(limit|cap|maximum|allow)/i;
const NODE_TEXT =
  /time(d)? ?out|temporar|internal (server )?error|overload|unavailable|healthy|syncing|try again|bad gateway|method .{0,60}(not (found|supported|available|allowed|exist)|does not exist|disabled)|unauthori[sz]ed|forbidden|api key/i;

/** What a node's error about a request of this method means. */
export function faultOf(method: string, error: RpcErrorBody): Fault {
  const { code, message, data } = error;
  if (method === "eth_sendRawTransaction") return faultOfSending(error);
  const executes = method === "eth_call" || method === "eth_estimateGas";
  if (executes && (code === 3 || revertData(data) !== null || EXECUTION.test(message))) return "execution";
  if (STATE.test(message)) return "state";
  if (BLOCK.test(message)) return "block";
  if (code === 429) return "rate";
  if (method === "eth_getLogs") {
    if (RATE.test(message) && !/block/i.test(message)) return "rate";
    if (RANGE.test(message) && !/invalid block range|fromBlock.{0,30}(after|greater|higher)/i.test(message))
      return "range";
    if (SIZE.test(message)) return "size";
  }
  if (RATE.test(message)) return "rate";
  if (executes && GAS.test(message)) return "gas";
  return NODE_CODES.has(code) || NODE_TEXT.test(message) ? "node" : "request";
}

/** A refusal of a transaction with any code is an answer: besu uses codes for it that mean an error elsewhere. */
function faultOfSending({ code, message }: RpcErrorBody): Fault {
  if (isKnownRefusal(message)) return "request";
  if (code === 429 || SENDING_RATE.test(message)) return "rate";
  return NODE_CODES.has(code) || NODE_TEXT.test(message) ? "node" : "request";
}

/** Whether the node's text says that the execution failed. */
export const isExecutionError = (error: RpcRequestError): boolean => EXECUTION.test(error.details);

/** Whether a whole batch is refused for its number of requests or its size, and not for the rate. */
export const isBatchRefusal = ({ code, message }: RpcErrorBody): boolean =>
  code === -32014 || /batch/i.test(message) || !(code === 429 || RATE.test(message));

/** Revert data is in `data`, or one level deeper with some nodes; null: there is none. */
export function revertData(data: unknown): Hex | null {
  if (typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) return data as Hex;
  if (data !== null && typeof data === "object" && "data" in data) return revertData(data.data);
  return null;
}

/** A range of blocks that the node proposes, from and to included. */
const PROPOSED =
  /(?:\[\s*(0x[0-9a-f]{1,16})\s*,\s*(0x[0-9a-f]{1,16})\s*\]|retry with the range (\d{1,16})-(\d{1,16}))/i;
/** A number of blocks with the words that call it the limit. */
const NAMED = [
  /\(\d[\d,]* ?> ?(\d[\d,.]*)\)/,
  /(?:limited to|limit the query to|up to|at most|maximum(?: block)? (?:range|distance|is set to|of|allowed)|max(?:imum)?(?: allowed)?(?: block)?(?: range| is| of)?|range (?:of|limit(?: is)?(?: of)?|exceeds?(?: max)?)|greater than|larger than|wider than|more than|smaller than size|limit:?|blocks is|distance:?)[^\d[]{0,24}(\d[\d,.]*)\s*(k)?/i,
  /(\d[\d,.]{0,20})\s{0,8}(k)?[ -]block/i,
];

/**
 * The number of blocks that a refusal of eth_getLogs names as allowed; null when it names none below the asked one.
 * @param range blocks of the refused request
 * @param named false: its numbers count logs or bytes, so only a proposed range is read
 */
export function namedRange(message: string, range: number, named = true): number | null {
  const proposed = PROPOSED.exec(message);
  if (proposed) {
    const window = Number(proposed[2] ?? proposed[4]) - Number(proposed[1] ?? proposed[3]) + 1;
    return window >= 1 && window < range ? window : null;
  }
  for (const pattern of named ? NAMED : []) {
    const match = pattern.exec(message);
    if (!match) continue;
    const blocks = Number(match[1]!.replaceAll(/[,.]/g, "")) * (match[2] ? 1_000 : 1);
    if (blocks >= 1 && blocks < range) return blocks;
  }
  return null;
}

/** The gas that a refusal names as the cap; null when it names none below the asked one. */
export function namedGas(message: string, asked: number): number | null {
  const numbers = [...message.matchAll(/0x[0-9a-f]{1,16}|\d[\d,_]{4,}/gi)].map(([digits]) =>
    Number(digits.replaceAll(/[,_]/g, "")),
  );
  const below = numbers.filter((gas) => gas >= 21_000 && gas < asked);
  return below.length === 0 ? null : Math.max(...below);
}

/** Seconds that an error names until the next request may come; null: none. */
export function namedPause({ message, data }: RpcErrorBody): number | null {
  const match = /(?:try again|retry|wait|reset)[^\d]{0,24}(\d{1,4})(?:\.\d+)? ?(ms|s|sec|m|min)?/i.exec(message);
  const rate = (data as { rate?: { backoff_seconds?: unknown } } | null | undefined)?.rate?.backoff_seconds;
  if (typeof rate === "number" && rate > 0) return Math.min(rate, 900);
  if (!match) return null;
  const unit = match[2]?.toLowerCase();
  const seconds = Number(match[1]) * (unit === "ms" ? 0.001 : unit?.startsWith("m") ? 60 : 1);
  return Math.min(seconds, 900);
}

/** @throws Failure upstream_unavailable, always */
export function unreachable(cause: unknown): never {
  return fail("upstream_unavailable", "The chain cannot be reached at the moment.", { retryAfter: 5, cause });
}
