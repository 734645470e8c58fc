/** The topology that this run of the tests asks for; apart, because programs that are no tests start stacks as well. */
import { inject } from "vitest";
import { openClient } from "../../db/sql/connect.ts";
import type { Topology } from "../../harness/topology.ts";
import { until } from "../../harness/until.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Set by `npm run topologies`: two of everything that may be two. */
    topology: Topology | undefined;
    /** Superuser URL of the replica of the run's PostgreSQL; where its topology has one. */
    replicaUrl: string | undefined;
  }
}

/** Undefined: one process of each. */
export const topologyOfRun = (): Topology | undefined => inject("topology");

/**
 * A database of the run on its replica, as soon as that has it.
 * @returns undefined where the run has no replica
 */
export async function onReplicaOfRun(databaseUrl: string): Promise<string | undefined> {
  const replica = topologyOfRun()?.replica && inject("replicaUrl");
  if (!replica) return undefined;
  const url = new URL(replica);
  url.pathname = new URL(databaseUrl).pathname;
  await until("the replica has the database", async () => {
    const client = openClient({ connectionString: url.href });
    client.on("error", () => {});
    await client.connect();
    await client.end();
    return true;
  });
  return url.href;
}
