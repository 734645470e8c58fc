/** Opens the metrics of a process if its operator port is configured; otherwise nothing is counted. */
import type { Logger } from "pino";
import { collectDefaultMetrics, type Registry } from "prom-client";
import type { RpcNodeStats, UpstreamMeter } from "../clients/ports.ts";
import type { Config } from "../config/config.ts";
import { upstreamMeter } from "./metrics/meters.ts";
import { openRegistry } from "./metrics/metric.ts";
import { nodeMetrics } from "./metrics/process.ts";
import { type OpsOptions, type OpsServer, startOpsServer } from "./server.ts";

/**
 * Begins to keep traces where a collector is configured; the SDK is loaded then only.
 * Must be called before anything is made that wraps itself for traces. @returns sends what is left
 */
export async function openTraces({ traces, service }: Config, role: Role): Promise<() => Promise<void>> {
  if (!traces) return async () => {};
  const { startTraces } = await import("./traces.ts");
  const { url, headers, share } = traces;
  const serviceName = traces.serviceName ?? `${service.prefix}-${role}`;
  const { close } = startTraces({ url, headers, share, serviceName, version: VERSION });
  return close;
}

/** The version of the API, which is in every answer. */
const VERSION = "2.0.0";

export type Role = "api" | "workers" | "indexer" | "readers";

export type Ops = {
  registry: Registry;
  upstreams: UpstreamMeter;
  /** Shows the JSON-RPC nodes of a pool. */
  watchNodes(stats: () => RpcNodeStats[]): void;
  /** Begins to answer. @throws Error, one sentence, when the port is taken */
  listen(mounted?: Pick<OpsOptions, "more" | "mounts">): Promise<OpsServer>;
  close(): Promise<void>;
};

/** On one machine OPS_PORT is the API's port; each other process has this number more. */
const OFFSET: Record<Role, number> = { api: 0, workers: 1, indexer: 2, readers: 3 };

export function openOps({ ops }: Pick<Config, "ops">, role: Role, log: Logger): Ops | undefined {
  if (ops.port === undefined) return undefined;
  const port = ops.port + OFFSET[role];
  const registry = openRegistry(role);
  collectDefaultMetrics({ register: registry });
  let server: OpsServer | undefined;
  return {
    registry,
    upstreams: upstreamMeter(registry),
    watchNodes: nodeMetrics(registry),
    async listen(mounted = {}) {
      try {
        server = await startOpsServer({ host: ops.host, port, registry, log, ...mounted });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
        throw new Error(`port ${port} for metrics is taken: stop what uses it, or set OPS_PORT.`, { cause: error });
      }
      return server;
    },
    async close() {
      await server?.close();
    },
  };
}
