/** Errors of nodes in their own words: what each means, and the limits that they name. */
import { describe, expect, it } from "vitest";
import { type Fault, faultOf, namedGas, namedPause, namedRange } from "../../clients/rpc/errors.ts";
import { refusal } from "../../clients/rpc/refusals.ts";

const LOGS = "eth_getLogs";
const CALL = "eth_call";
const SEND = "eth_sendRawTransaction";

/** Method, code, text, meaning. Clients first, then hosted providers. */
const ERRORS: [string, number, string, Fault][] = [
  // geth, op-geth
  [CALL, 3, "execution reverted: no", "execution"],
  [CALL, -32000, "execution reverted", "execution"],
  ["eth_estimateGas", -32000, "gas required exceeds allowance (5000000)", "execution"],
  [CALL, -32000, "out of gas", "execution"],
  [CALL, -32000, "missing trie node 0a (path ) state 0x0b is not available, not found", "state"],
  [CALL, -32000, "historical state 0b is not available", "state"],
  [CALL, -32000, "header not found", "block"],
  [LOGS, -32000, "unknown block", "block"],
  [LOGS, -32602, "block range extends beyond current head block", "block"],
  [LOGS, -32000, "invalid block range params", "block"],
  [LOGS, -32602, "exceed max addresses or topics per search position", "request"],
  [CALL, -32000, "transaction gas limit too high (cap: 16777216, tx: 20000000)", "gas"],
  [CALL, -32000, "err: insufficient funds for gas * price + value: address 0x0 (supplied gas 50000000)", "request"],
  [SEND, -32000, "nonce too low: next nonce 5, tx nonce 4", "request"],
  [SEND, -32000, "txpool is full", "request"],
  [SEND, -32000, "future transaction tries to replace pending", "request"],
  // reth
  [CALL, 4444, "state at block #5 is pruned", "state"],
  [CALL, -32602, "distance to target block exceeds maximum proof window", "state"],
  [LOGS, -32602, "query exceeds max block range 100000", "range"],
  [LOGS, -32602, "query exceeds max results 20000, retry with the range 1-500", "range"],
  [CALL, -32003, "caller gas limit exceeds the block gas limit", "gas"],
  // erigon
  [CALL, -32000, "old data not available due to pruning", "state"],
  [LOGS, -32000, "block with hash 0x12 was not found", "block"],
  // nethermind
  [CALL, -32002, "No state available for block 5", "state"],
  [LOGS, -32016, "Request was canceled due to enabled timeout.", "size"],
  [SEND, -32010, "AlreadyKnown", "request"],
  // besu
  [CALL, -32000, "World state unavailable", "state"],
  [LOGS, -32005, "Requested range exceeds maximum RPC range limit", "range"],
  [SEND, -32001, "Nonce too low", "request"],
  [SEND, -32004, "Upfront cost exceeds account balance", "request"],
  // anvil
  [CALL, -32603, "BlockOutOfRangeError: block height is 9 but requested was 1", "state"],
  // hosted
  [LOGS, -32614, "eth_getLogs is limited to a 2,000 range", "range"],
  [LOGS, -32005, "query returned more than 10000 results. Try with this block range [0x1, 0x5].", "range"],
  [LOGS, -32005, "query returned more than 10000 results", "size"],
  [LOGS, -32602, "Log response size exceeded. this block range should work: [0x1, 0x5]", "range"],
  [LOGS, -32000, "Block range limit exceeded. See more details at https://docs.chainstack.com", "range"],
  [LOGS, 35, "ranges over 10000 blocks are not supported on freetier", "range"],
  [LOGS, -32020, "backend response too large", "size"],
  [LOGS, -32000, "query timeout exceeded", "size"],
  [LOGS, -32602, "Archive requests require a personal token", "state"],
  [CALL, 429, "Your app has exceeded its compute units per second capacity", "rate"],
  [CALL, -32016, "over rate limit", "rate"],
  [CALL, -32005, "daily request count exceeded, request rate limited", "rate"],
  [CALL, -32007, "50/second request limit reached - reduce calls per second or upgrade your account", "rate"],
  [CALL, -32001, "You've reached the usage limit for your current plan", "rate"],
  [SEND, 429, "Too many requests", "rate"],
  [CALL, -32011, "no backend is currently healthy to serve traffic", "node"],
  [CALL, -32603, "internal error", "node"],
  ["eth_feeHistory", -32601, "the method eth_feeHistory does not exist/is not available", "node"],
];

it.each(ERRORS)("%s %i %j means %s", (method, code, message, fault) => {
  expect(faultOf(method, { code, message })).toBe(fault);
});

it("data of a revert makes it an execution, whatever the text and the code say", () => {
  expect(faultOf(CALL, { code: -32603, message: "internal error", data: "0x08c379a0" })).toBe("execution");
  expect(faultOf(CALL, { code: -32000, message: "VM error", data: { data: "0x" } })).toBe("execution");
});

describe("the limit that a refusal names", () => {
  it.each([
    ["eth_getLogs is limited to a 10,000 range", 10_000],
    ["You can make eth_getLogs requests with up to a 2K block range", 2_000],
    ["this block range should work: [0x1, 0x5]", 5],
    ["query exceeds max results 20000, retry with the range 1-500", 500],
    ["Maximum allowed number of requested blocks is 1000", 1_000],
    ["requested too many blocks from 1 to 2000, maximum is set to 1000", 1_000],
    ["exceeds the range allowed for your plan (20000 > 1000)", 1_000],
    ["eth_getLogs range is too large, max is 1k blocks", 1_000],
    ["range 20000 exceeds limit of 10000", 10_000],
    ["maximum [from, to] blocks distance: 3000", 3_000],
    ["please limit the query to at most 500 blocks", 500],
    ["block range is too wide (maximum 1024)", 1_024],
    ["Block range limit exceeded.", null],
    ["limited to a 0 range", null],
    ["limited to a 99,999,999 range", null],
  ])("%j is %j blocks", (message, blocks) => {
    expect(namedRange(message, 50_000)).toBe(blocks);
  });

  it("counts logs in some words, which name no range", () => {
    expect(namedRange("query returned more than 10000 results", 50_000, false)).toBe(null);
  });

  it("is read for gas and for pauses too", () => {
    expect(namedGas("transaction gas limit too high (cap: 16777216, tx: 20000000)", 20_000_000)).toBe(16_777_216);
    expect(namedGas("gas too high", 20_000_000)).toBe(null);
    expect(namedPause({ code: 429, message: "please try again in 250ms" })).toBe(0.25);
    expect(namedPause({ code: 429, message: "slow down", data: { rate: { backoff_seconds: 30 } } })).toBe(30);
    expect(namedPause({ code: 429, message: "retry after 99999 seconds" })).toBeLessThanOrEqual(900);
    expect(namedPause({ code: 429, message: "too many requests" })).toBe(null);
  });
});

it("refusals of a transaction keep their meaning in every node's words", () => {
  expect(refusal("already known").kind).toBe("known");
  expect(refusal("Nonce too low").kind).toBe("nonce_used");
  expect(refusal("replacement transaction underpriced").kind).toBe("underpriced");
  expect(refusal("insufficient funds for gas * price + value").kind).toBe("unfunded");
  expect(refusal("Upfront cost exceeds account balance").kind).toBe("unfunded");
  expect(refusal("transaction gas limit too high (cap: 16777216, tx: 20000000)").kind).toBe("refused");
});
