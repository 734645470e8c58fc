/** One node of the pool: its queue, batches and rate, whether it answers, and what was learned of its limits. */
import type { Dispatcher } from "undici";
import type { RpcRole } from "../../core/operations/rpc-roles.ts";
import { type Breaker, breaker } from "../http/breaker.ts";
import { openEgress, type Proxies } from "../http/egress.ts";
import type { RpcNodeStats } from "../ports.ts";
import { type Fault, faultOf, namedPause, RpcRequestError } from "./errors.ts";
import { type NodeLimits, openLimits } from "./limits.ts";
import { openPace, type Pace } from "./pace.ts";
import { isBroken, post, type Reply, type RpcCall } from "./post.ts";
import { blockNumber, filterOf, readsRange } from "./requests.ts";

/** The result of one request at one node. */
export type Outcome =
  | { kind: "result"; result: unknown; bytes: number }
  | { kind: "error"; fault: Fault; error: RpcRequestError }
  /** Not sent, or not processed: its rate is used up, its queue is full. */
  | { kind: "busy" }
  /** No usable answer. `sent`: the node may have processed the request; `late`: it took longer than the time limit. */
  | { kind: "silence"; cause: unknown; sent: boolean; late?: boolean };

export type NodeOptions = {
  chainId: number;
  url: string;
  roles: readonly RpcRole[];
  host: string;
  timeoutMs: number;
  maxBytes: number;
  concurrency: number;
  /** Max requests that wait for their turn. */
  queue: number;
  /** Milliseconds of a clock that only grows. */
  now(): number;
  /** Says once that the node serves another chain. */
  warn(sentence: string): void;
  /** See RpcPoolOptions. */
  logsNeedHead?: boolean;
  proxies?: Proxies | undefined;
};

const SILENCE = { failures: 1, openMs: 5_000, longestMs: 300_000 };
/** Milliseconds after which a node on another chain is checked again, and when no other node is left. */
const WRONG_CHAIN_MS = 3_600_000;
const WRONG_CHAIN_ALONE_MS = 1_000;
/** Blocks by which no backend of a node lags behind another one: a day of Base. */
const SETTLED_BLOCKS = 43_200;
const CONNECT_MS = 3_000;
const KEEP_ALIVE_MS = 10_000;
/** Sent alone: their answers are large, or their outcome must be their own. */
const ALONE = new Set(["eth_sendRawTransaction", "eth_getLogs", "eth_getBlockReceipts", "eth_chainId"]);
/** Different methods counted by name. */
const MAX_NAMED_METHODS = 50;

/** Among the refusals of a node: what it left out of its answers. */
const OMISSION = "omission";

type Job = { call: RpcCall; resolve(outcome: Outcome): void };

/** One URL. It connects to nothing before the first request. */
export class RpcNodeConnection {
  readonly host: string;
  readonly roles: readonly RpcRole[];
  readonly limits: NodeLimits;
  readonly #options: NodeOptions;
  readonly #url: URL;
  readonly #dispatcher: Dispatcher;
  readonly #pace: Pace;
  readonly #silence: Breaker;
  readonly #counts = openCounts();
  #silentSince: number | null = null;
  #wrong: { since: number; checkedAt: number } | null = null;
  /** The check of the chain id; null: it is due. */
  #checked: Promise<Outcome | null> | null = null;
  /** The newest block that one of the node's backends named with logs; -1: none did. */
  #reached = -1;
  #queue: Job[] = [];
  #underway = 0;
  #timer: NodeJS.Timeout | undefined;
  #scheduled = false;

  constructor(options: NodeOptions) {
    const { host, roles, concurrency, timeoutMs, proxies, now } = options;
    this.host = host;
    this.roles = roles;
    this.limits = openLimits(now);
    this.#options = options;
    this.#url = new URL(options.url);
    const connectMs = Math.min(CONNECT_MS, timeoutMs);
    this.#dispatcher = openEgress({ connectMs, connections: concurrency, keepAliveTimeout: KEEP_ALIVE_MS }, proxies);
    this.#pace = openPace(now);
    this.#silence = breaker({ ...SILENCE, now });
  }

  /** Sends a request when it is its turn. It never throws. */
  async ask(call: RpcCall): Promise<Outcome> {
    this.#checked ??= this.#check();
    const failure = await this.#checked;
    if (failure !== null) {
      this.#checked = null;
      this.withdrawn();
      return failure.kind === "silence" ? { ...failure, sent: false } : failure;
    }
    const outcome = await this.#enqueue(call);
    if (outcome.kind === "busy") this.withdrawn();
    return outcome;
  }

  /** Whether the node may be asked: it answers, or its turn for a trial has come, which this claims. */
  admits(): boolean {
    return this.#silence.wait() === 0;
  }

  /** Gives back a claimed trial without a request. */
  withdrawn(): void {
    this.#silence.withdrawn();
  }

  /** Whether it serves the configured chain as far as known; otherwise it is not asked before its next check is due. */
  isOfChain(lastResort: boolean): boolean {
    if (this.#wrong === null) return true;
    const pauseMs = lastResort ? WRONG_CHAIN_ALONE_MS : WRONG_CHAIN_MS;
    return this.#options.now() - this.#wrong.checkedAt >= pauseMs;
  }

  /** Milliseconds until its rate allows a request again; 0: it is not paused. */
  pausedMs(): number {
    return this.#pace.pausedMs();
  }

  retried(): void {
    this.#counts.retried++;
  }

  /** Counts answers that lacked something, as others showed. */
  omitted(answers: number): void {
    for (let n = 0; n < answers; n++) this.#counts.refused(OMISSION);
  }

  stats(): RpcNodeStats {
    const { range, batch } = this.limits;
    return {
      host: this.host,
      roles: this.roles,
      state: this.#wrong ? "wrong_chain" : this.#silentSince !== null ? "silent" : "ready",
      since: this.#wrong?.since ?? this.#silentSince,
      logsRange: range === Infinity ? null : range,
      batch,
      perSecond: this.#pace.perSecond,
      ...this.#counts.read(),
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { resolve } of this.#queue.splice(0))
      resolve({ kind: "silence", cause: new Error("closed"), sent: false });
    void this.#dispatcher.destroy();
  }

  /** Asks for the chain id. @returns null when it is the configured one */
  async #check(): Promise<Outcome | null> {
    const { chainId, now, warn } = this.#options;
    const outcome = await this.#enqueue({ method: "eth_chainId", params: [] });
    if (outcome.kind !== "result") return outcome;
    const answer = Number(outcome.result);
    if (answer === chainId) {
      this.#wrong = null;
      return null;
    }
    if (this.#wrong === null)
      warn(`the node at ${this.host} is of chain ${answer} and not of chain ${chainId}: it is not used`);
    this.#wrong = { since: this.#wrong?.since ?? Date.now(), checkedAt: now() };
    return { kind: "silence", cause: new Error(`a node of chain ${answer}, not ${chainId}`), sent: false };
  }

  #enqueue(call: RpcCall): Promise<Outcome> {
    if (this.#queue.length >= this.#options.queue) return Promise.resolve({ kind: "busy" });
    return new Promise((resolve) => {
      this.#queue.push({ call, resolve });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // After the current turn of the event loop, so that requests of one turn share a batch.
      setImmediate(() => {
        this.#scheduled = false;
        this.#dispatch();
      });
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#underway < this.#options.concurrency) {
      const room = this.#pace.room(this.limits.batch);
      if (room < 1) {
        this.#waitForRate();
        return;
      }
      const jobs = takeJobs(this.#queue, room);
      this.#pace.sent(jobs.length);
      this.#underway++;
      void this.#send(jobs).finally(() => {
        this.#underway--;
        this.#dispatch();
      });
    }
  }

  /** Requests do not wait here for a paused node: another one may take them. */
  #waitForRate(): void {
    if (this.#pace.pausedMs() > 0) {
      for (const { resolve } of this.#queue.splice(0)) resolve({ kind: "busy" });
      return;
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#dispatch();
      },
      Math.max(1, this.#pace.waitMs()),
    );
  }

  async #send(jobs: readonly Job[]): Promise<void> {
    const calls = jobs.map(({ call }) => call);
    for (const { method } of calls) this.#counts.asked(method);
    const sentAt = this.#options.now();
    let replies = await this.#postProven(calls);
    // A transaction is sent again by the pool, which keeps in mind that the first one may have arrived.
    if (isBroken(replies[0]!) && calls[0]!.method !== "eth_sendRawTransaction") {
      this.#counts.retried += jobs.length;
      replies = await this.#postProven(calls);
    }
    if (replies[0]!.kind === "batch") {
      this.limits.batchRefused(jobs.length);
      this.#counts.refused("batch");
      this.#counts.retried += jobs.length;
      this.#queue.unshift(...jobs);
      return;
    }
    if (jobs.length > 1) this.limits.batchAnswered(jobs.length);
    for (const [n, { call, resolve }] of jobs.entries()) resolve(this.#outcomeOf(call, replies[n]!, sentAt));
  }

  /** Sends logs with a question for the head where they need it (RpcPoolOptions.logsNeedHead). */
  async #postProven(calls: readonly RpcCall[]): Promise<Reply[]> {
    const last = this.#unprovenBlock(calls);
    if (last === null) return this.#post(calls);
    const head: RpcCall = { method: "eth_blockNumber", params: [] };
    this.#counts.asked(head.method);
    this.#pace.sent(1);
    // One HTTP request reaches one backend, and its requests are answered in their order.
    let replies = this.limits.batch > 1 ? await this.#post([head, ...calls]) : [];
    if (replies.length === 0 || replies[0]!.kind === "batch")
      replies = [...(await this.#post([head])), ...(await this.#post(calls))];
    const [reached, ...logs] = replies as [Reply, ...Reply[]];
    if (reached.kind !== "result") return [reached];
    const block = Number(reached.result);
    this.#reached = Math.max(this.#reached, block || 0);
    if (block >= last) return logs;
    const message = `block not found: the node is at block ${block} and has not reached block ${last}`;
    return [{ kind: "error", error: { code: -32000, message } }];
  }

  /** The last block of a request for logs, if a backend of the node may not have it; null otherwise. */
  #unprovenBlock([call, ...others]: readonly RpcCall[]): number | null {
    if (!this.#options.logsNeedHead || others.length > 0 || !readsRange(call!)) return null;
    const last = blockNumber(filterOf(call!.params).toBlock);
    return last === null || last <= this.#reached - SETTLED_BLOCKS ? null : last;
  }

  #post(calls: readonly RpcCall[]): Promise<Reply[]> {
    this.#counts.posts++;
    return post(this.#dispatcher, this.#url, calls, this.#options);
  }

  #outcomeOf({ method }: RpcCall, reply: Reply, sentAt: number): Outcome {
    if (reply.kind === "silence") {
      this.#silentSince ??= Date.now();
      this.#silence.failed();
      // Behind a URL that was silent another node may answer.
      this.#checked = null;
      this.#counts.refused("silence");
      return { kind: "silence", cause: reply.cause, sent: true, late: reply.late };
    }
    this.#silence.succeeded();
    this.#silentSince = null;
    if (reply.kind === "result") {
      this.#pace.answered();
      return reply;
    }
    if (reply.kind === "limited") return this.#limited(reply.pauseMs, sentAt);
    const body = reply.kind === "error" ? reply.error : TOO_LARGE;
    const fault = faultOf(method, body);
    if (fault === "rate") return this.#limited(namedPauseMs(body), sentAt);
    this.#pace.answered();
    this.#counts.refused(fault);
    return { kind: "error", fault, error: new RpcRequestError(body) };
  }

  #limited(pauseMs: number | null, sentAt: number): Outcome {
    this.#counts.refused("rate");
    this.#pace.refused(pauseMs, sentAt);
    return { kind: "busy" };
  }
}

/** An answer above the pool's own limit, as a node would refuse it. */
const TOO_LARGE = { code: 413, message: "response too large: more than this client reads" };

const namedPauseMs = (error: Parameters<typeof namedPause>[0]): number | null => {
  const seconds = namedPause(error);
  return seconds === null ? null : seconds * 1_000;
};

/** Takes the next request out of the queue, with others that may share its batch. @param room max requests */
function takeJobs(queue: Job[], room: number): Job[] {
  if (room === 1 || ALONE.has(queue[0]!.call.method)) return queue.splice(0, 1);
  const jobs: Job[] = [];
  for (let n = 0; n < queue.length && jobs.length < room; ) {
    if (ALONE.has(queue[n]!.call.method)) n++;
    else jobs.push(...queue.splice(n, 1));
  }
  return jobs;
}

function openCounts() {
  const requests = new Map<string, number>();
  const refused = new Map<string, number>();
  const add = (map: Map<string, number>, word: string) => map.set(word, (map.get(word) ?? 0) + 1);
  return {
    posts: 0,
    retried: 0,
    asked(method: string) {
      add(requests, requests.has(method) || requests.size < MAX_NAMED_METHODS ? method : "other");
    },
    refused(fault: string) {
      add(refused, fault);
    },
    read() {
      const { posts, retried } = this;
      return { posts, retried, requests: Object.fromEntries(requests), refused: Object.fromEntries(refused) };
    },
  };
}
