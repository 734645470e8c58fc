/** Measuring requests to upstreams. */
import type { RpcRole } from "../../core/operations/rpc-roles.ts";

/** Gets the outcome of every request to an upstream. */
export interface UpstreamMeter {
  /**
   * @param upstream a name in the code or a host of the configuration, never a name that a stranger chose
   * @param outcome `answered`: a definite answer; `trouble`: none; `refused`: not sent, because of our rate, the breaker or the upstream's own pause
   */
  asked(upstream: string, outcome: "answered" | "trouble" | "refused", ms: number): void;
  /** @param open whether its circuit breaker is open now */
  watch(upstream: string, open: () => boolean): void;
}

/** Requests to one JSON-RPC node since the process started, and what was learned of it. */
export type RpcNodeStats = {
  /** Host of the URL; a second URL of the same host has `#2` behind it. Never a path or a query, which hold keys. */
  host: string;
  roles: readonly RpcRole[];
  state: "ready" | "silent" | "wrong_chain";
  /** Milliseconds since the epoch at which the state began; null while ready. */
  since: number | null;
  /** Max blocks of one eth_getLogs, max requests of a batch, requests per second; null: no limit was met. */
  logsRange: number | null;
  batch: number;
  perSecond: number | null;
  /** Requests by method; a batch counts each of its requests. */
  requests: Record<string, number>;
  /** HTTP requests. */
  posts: number;
  /** Answers by fault (clients/rpc/errors.ts), `rate` being the 429s; `batch`: batches refused; `silence`: no answer. */
  refused: Record<string, number>;
  /** Requests that were sent again, here or to another node. */
  retried: number;
};
