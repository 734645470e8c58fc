/** The processes that are measured: the API as `npm run api` starts it, and the references. */
import { join } from "node:path";
import { GENEROUS_RATES } from "../../devnet/generous-rates.ts";
import { type Child, startChild } from "../../harness/child.ts";
import { CHILD_ENV, FREE_PHASE } from "../../harness/child-env.ts";
import type { ScratchPostgres } from "../../harness/scratch-postgres.ts";

/** What answers requests, and whose time that takes. */
export type Served = { url: string; pid: number };

/** Environment of a process on the database of a run, with everything it has on and no limit of requests. */
export const environment = ({
  postgres,
  directory,
}: {
  postgres: { url: string };
} & Pick<ScratchPostgres, "directory">): Record<string, string> => ({
  ...CHILD_ENV,
  ...FREE_PHASE,
  ...GENEROUS_RATES,
  RATE_READS_PER_CLIENT: "1000000000",
  PUBLIC_URL: "https://agents.example",
  DATABASE_URL: postgres.url,
  DATA_DIR: join(directory, "data"),
  LOG_LEVEL: "error",
});

/** One of reference-server.ts. */
export async function startReference(kind: string, at: ScratchPostgres): Promise<Served> {
  const child = startChild(join(import.meta.dirname, "reference-server.ts"), [kind], environment(at));
  at.later(() => child.stop());
  return { url: `http://127.0.0.1:${await child.hears<number>()}`, pid: child.pid };
}

/** The process that asks (load.ts). */
export function startLoad({ later }: Pick<ScratchPostgres, "later">): Child {
  const child = startChild(join(import.meta.dirname, "load.ts"));
  later(() => child.stop());
  return child;
}
