/** A JSON-RPC node in front of the chain's that fails as nodes do: as a server, in what it answers, and in what it does with transactions. */
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { keccak256, parseTransaction, recoverTransactionAddress } from "viem";
import { listen } from "./listen.ts";

/** What is wrong with the server: every request is meant. */
const SERVER = [
  "error",
  "cut",
  /** Done, and cut before the answer. */
  "lost",
  "slow",
  /** Nothing comes, for longer than anybody waits. */
  "hanging",
  /** 429 with Retry-After. */
  "busy",
  /** One request in eight is answered with an error of the node. */
  "flaky",
  /** Half of the JSON. */
  "truncated",
] as const;
/** What is wrong with its word on the chain. */
const CHAIN = [
  "wrong-chain",
  "null-blocks",
  /** A few blocks behind the others. */
  "lagging",
  /** Its height goes backwards, further and further. */
  "syncing",
  /** Takes no more than a few blocks in one eth_getLogs. */
  "narrow",
  /** Leaves every third log out of the first answer that would have it. */
  "omits",
] as const;
/** What becomes of transactions that are handed in. */
const POOL = [
  /** In the pool, and the answer is lost. */
  "sent-lost",
  "sent-known",
  "sent-nonce-low",
  /** Refused as too cheap, or as a replacement that is too cheap. */
  "sent-underpriced",
  /** Accepted and forgotten. */
  "sent-dropped",
  /** Accepted, and in the pool later. */
  "sent-late",
  /** Accepted and kept back, until somebody offers more for the same nonce. */
  "sent-stuck",
] as const;
/** What a test asks for by name; whoever draws one of the others does not. */
const BY_NAME = [
  /** Knows no logs of a block that is named by its hash. */
  "forgetful",
  /** Refuses every transaction that calls a contract for good, and takes empty ones. */
  "sent-refused",
] as const;
export const NODE_MODES = { server: SERVER, chain: CHAIN, pool: POOL };
export type NodeMode =
  | (typeof SERVER)[number]
  | (typeof CHAIN)[number]
  | (typeof POOL)[number]
  | (typeof BY_NAME)[number];

export type TroubledNode = { url: string; mode: NodeMode | null; readonly forgotten: number; close(): void };

type Call = { id: unknown; method: string; params: unknown[] };
type Answer = { jsonrpc: "2.0"; id: unknown; result?: unknown; error?: { code: number; message: string } };

const SLOW_MS = 1_500;
const LATE_MS = 1_500;
const LAG_BLOCKS = 6;
const NARROW_BLOCKS = 8;

/** @param rpcUrl whom it asks */
export async function startTroubledNode(rpcUrl: string): Promise<TroubledNode> {
  const agent = new Agent({ keepAlive: true });
  const hanging = new Set<ServerResponse>();
  /** Fee and hash of what is kept back, by sender and nonce. */
  const stuck = new Map<string, bigint>();
  /** Places of logs that were asked for while it omits. */
  const places = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let mode: NodeMode | null = null;
  let since = 0;
  let asked = 0;
  let forgotten = 0;

  const server = await listen((incoming, outgoing) => {
    if (mode === "cut") return void incoming.socket.destroy();
    if (mode === "error") return void outgoing.writeHead(502).end("bad gateway");
    if (mode === "busy") return void outgoing.writeHead(429, { "retry-after": "1" }).end("too many requests");
    if (mode === "hanging") return void hanging.add(outgoing);
    if (mode === null || mode === "lost") return pass(incoming, outgoing);
    if (mode === "slow") return void after(SLOW_MS, () => pass(incoming, outgoing));
    answer(incoming, outgoing, mode).catch(() => outgoing.destroy());
  });

  /** Request and answer as they are. */
  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { "content-length": length, "content-type": type } = incoming.headers;
    const headers = { ...(length && { "content-length": length }), ...(type && { "content-type": type }) };
    const inner = request(rpcUrl, { method: "POST", headers, agent }, (response) => {
      if (mode === "lost") {
        response.resume();
        return void outgoing.destroy();
      }
      outgoing.writeHead(response.statusCode ?? 502, { "content-type": "application/json" });
      response.pipe(outgoing);
    });
    inner.on("error", () => outgoing.destroy());
    incoming.pipe(inner);
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse, now: NodeMode): Promise<void> {
    const body = (await json(incoming)) as Call | Call[];
    const answers = await Promise.all((Array.isArray(body) ? body : [body]).map((call) => answerTo(call, now)));
    if (answers.includes(null)) return void outgoing.destroy();
    const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(now === "truncated" ? text.slice(0, text.length / 2) : text);
  }

  /** @returns null when no answer is to come */
  async function answerTo(call: Call, now: NodeMode): Promise<Answer | null> {
    const refused = (code: number, message: string): Answer => ({
      ...{ jsonrpc: "2.0", id: call.id },
      error: { code, message },
    });
    if (now === "flaky" && asked++ % 8 === 7) return refused(-32603, "internal error");
    if (now === "wrong-chain" && call.method === "eth_chainId") return { jsonrpc: "2.0", id: call.id, result: "0x1" };
    if (call.method === "eth_sendRawTransaction" && now.startsWith("sent-")) return handIn(call, now, refused);
    if (now === "lagging" || now === "syncing") return behind(call, now === "lagging" ? LAG_BLOCKS : syncingBlocks());
    if (now === "forgetful" && call.method === "eth_getLogs" && "blockHash" in (call.params[0] as object)) {
      forgotten++;
      return refused(-32000, "unknown block");
    }
    if (now === "narrow" && call.method === "eth_getLogs") {
      const { fromBlock, toBlock } = call.params[0] as { fromBlock?: string; toBlock?: string };
      if (Number(toBlock) - Number(fromBlock) >= NARROW_BLOCKS)
        return refused(-32005, `query exceeds max block range ${NARROW_BLOCKS}`);
    }
    const given = await ask(call);
    if (now === "omits" && call.method === "eth_getLogs" && Array.isArray(given.result))
      return { ...given, result: given.result.filter((log) => !omits(log as { blockHash: string; logIndex: string })) };
    const isBlock = call.method.startsWith("eth_getBlockBy") || call.method === "eth_getTransactionReceipt";
    if (now === "null-blocks" && isBlock && asked++ % 2 === 1) return { ...given, result: null };
    return given;
  }

  function omits({ blockHash, logIndex }: { blockHash: string; logIndex: string }): boolean {
    const place = `${blockHash} ${logIndex}`;
    if (places.has(place)) return false;
    places.add(place);
    return places.size % 3 === 0;
  }

  const ask = async (call: Call): Promise<Answer> => {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...call }),
    });
    return (await response.json()) as Answer;
  };
  const syncingBlocks = () => Math.min(90, 3 + Math.floor((Date.now() - since) / 60));

  /** The answer of a node that has not seen the newest blocks. */
  async function behind(call: Call, blocks: number): Promise<Answer> {
    const { result } = await ask({ id: 0, method: "eth_blockNumber", params: [] });
    const head = Math.max(0, Number(result) - blocks);
    const shown = `0x${head.toString(16)}`;
    if (call.method === "eth_blockNumber") return { jsonrpc: "2.0", id: call.id, result: shown };
    const named = (value: unknown) => value === "latest" || value === "pending" || value === "safe";
    const given = await ask({ ...call, params: call.params.map((value) => (named(value) ? shown : value)) });
    const above = (found: unknown) =>
      found !== null &&
      typeof found === "object" &&
      Number(
        (found as { blockNumber?: string; number?: string }).blockNumber ?? (found as { number?: string }).number,
      ) > head;
    if (Array.isArray(given.result)) return { ...given, result: given.result.filter((entry) => !above(entry)) };
    return above(given.result) ? { ...given, result: null } : given;
  }

  async function handIn(
    call: Call,
    now: NodeMode,
    refused: (code: number, message: string) => Answer,
  ): Promise<Answer | null> {
    const raw = call.params[0] as `0x02${string}`;
    if (now === "sent-refused" && parseTransaction(raw).data !== undefined)
      return refused(-32003, "exceeds block gas limit");
    if (now === "sent-refused") return ask(call);
    const accepted: Answer = { jsonrpc: "2.0", id: call.id, result: keccak256(raw) };
    if (now === "sent-underpriced")
      return refused(-32000, `${asked++ % 2 ? "replacement " : ""}transaction underpriced`);
    if (now === "sent-dropped") return accepted;
    if (now === "sent-late") {
      after(LATE_MS, () => void ask(call).catch(() => {}));
      return accepted;
    }
    if (now === "sent-stuck") {
      const { nonce, maxFeePerGas = 0n } = parseTransaction(raw);
      const key = `${await recoverTransactionAddress({ serializedTransaction: raw })} ${nonce}`;
      const offered = stuck.get(key);
      if (offered === undefined || maxFeePerGas <= offered) {
        stuck.set(key, offered ?? maxFeePerGas);
        return accepted;
      }
      return ask(call);
    }
    await ask(call);
    if (now === "sent-known") return refused(-32000, "already known");
    return now === "sent-nonce-low" ? refused(-32003, "nonce too low") : null;
  }

  function after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  return {
    url: server.url,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      since = Date.now();
      for (const response of hanging) response.destroy();
      hanging.clear();
      if (next === null) stuck.clear();
    },
    /** How often it has refused as "forgetful". */
    get forgotten() {
      return forgotten;
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      server.close();
      agent.destroy();
    },
  };
}
