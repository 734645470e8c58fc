/** Processes on real servers of few connections: refused at the start with a sentence, or fitted to what there is. */
import { describe, expect, it } from "vitest";
import { fittedPool, requirePrimary } from "../../db/operations/server-at-start.ts";
import { openClient } from "../../db/sql/connect.ts";
import { openPostgres } from "../../harness/scratch-postgres.ts";
import { startProcess } from "../../harness/service-process.ts";
import { endedPerTest } from "../support/started.ts";

const ended = endedPerTest();
/** A server, and a role of it that is no superuser: three connections are not for it. */
async function serverOf(connections: number) {
  const settings = { max_connections: String(connections) };
  const at = ended(await openPostgres(`few-${connections}`, { fast: true, max: 1, settings, schemas: "offchain" }));
  await at.pool.query("create role plain login password 'p'");
  return { at, url: Object.assign(new URL(at.postgres.url), { username: "plain", password: "p" }).href };
}

describe("a server of 12 connections", () => {
  it("is refused by every process at its start, in one sentence", async () => {
    const { url } = await serverOf(12);
    const env = { DATABASE_URL: url, RPC_URL: "http://127.0.0.1:9", PRICING_PHASE: "free", LOG_LEVEL: "warn" };
    for (const name of ["api", "workers", "indexer"] as const) {
      const started = startProcess(name, env);
      expect([name, await started.ended]).toEqual([name, 1]);
      expect(started.output()).toMatch(
        /cannot start: (Error: )?Postgres allows this service 9 connections .* needs at least 22\. Set max_connections to 25 or more\.\n$/,
      );
    }
  });
});

describe("a server of 25 connections", () => {
  it("is fitted to, and what is slower is said", async () => {
    const { at, url } = await serverOf(25);
    const said: string[] = [];
    const fit = async (url: string) =>
      fittedPool(await requirePrimary(url, "DATABASE_URL"), "api", 10, (sentence) => said.push(sentence));
    expect(await fit(url)).toBe(2);
    expect(said).toEqual([expect.stringContaining("22 connections")]);
    // A superuser may use what is reserved, too.
    expect(await fit(at.postgres.url)).toBe(2);
    expect(said[1]).toContain("25 connections");
  });

  it("knows which processes of the service have connections, however many each has", async () => {
    const { at } = await serverOf(26);
    const names = ["api 1", "api 1", "api 2", "workers 1", "index_ab_launcher", "index_ab_0_user", "notifications"];
    const clients = names.map((application_name) =>
      openClient({ connectionString: at.postgres.url, application_name }),
    );
    for (const client of clients) await client.connect();
    const room = await requirePrimary(at.postgres.url, "DATABASE_URL");
    expect(room?.running.toSorted()).toEqual(["api", "api", "indexer", "workers"]);
    for (const client of clients) await client.end();
  });

  it("that does not answer is asked for what is configured", async () => {
    const room = await requirePrimary("postgres://127.0.0.1:1/none", "DATABASE_URL");
    expect(fittedPool(room, "api", 7, () => {})).toBe(7);
  });
});
