/** The processes that are measured: the API as `npm run api` starts it, and the references. */
import { join } from "node:path";
import { overlaid } from "../../config/config.ts";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { type Child, startChild } from "../../harness/child.ts";
import { CHILD_ENV, FREE_PHASE } from "../../harness/child-env.ts";
import { startPlainNode } from "../../harness/plain-node.ts";
import type { ScratchPostgres } from "../../harness/scratch-postgres.ts";
import { type LogEntry, startApi } from "../../harness/service-process.ts";

/** What answers requests, and whose time that takes. */
export type ServerProcess = { url: string; pid: number };

/** Environment of a process on the database of a run, with everything it has on and no limit of requests. */
export const environment = ({
  postgres,
  directory,
}: {
  postgres: { url: string };
} & Pick<ScratchPostgres, "directory">): Record<string, string> => ({
  ...CHILD_ENV,
  ...FREE_PHASE,
  ...overlaid(GENEROUS_RATES, { LIMITS: "reads=1000000000" }),
  PUBLIC_URL: "https://agents.example",
  DATABASE_URL: postgres.url,
  DATA_DIR: join(directory, "data"),
  LOG_LEVEL: "error",
});

/** The API on the database of a run, with a node that needs no chain. */
export async function startService(
  at: ScratchPostgres,
  more: Record<string, string> = {},
  onLog?: (entry: LogEntry) => void,
) {
  const chain = await startPlainNode();
  at.later(() => chain.close());
  const env = overlaid({ ...environment(at), RPC_URL: chain.url }, more);
  const api = await startApi(env, { path: "/api/v2/agent/0", ...(onLog && { onLog }) });
  at.later(() => api.stop());
  return api;
}

/** A program of bench/ that speaks by messages, for as long as the run lasts. @param file below bench/ */
export function startProgram(
  { later }: Pick<ScratchPostgres, "later">,
  file: string,
  ...options: [args?: string[], env?: Record<string, string>]
): Child {
  const child = startChild(join(import.meta.dirname, "..", file), ...options);
  later(() => child.stop());
  return child;
}

/** One of reference-server.ts. */
export async function startReference(kind: string, at: ScratchPostgres): Promise<ServerProcess> {
  const child = startProgram(at, "reads/reference-server.ts", [kind], environment(at));
  return { url: `http://127.0.0.1:${await child.hears<number>()}`, pid: child.pid };
}

/** The process that asks (load.ts). */
export const startLoad = (at: Pick<ScratchPostgres, "later">): Child => startProgram(at, "reads/load.ts");
