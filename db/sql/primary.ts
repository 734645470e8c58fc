/** Whether a server takes writes: a process that writes refuses a replica at its start. */
import { setTimeout as sleep } from "node:timers/promises";
import { openClient } from "./connect.ts";
import { bool, statement } from "./statement.ts";

const RECOVERY = statement({
  name: "server-recovery",
  text: "select pg_is_in_recovery() as replica",
  columns: { replica: bool },
});

/** Milliseconds in which a server may still become the primary: a process that starts in a failover may meet the old one. */
const FAILOVER_MS = 10_000;
const PAUSE_MS = 500;
/** Max milliseconds until the server says what it is; one that is away is connected to later. */
const ANSWER_MS = 5_000;

/**
 * Refuses a server that takes no writes. One that does not answer passes: what needs it says so.
 * @param variable that names it
 * @throws Error, one sentence
 */
export async function requirePrimary(url: string, variable: string, failoverMs = FAILOVER_MS): Promise<void> {
  const deadline = performance.now() + failoverMs;
  while (await isReplica(url)) {
    if (performance.now() > deadline)
      throw new Error(
        `the server of ${variable} is a replica, which takes no writes: name the primary; replicas go into READ_DATABASE_URLS`,
      );
    await sleep(PAUSE_MS);
  }
}

async function isReplica(url: string): Promise<boolean> {
  const client = openClient({
    ...{ connectionString: url, application_name: "start" },
    ...{ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await RECOVERY.one(client)).replica;
  } catch {
    return false;
  } finally {
    // A server that fell silent acknowledges nothing.
    void client.end().catch(() => {});
  }
}
