/** Ports of what only the doctor examines: single nodes, Redis' settings, clocks, a facilitator's kinds, the running API. */
import type { RpcNodeStats } from "./meter.ts";

/** The node's own answer: a result, or its refusal with its words. */
export type NodeAnswer = { ok: true; result: unknown } | { ok: false; code: number; message: string };

/** One JSON-RPC node without failover, so that each node is judged alone. */
export type NodeProbe = {
  /** Host and port; never the path, which may hold a key. */
  host: string;
  /** One request. @throws Error when there is no answer within the limits */
  request(method: string, params: unknown[]): Promise<NodeAnswer>;
};

/** What the pool learned of one node, and the requests that it sent for it. */
export type LearnedLimits = RpcNodeStats & {
  /** Answered requests a second, of a burst. */
  measuredPerSecond: number;
  /** Blocks of the eth_getLogs that was asked. */
  asked: number;
  /** Why these logs could not be read at all; undefined: they could, in parts. */
  logsFailure: string | undefined;
};

/** Settings of a Redis server; null: it does not say. */
export type RedisSettings = {
  version: string;
  /** Why a server of its kind cannot hold the queue; null: it can. */
  kindProblem: string | null;
  maxmemoryPolicy: string | null;
  appendonly: string | null;
  isReplica: boolean;
};

/** The Date header of an HTTP server. Times are milliseconds since the epoch. */
export type ServerDate = {
  /** To the second. */
  at: number;
  /** When the request was sent and when its answer came, by this machine. */
  sentAt: number;
  receivedAt: number;
};

/** What a facilitator settles, as its `/supported` lists it. */
export type FacilitatorKinds = { x402Version: number; scheme: string; network: string }[];

/** An answer of the running API. */
export type ServiceAnswer = { status: number; json: unknown };
