/** The way of one request over the nodes: which node is tried next, what is tried again, and when it fails. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RpcRole } from "../../core/operations/rpc-roles.ts";
import { type Fault, RpcRequestError, unreachable } from "./errors.ts";
import type { Outcome, RpcNodeConnection } from "./node.ts";
import type { RpcCall } from "./post.ts";
import { refusal } from "./refusals.ts";
import { blockNumber, blocksOf, gasOf, headIn, readsRange, roleOf, withGas } from "./requests.ts";

type Result = { result: unknown; bytes: number };

/** The node to be asked takes at most `blocks` blocks of the eth_getLogs, fewer than the request has. */
export class TooWide extends Error {
  readonly blocks: number;
  constructor(blocks: number) {
    super(`at most ${blocks} blocks at once`);
    this.blocks = blocks;
  }
}

export type RouteParts = {
  /** Nodes in the order in which they are tried; `met.busy` is set for those that are left out because they are paused. */
  candidates(role: RpcRole, met: RequestErrors): Iterable<RpcNodeConnection>;
  ask(node: RpcNodeConnection, call: RpcCall): Promise<Outcome>;
  /** Milliseconds until the first paused node accepts requests; Infinity: none is paused. */
  pausedMs(): number;
  /** Max milliseconds that a request waits for paused nodes. */
  maxWaitMs: number;
  now(): number;
};

/** Milliseconds between two rounds over nodes that all failed, and the number of rounds. */
const ERROR_PAUSE_MS = 100;
const ERROR_ROUNDS = 2;
/** Milliseconds between the rounds for a block that a backend does not have yet. */
const BLOCK_PAUSES_MS = [50, 100, 200, 400];
/** Min milliseconds between two rounds over nodes that accept nothing. */
const BUSY_PAUSE_MS = 50;
/** Milliseconds for which a named head says that its blocks exist. */
const HEAD_MS = 10_000;
/** Tries of a call at one node, each with less gas. */
const GAS_TRIES = 6;

/** What one request has met so far. */
export type RequestErrors = {
  /** The refusal of the request itself, of old state, of an unknown block. */
  request?: RpcRequestError;
  state?: RpcRequestError;
  block?: RpcRequestError | Result;
  /** Cause of the last error. */
  error?: unknown;
  busy?: boolean;
};

/** The way over the nodes of one pool. */
export class Route {
  readonly #parts: RouteParts;
  #newest = { block: -1, at: -Infinity };

  constructor(parts: RouteParts) {
    this.#parts = parts;
  }

  /** The newest block that a node named within the last 10 s; null: unknown. */
  head(): number | null {
    return this.#parts.now() - this.#newest.at > HEAD_MS ? null : this.#newest.block;
  }

  /**
   * Sends one request until a node answers it.
   * @param accepts false: the node left something out of this result, so another one is tried
   * @throws RpcRequestError, Failure as RpcPool.request does; TooWide for an eth_getLogs
   */
  async send(call: RpcCall, accepts: (result: unknown) => boolean = () => true): Promise<Result> {
    if (call.method === "eth_sendRawTransaction") return this.#sendTransaction(call);
    const { candidates, now } = this.#parts;
    const startedAt = now();
    let rounds = 0;
    let blocks = 0;
    let tries = 0;
    for (;;) {
      const met: RequestErrors = {};
      for (const node of candidates(roleOf(call), met)) {
        if (tries++ > 0) node.retried();
        const answer = await this.#tryNode(node, call, { met, accepts });
        if (answer) return answer;
      }
      if (met.request) throw met.request;
      if (met.block && blocks < BLOCK_PAUSES_MS.length) await sleep(BLOCK_PAUSES_MS[blocks++]);
      else if ("error" in met && ++rounds < ERROR_ROUNDS) await sleep(ERROR_PAUSE_MS);
      else if (met.busy) await this.#waitForTurn(startedAt, met);
      else if ("error" in met) unreachable(met.error);
      else if (met.block && !(met.block instanceof RpcRequestError)) return met.block;
      else throw met.block ?? met.state ?? unreachable(new Error("no node is of the configured chain"));
    }
  }

  /**
   * Sends a transaction to the nodes until one accepts it. The same bytes may be sent repeatedly, but a refusal counts only
   * when no node may have taken them: after a lost answer, another node's refusal says nothing about the transaction.
   */
  async #sendTransaction(call: RpcCall): Promise<Result> {
    const { candidates, ask, now } = this.#parts;
    const startedAt = now();
    let lost: unknown;
    let tries = 0;
    for (let round = 1; ; ) {
      const met: RequestErrors = {};
      let held: RpcRequestError | undefined;
      for (const node of candidates("head", met)) {
        if (tries++ > 0) node.retried();
        const outcome = await ask(node, call);
        if (outcome.kind === "result") return outcome;
        if (outcome.kind === "busy") met.busy = true;
        else if (outcome.kind === "silence") {
          met.error = outcome.cause;
          if (outcome.sent) lost ??= outcome.cause;
        } else if (outcome.fault === "request") {
          if (isHeld(outcome.error)) held ??= outcome.error;
          met.request = outcome.error;
        } else met.error = lost ??= errorOf(node, outcome.error);
      }
      if (held) throw held;
      if (met.request && lost === undefined) throw met.request;
      if ("error" in met || met.request) {
        if (round++ >= ERROR_ROUNDS) unreachable(lost ?? met.error);
        await sleep(ERROR_PAUSE_MS);
      } else if (met.busy) await this.#waitForTurn(startedAt, met);
      else unreachable(new Error("no node is of the configured chain"));
    }
  }

  /** Tries one node. @returns its answer; null when another node is to be tried @throws RpcRequestError, TooWide */
  async #tryNode(
    node: RpcNodeConnection,
    call: RpcCall,
    { met, accepts }: { met: RequestErrors; accepts: (result: unknown) => boolean },
  ): Promise<Result | null> {
    for (let tries = 1; ; tries++) {
      const outcome = await this.#parts.ask(node, fitted(call, node, this.head()));
      if (outcome.kind === "result") {
        this.#noteHead(call, outcome.result);
        if (!accepts(outcome.result)) {
          node.omitted(1);
          met.error = new Error(`${node.host}: an answer to ${call.method} with something left out`);
          return null;
        }
        if (!this.#lacksBlock(call, outcome.result)) {
          node.limits.rangeAnswered(blocksOf(call, this.head()) ?? 0);
          return outcome;
        }
        met.block = outcome;
      } else if (outcome.kind === "busy") met.busy = true;
      else if (outcome.kind === "silence") {
        met.error = outcome.cause;
        if (outcome.late) this.#narrow(node, call, { words: "", named: false });
      } else if (outcome.fault === "gas" && tries < GAS_TRIES && lowersGas(node, call, outcome.error)) continue;
      else this.#note(node, call, { ...outcome, met });
      return null;
    }
  }

  /** Notes what a node's error means for the request. @throws RpcRequestError, TooWide */
  #note(
    node: RpcNodeConnection,
    call: RpcCall,
    { fault, error, met }: { fault: Fault; error: RpcRequestError; met: RequestErrors },
  ): void {
    if (fault === "execution") throw error;
    if (fault === "range" || fault === "size") {
      if (this.#narrow(node, call, { words: error.details, named: fault === "range" }))
        throw new TooWide(node.limits.range);
      met.error = errorOf(node, error);
    } else if (fault === "node") met.error = errorOf(node, error);
    else if (fault === "state") met.state = error;
    else if (fault === "block") met.block = error;
    else met.request = error;
  }

  /** Learns that a range was too wide. @returns whether a narrower one is possible */
  #narrow(node: RpcNodeConnection, call: RpcCall, { words, named }: { words: string; named: boolean }): boolean {
    const blocks = blocksOf(call, this.head());
    if (!readsRange(call) || blocks === 1) return false;
    if (blocks !== null) node.limits.rangeRefused(blocks, words, named);
    return true;
  }

  #noteHead(call: RpcCall, result: unknown): void {
    const block = headIn(call, result);
    if (block === null) return;
    if (block >= this.#newest.block || this.head() === null) this.#newest = { block, at: this.#parts.now() };
  }

  /** Whether the answer says "no such block" of a block that a node has named as its head, or of one below it. */
  #lacksBlock({ method, params }: RpcCall, result: unknown): boolean {
    if (result !== null || method !== "eth_getBlockByNumber") return false;
    const block = blockNumber(params[0]);
    return block !== null && block <= (this.head() ?? -1);
  }

  /** Waits until a node accepts requests. @throws Failure when that is beyond the pool's longest wait */
  async #waitForTurn(startedAt: number, met: RequestErrors): Promise<void> {
    const { now, pausedMs, maxWaitMs } = this.#parts;
    const paused = pausedMs();
    const wait = Math.max(BUSY_PAUSE_MS, Number.isFinite(paused) ? paused : 0);
    if (now() - startedAt + wait > maxWaitMs)
      unreachable(met.error ?? new Error("the nodes accept no further request at the moment"));
    await sleep(wait);
  }
}

const errorOf = (node: RpcNodeConnection, { details }: RpcRequestError) =>
  new Error(`${node.host}: ${details}`.slice(0, 300));

/** Learns that a call had too much gas. @returns whether less may be accepted */
function lowersGas({ limits }: RpcNodeConnection, call: RpcCall, { details }: RpcRequestError): boolean {
  const gas = gasOf(call);
  return gas !== null && limits.gasRefused(Math.min(gas, limits.gas), details);
}

/** Whether a refusal says that the transaction, or another one with its nonce, is in a pool or a block. */
function isHeld({ details }: RpcRequestError): boolean {
  const { kind } = refusal(details);
  return kind === "known" || kind === "nonce_used";
}

/** The request as the node takes it. @throws TooWide */
function fitted(call: RpcCall, node: RpcNodeConnection, head: number | null): RpcCall {
  const { limits } = node;
  const blocks = blocksOf(call, head);
  if (blocks !== null && blocks > limits.range) {
    node.withdrawn();
    throw new TooWide(limits.range);
  }
  const gas = gasOf(call);
  return gas !== null && gas > limits.gas ? withGas(call, limits.gas) : call;
}
