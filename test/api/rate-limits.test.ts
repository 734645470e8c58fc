/** Rate limits: who is counted, against what, and that nobody uses up what is another's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Bucket, type CallerRule, endpoint, json } from "../../api/endpoint.ts";
import { networkOf } from "../../api/http/client-network.ts";
import { credReport } from "../../api/routes/cred-report.ts";
import { health } from "../../api/routes/health.ts";
import { openRateCounters } from "../../clients/rate-counters.ts";
import { apiKeyHash, apiKeyText } from "../../core/api-keys.ts";
import { insertApiKey } from "../../db/api-keys.ts";
import { agentWallet } from "../support/agent-wallet.ts";
import { REDIS_BINARY, startRedis } from "../support/redis.ts";
import { topologyOfRun } from "../support/topology-of-run.ts";
import { until } from "../support/until.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, HOST, startApi, type TestApi } from "./support/api.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");

const route = (method: "get" | "post", path: string, caller: CallerRule, bucket?: Bucket) =>
  endpoint({
    method,
    path,
    operationId: `${method}${path.slice(1)}`,
    tag: "Test",
    summary: "Nothing",
    guard: { caller, ...(bucket && { bucket }) },
    responses: { 200: { description: "Nothing", schema: z.object({}) } },
    handler: () => json({}),
  });
const ENDPOINTS = [
  route("get", "/read", "anyone"),
  route("post", "/open", "anyone"),
  route("post", "/write", "siwa"),
  route("post", "/prove", "siwa", "proofs"),
  route("post", "/report", "apiKey"),
  health,
  credReport,
];

let api: TestApi | undefined;
let now = NOW;
/** Reads are counted by each process for itself, and writes too where there is no Redis. */
const countedAlone = (env: Record<string, string>) =>
  "RATE_READS_PER_CLIENT" in env || topologyOfRun()?.redisUrl === undefined;
const start = async (env: Record<string, string>) => {
  api = await startApi({
    ...{ endpoints: ENDPOINTS, now: () => now, alone: countedAlone(env) },
    env: { TRUSTED_PROXIES: "127.0.0.1", ...env },
  });
};
beforeEach(() => {
  now = NOW;
});
afterEach(async () => {
  await api?.close();
  api = undefined;
});

/** A request as a trusted proxy hands it on for a client. */
const from = (client: string, method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  api!.send(method, path, { headers: { "x-forwarded-for": client, ...headers } });
const statuses = async (times: number, ask: () => Promise<Answer>) => {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await ask()).status);
  return all;
};

describe("reads", () => {
  it("are counted by client, told in headers, and refused beyond the limit until the minute is over", async () => {
    await start({ RATE_READS_PER_CLIENT: "3" });
    const first = await from("9.9.9.1", "GET", "/read");
    expect(first.headers.get("ratelimit-policy")).toBe('"reads";q=3;w=60');
    expect(first.headers.get("ratelimit")).toBe('"reads";r=2;t=60');
    now += 20_000;
    expect(await statuses(3, () => from("9.9.9.1", "GET", "/read"))).toEqual([200, 200, 429]);
    const refused = await from("9.9.9.1", "GET", "/read");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(refused.headers.get("retry-after")).toBe("40");
    expect(refused.headers.get("ratelimit")).toBe('"reads";r=0;t=40');
    expect((await from("9.9.9.2", "GET", "/read")).status).toBe(200);
    expect((await from("9.9.9.1", "POST", "/open")).status).toBe(200);
    now += 40_000;
    expect((await from("9.9.9.1", "GET", "/read")).status).toBe(200);
  });

  it("of monitors are never refused", async () => {
    await start({ RATE_READS_PER_CLIENT: "1" });
    const answer = await from("9.9.9.1", "GET", "/health");
    expect(answer.headers.has("ratelimit")).toBe(false);
    expect(await statuses(3, () => from("9.9.9.1", "GET", "/health"))).toEqual([200, 200, 200]);
  });

  it("of one IPv6 network count together", async () => {
    await start({ RATE_READS_PER_CLIENT: "2" });
    expect((await from("2001:db8:1:2::1", "GET", "/read")).status).toBe(200);
    expect((await from("2001:db8:1:2:ffff::9", "GET", "/read")).status).toBe(200);
    expect((await from("2001:db8:1:2:1234::", "GET", "/read")).status).toBe(429);
    expect((await from("2001:db8:1:3::1", "GET", "/read")).status).toBe(200);
    expect(networkOf("2001:db8:1:2::1")).toBe("2001:db8:1:2::/64");
    expect(networkOf("::1")).toBe("0:0:0:0::/64");
    expect(networkOf("10.0.0.1")).toBe("10.0.0.1");
  });

  it("a client that is no trusted proxy cannot say who it is", async () => {
    await start({ RATE_READS_PER_CLIENT: "2", TRUSTED_PROXIES: "10.0.0.0/8" });
    let client = 0;
    expect(await statuses(3, () => from(`9.9.9.${++client}`, "GET", "/read"))).toEqual([200, 200, 429]);
  });
});

describe("writes", () => {
  it("are counted by client first, whatever their credentials: who guesses is stopped", async () => {
    await start({ RATE_WRITES_PER_CLIENT: "4" });
    const wallet = agentWallet({ host: HOST });
    const forged = (await wallet.siwa(NOW)).slice(0, -2);
    const guess = () => from("9.9.9.1", "POST", "/write", { authorization: `${forged}ff` });
    expect(await statuses(5, guess)).toEqual([401, 401, 401, 401, 429]);
    expect((await from("9.9.9.1", "POST", "/open")).status).toBe(429);
    expect((await from("9.9.9.2", "POST", "/open")).status).toBe(200);
  });

  it("count against a wallet once its signature is verified; forged ones never do", async () => {
    await start({ RATE_WRITES_PER_CALLER: "2" });
    const wallet = agentWallet({ host: HOST });
    const stranger = agentWallet({ host: HOST });
    const forged = (await stranger.siwa(NOW)).replace(stranger.address, wallet.address);
    expect(await statuses(10, () => from("9.9.9.1", "POST", "/write", { authorization: forged }))).toEqual(
      Array(10).fill(401),
    );
    const mine = async (client: string, at: number) =>
      from(client, "POST", "/write", { authorization: await wallet.siwa(at) });
    const first = await mine("9.9.9.2", NOW);
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"writes-by-network";q=60000;w=60, "writes";q=2;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"writes-by-network";r=59999;t=60, "writes";r=1;t=60$/);
    // Another credential of the wallet, from elsewhere: still the wallet.
    expect((await mine("9.9.9.3", NOW - 1)).status).toBe(200);
    const refused = await mine("9.9.9.4", NOW - 2);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await from("9.9.9.4", "POST", "/write", { authorization: await stranger.siwa(NOW) })).status).toBe(200);
  });

  it("proofs have a budget of their own", async () => {
    await start({ RATE_PROOFS_PER_CALLER: "1" });
    const wallet = agentWallet({ host: HOST });
    const authorization = await wallet.siwa(NOW);
    expect(await statuses(2, () => from("9.9.9.1", "POST", "/prove", { authorization }))).toEqual([200, 429]);
    expect((await from("9.9.9.1", "POST", "/write", { authorization })).status).toBe(200);
  });

  it("each API key has its own", async () => {
    await start({ RATE_WRITES_PER_API_KEY: "1" });
    const keys = ["aaaaaaaaaa", "bbbbbbbbbb"].map((id) => apiKeyText(id, "x".repeat(43)));
    for (const [i, id] of ["aaaaaaaaaa", "bbbbbbbbbb"].entries())
      await insertApiKey(api!.database.pool, { id, name: id, hash: apiKeyHash(keys[i]!) });
    const with_ = (key: string) => () => from("9.9.9.1", "POST", "/report", { "x-api-key": key });
    expect(await statuses(2, with_(keys[0]!))).toEqual([200, 429]);
    expect(await statuses(1, with_(keys[1]!))).toEqual([200]);
  });

  it("attempts to pay are counted, and only those", async () => {
    await start({
      RATE_PAYMENTS_PER_CALLER: "2",
      PRICING_PHASE: "paid",
      RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}`,
    });
    await plantAgents(api!.database.pool, [{ tokenId: 0 }]);
    const report = "/api/v2/agent/0/cred-report";
    expect(await statuses(4, () => from("9.9.9.1", "GET", report))).toEqual([402, 402, 402, 402]);
    const pay = (client: string) => () => from(client, "GET", report, { "x-payment-tx": `0x${"9".repeat(64)}` });
    const answers = await statuses(3, pay("9.9.9.1"));
    expect(answers.map((status) => status === 429)).toEqual([false, false, true]);
    expect((await from("9.9.9.1", "GET", report)).status).toBe(402);
    expect(await statuses(1, pay("9.9.9.2"))).not.toEqual([429]);
  });

  it("0 is no limit, and no header", async () => {
    await start({ RATE_READS_PER_CLIENT: "0", RATE_WRITES_PER_CLIENT: "0", RATE_WRITES_PER_CALLER: "0" });
    const wallet = agentWallet({ host: HOST });
    for (const answer of [
      await from("9.9.9.1", "GET", "/read"),
      await from("9.9.9.1", "POST", "/write", { authorization: await wallet.siwa(NOW) }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.has("ratelimit")).toBe(false);
      expect(answer.headers.has("ratelimit-policy")).toBe(false);
    }
  });
});

describe("counters", () => {
  it("in memory count each key for itself", async () => {
    const counters = openRateCounters({ prefix: "t", log: { warn() {} } });
    expect((await counters.count("a")).count).toBe(1);
    expect((await counters.count("a")).count).toBe(2);
    const { count, resetMs } = await counters.count("b");
    expect(count).toBe(1);
    expect(resetMs).toBeGreaterThan(0);
    expect(resetMs).toBeLessThanOrEqual(60_000);
    counters.close();
  });

  it.runIf(REDIS_BINARY)(
    "in Redis are shared; without it each process counts for itself, and says so once",
    async () => {
      const redis = await startRedis();
      const warnings: string[] = [];
      const open = () =>
        openRateCounters({
          redisUrl: redis.url,
          prefix: "t",
          log: { warn: (_, message) => void warnings.push(message) },
        });
      const [one, two] = [open(), open()];
      try {
        // Until the connection stands, a process counts for itself.
        await until("both count together", async () => {
          const before = (await one.count("shared")).count;
          return (await two.count("shared")).count === before + 1;
        });
        expect(warnings).toEqual([]);
        redis.crash();
        await until("the loss is told of, once by each", () => warnings.length === 2);
        const counts = [await one.count("alone"), await one.count("alone"), await two.count("alone")];
        expect(counts.map(({ count }) => count)).toEqual([1, 2, 1]);
        await redis.restart();
        await until("both count together again", async () => {
          const before = (await one.count("again")).count;
          return (await two.count("again")).count === before + 1;
        });
      } finally {
        one.close();
        two.close();
        await redis.stop();
      }
    },
  );
});
