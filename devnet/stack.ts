/** The local stack while it starts: what each task finds from the ones before it, and how all of it ends. */
import type { Config } from "../config/config.ts";
import type { Devnet } from "./deploy.ts";
import type { Supervisor } from "./supervisor.ts";

export type Stack = {
  config: Config;
  /** What the service's processes get as their environment, in addition to this process's own. */
  env: Record<string, string>;
  databaseUrl?: string;
  /** Where the indexer answers GraphQL and SQL. */
  indexUrl?: string;
  devnet?: Devnet;
  rpcUrl?: string;
  wsUrl?: string;
  tempoRpcUrl?: string;
  simulatorUrl?: string;
  supervisor?: Supervisor;
  seeded?: string;
  /** Undo steps, the last one first. */
  stops: (() => Promise<void> | void)[];
  /** Parts that are being started: each settles once its undo step is in `stops`, or there is nothing to undo. */
  starting: Set<Promise<unknown>>;
};
