/** A JSON-RPC node in front of the chain's that fails as nodes do: as a server, in what it answers, and in what it does with transactions. */
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { keccak256, parseTransaction, recoverTransactionAddress } from "viem";
import { jsonRequest } from "./json-request.ts";
import { type LoopbackServer, listen } from "./listen.ts";

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
  /** Accepted and kept back, until a transaction with a higher fee comes for the same nonce. */
  "sent-stuck",
] as const;
/** What a test asks for by name; a random choice has none of these. */
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

type Call = { id: unknown; method: string; params: unknown[] };
type Answer = { jsonrpc: "2.0"; id: unknown; result?: unknown; error?: { code: number; message: string } };

const SLOW_MS = 1_500;
const LATE_MS = 1_500;
const LAG_BLOCKS = 6;
const NARROW_BLOCKS = 8;

/** @param rpcUrl whom it asks */
export async function startTroubledNode(rpcUrl: string): Promise<TroubledNode> {
  let node: TroubledNode | undefined;
  const server = await listen((incoming, outgoing) => node!.serve(incoming, outgoing));
  node = new TroubledNode(rpcUrl, server);
  return node;
}

export class TroubledNode {
  readonly url: string;
  /** How often it has refused as "forgetful". */
  forgotten = 0;
  readonly #rpcUrl: string;
  readonly #server: LoopbackServer;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #hanging = new Set<ServerResponse>();
  /** Fee of what is kept back, by sender and nonce. */
  readonly #stuck = new Map<string, bigint>();
  /** Places of logs that were asked for while it omits. */
  readonly #places = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #mode: NodeMode | null = null;
  #since = 0;
  #asked = 0;

  constructor(rpcUrl: string, server: LoopbackServer) {
    this.#rpcUrl = rpcUrl;
    this.#server = server;
    this.url = server.url;
  }

  get mode(): NodeMode | null {
    return this.#mode;
  }

  set mode(next: NodeMode | null) {
    this.#mode = next;
    this.#since = Date.now();
    for (const response of this.#hanging) response.destroy();
    this.#hanging.clear();
    if (next === null) this.#stuck.clear();
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.close();
    this.#agent.destroy();
  }

  /** Answers a request as the server is now. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const now = this.#mode;
    if (now === "cut") return void incoming.socket.destroy();
    if (now === "error") return void outgoing.writeHead(502).end("bad gateway");
    if (now === "busy") return void outgoing.writeHead(429, { "retry-after": "1" }).end("too many requests");
    if (now === "hanging") return void this.#hanging.add(outgoing);
    if (now === null || now === "lost") return void this.#pass(incoming, outgoing);
    if (now === "slow") return void this.#after(SLOW_MS, () => this.#pass(incoming, outgoing));
    this.#answer(incoming, outgoing, now).catch(() => outgoing.destroy());
  }

  /** Request and answer as they are. */
  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { "content-length": length, "content-type": type } = incoming.headers;
    const headers = { ...(length && { "content-length": length }), ...(type && { "content-type": type }) };
    const inner = request(this.#rpcUrl, { method: "POST", headers, agent: this.#agent }, (response) => {
      if (this.#mode === "lost") {
        response.resume();
        return void outgoing.destroy();
      }
      outgoing.writeHead(response.statusCode ?? 502, { "content-type": "application/json" });
      response.pipe(outgoing);
    });
    inner.on("error", () => outgoing.destroy());
    incoming.pipe(inner);
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse, now: NodeMode): Promise<void> {
    const body = (await json(incoming)) as Call | Call[];
    const answers = await Promise.all((Array.isArray(body) ? body : [body]).map((call) => this.#answerTo(call, now)));
    if (answers.includes(null)) return void outgoing.destroy();
    const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(now === "truncated" ? text.slice(0, text.length / 2) : text);
  }

  /** @returns null when no answer is to come */
  async #answerTo(call: Call, now: NodeMode): Promise<Answer | null> {
    const { method, params } = call;
    if (now === "flaky" && this.#asked++ % 8 === 7) return refused(call, -32603, "internal error");
    if (now === "wrong-chain" && method === "eth_chainId") return answered(call, "0x1");
    if (method === "eth_sendRawTransaction" && now.startsWith("sent-")) return this.#handIn(call, now);
    if (now === "lagging") return this.#behind(call, LAG_BLOCKS);
    if (now === "syncing") return this.#behind(call, Math.min(90, 3 + Math.floor((Date.now() - this.#since) / 60)));
    if (now === "forgetful" && method === "eth_getLogs" && "blockHash" in (params[0] as object)) {
      this.forgotten++;
      return refused(call, -32000, "unknown block");
    }
    if (now === "narrow" && method === "eth_getLogs") {
      const { fromBlock, toBlock } = params[0] as { fromBlock?: string; toBlock?: string };
      if (Number(toBlock) - Number(fromBlock) >= NARROW_BLOCKS)
        return refused(call, -32005, `query exceeds max block range ${NARROW_BLOCKS}`);
    }
    const given = await this.#ask(call);
    if (now === "omits" && method === "eth_getLogs" && Array.isArray(given.result))
      return { ...given, result: given.result.filter((log) => !this.#omits(log)) };
    const isBlock = method.startsWith("eth_getBlockBy") || method === "eth_getTransactionReceipt";
    if (now === "null-blocks" && isBlock && this.#asked++ % 2 === 1) return { ...given, result: null };
    return given;
  }

  #omits({ blockHash, logIndex }: { blockHash: string; logIndex: string }): boolean {
    const place = `${blockHash} ${logIndex}`;
    if (this.#places.has(place)) return false;
    this.#places.add(place);
    return this.#places.size % 3 === 0;
  }

  async #ask(call: Call): Promise<Answer> {
    const response = await fetch(this.#rpcUrl, jsonRequest("POST", { jsonrpc: "2.0", ...call }));
    return (await response.json()) as Answer;
  }

  /** The answer of a node that has not seen the newest blocks. */
  async #behind(call: Call, blocks: number): Promise<Answer> {
    const { result } = await this.#ask({ id: 0, method: "eth_blockNumber", params: [] });
    const head = Math.max(0, Number(result) - blocks);
    const shown = `0x${head.toString(16)}`;
    if (call.method === "eth_blockNumber") return answered(call, shown);
    const named = (value: unknown) => value === "latest" || value === "pending" || value === "safe";
    const given = await this.#ask({ ...call, params: call.params.map((value) => (named(value) ? shown : value)) });
    const above = (found: unknown) => {
      const { blockNumber, number } = (found ?? {}) as { blockNumber?: string; number?: string };
      return Number(blockNumber ?? number) > head;
    };
    if (Array.isArray(given.result)) return { ...given, result: given.result.filter((entry) => !above(entry)) };
    return above(given.result) ? { ...given, result: null } : given;
  }

  /** What becomes of a transaction. @returns null when no answer is to come */
  async #handIn(call: Call, now: NodeMode): Promise<Answer | null> {
    const raw = call.params[0] as `0x02${string}`;
    const accepted = answered(call, keccak256(raw));
    switch (now) {
      case "sent-refused":
        return parseTransaction(raw).data === undefined
          ? this.#ask(call)
          : refused(call, -32003, "exceeds block gas limit");
      case "sent-underpriced":
        return refused(call, -32000, `${this.#asked++ % 2 ? "replacement " : ""}transaction underpriced`);
      case "sent-dropped":
        return accepted;
      case "sent-late":
        this.#after(LATE_MS, () => void this.#ask(call).catch(() => {}));
        return accepted;
      case "sent-stuck":
        return (await this.#keepsBack(raw)) ? accepted : this.#ask(call);
    }
    await this.#ask(call);
    if (now === "sent-known") return refused(call, -32000, "already known");
    return now === "sent-nonce-low" ? refused(call, -32003, "nonce too low") : null;
  }

  /** Whether a transaction stays kept back: unless it offers more for its nonce than the first one did. */
  async #keepsBack(raw: `0x02${string}`): Promise<boolean> {
    const { nonce, maxFeePerGas = 0n } = parseTransaction(raw);
    const key = `${await recoverTransactionAddress({ serializedTransaction: raw })} ${nonce}`;
    const offered = this.#stuck.get(key);
    if (offered !== undefined && maxFeePerGas > offered) return false;
    this.#stuck.set(key, offered ?? maxFeePerGas);
    return true;
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}

const answered = ({ id }: Call, result: unknown): Answer => ({ jsonrpc: "2.0", id, result });
const refused = ({ id }: Call, code: number, message: string): Answer => ({
  ...{ jsonrpc: "2.0", id },
  error: { code, message },
});
