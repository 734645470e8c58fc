/** IPv6 alone: database, queue, node, API and metrics at ::1. Every address is both families, and proxies may have either. */
import { execFile } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { clientAddressBehind } from "../../api/http/client-network.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { FREE_PHASE } from "../../harness/child-env.ts";
import { testLog } from "../../harness/log.ts";
import { HAS_IPV6 } from "../../harness/programs.ts";
import { REDIS_BINARY, startRedis } from "../../harness/redis.ts";
import { startProcess } from "../../harness/service-process.ts";
import { tcpProxy } from "../../harness/tcp-proxy.ts";
import { freePort } from "../../runtime/free-port.ts";
import { bindTo, urlAt } from "../../runtime/listen-address.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { openQueues } from "../../workers/operations/queue.ts";
import { testDatabase } from "../support/database.ts";
import { folderOfTest } from "../support/folders.ts";
import { endedPerTest } from "../support/started.ts";

const ended = endedPerTest();

/** The same URL at ::1. */
async function atIPv6(of: string): Promise<string> {
  const url = new URL(of);
  const line = ended(await tcpProxy({ host: url.hostname, port: Number(url.port) }, "::1"));
  return of.replace(url.host, `[::1]:${line.port}`);
}

it.runIf(HAS_IPV6).each(["::1", "::"])(
  "an API on %s answers there, with its node and its database at ::1",
  async (host) => {
    const database = ended(await testDatabase());
    const directory = folderOfTest("ipv6");
    const chain = ended(await startAnvil({ directory: join(directory, "chain"), blockTimeSeconds: 1 }));
    const [port, opsPort] = [await freePort(), await freePort()];
    const api = startProcess("api", {
      ...FREE_PHASE,
      ...{ LOG_LEVEL: "warn", DATA_DIR: directory, HOST: host, PORT: String(port), PUBLIC_URL: `http://[::1]:${port}` },
      ...{ DATABASE_URL: await atIPv6(database.url), RPC_URL: await atIPv6(chain.url) },
      ...{ OPS_HOST: host, OPS_PORT: String(opsPort) },
    });
    ended(api);
    const at = host === "::" ? "127.0.0.1" : "[::1]";
    await api.answers(`http://${at}:${port}/health`);
    const info = (await (await fetch(`http://[::1]:${port}/api/v2`)).json()) as { documentation: { html: string } };
    expect(info.documentation.html).toBe(`http://[::1]:${port}/docs`);
    expect(await (await fetch(`http://${at}:${opsPort}/metrics`)).text()).toContain("agents_");
    const probe = promisify(execFile)(process.execPath, [
      join(PROJECT_ROOT, "scripts/probe.ts"),
      `http://[::1]:${port}/health`,
    ]);
    await expect(probe).resolves.toBeDefined();
  },
);

it.runIf(REDIS_BINARY && HAS_IPV6)("a queue in a Redis at ::1 takes jobs", async () => {
  const redis = ended(await startRedis());
  const redisUrl = await atIPv6(redis.url);
  const queues = ended(await openQueues({ databaseUrl: "", redisUrl, prefix: "t", log: testLog() }));
  const ran = Promise.withResolvers<unknown>();
  queues.work("score", 1, async (data) => ran.resolve(data));
  await queues.add("score", [{ data: "job" }]);
  expect(await ran.promise).toBe("job");
});

describe("a listening address", () => {
  it.each([
    ["::", { port: 1 }, "http://localhost:1"],
    ["0.0.0.0", { port: 1, host: "0.0.0.0" }, "http://localhost:1"],
    ["fd00::2", { port: 1, host: "fd00::2" }, "http://[fd00::2]:1"],
    ["10.0.0.2", { port: 1, host: "10.0.0.2" }, "http://10.0.0.2:1"],
  ])("%s is bound as %j and reached at %s", (host, bound, url) => {
    expect([bindTo(host, 1), urlAt(host, 1)]).toEqual([bound, url]);
  });
});

describe("a trusted proxy", () => {
  const seen = (peer: string, forwarded: string) =>
    clientAddressBehind(["::1", "fd00::/8", "10.0.0.0/8"])({
      socket: { remoteAddress: peer },
      headers: { "x-forwarded-for": forwarded },
    } as unknown as IncomingMessage);
  it.each([
    ["::1", "2001:db8::7", "2001:db8::7"],
    ["fd00::2", "2001:db8::7, fd00::3", "2001:db8::7"],
    ["::ffff:10.0.0.2", "2001:db8::7, ::ffff:10.0.0.3", "2001:db8::7"],
    ["2001:db8::9", "2001:db8::7", "2001:db8::9"],
  ])("at %s that forwards for %j names the client %s", (peer, forwarded, client) =>
    expect(seen(peer, forwarded)).toBe(client),
  );
});
