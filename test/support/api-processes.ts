/** Processes of the API on one database and no chain, for tests of what they must agree on. */
import { rmSync } from "node:fs";
import { overlaid } from "../../config/config.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { FREE_PHASE } from "../../harness/child-env.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { type ServiceProcess, startApi } from "../../harness/service-process.ts";

export type ApiProcess = Awaited<ReturnType<typeof startApi>>;

export type ApiProcesses = {
  /** Starts one more and waits until it answers. */
  start(env?: Record<string, string>): Promise<ApiProcess>;
  stop(): Promise<void>;
};

/** @param env of every process, beside its port */
export function apiProcesses(env: Record<string, string>): ApiProcesses {
  const directory = scratchDirectory("api");
  const started: ServiceProcess[] = [];
  return {
    async start(more = {}) {
      const api = await startApi(
        overlaid(
          {
            ...FREE_PHASE,
            ...GENEROUS_RATES,
            ...{ LOG_LEVEL: "warn", DATA_DIR: directory, RPC_URL: "http://127.0.0.1:9", HOST: "127.0.0.1" },
          },
          { ...env, ...more },
        ),
        { path: "/health" },
      );
      started.push(api);
      return api;
    },
    async stop() {
      await Promise.all(started.map((api) => api.stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
