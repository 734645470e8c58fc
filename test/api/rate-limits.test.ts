/** Rate limits: who is counted, against what, and that nobody uses up what is another's. */
import { generatePrivateKey } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type CallerRule, isOpen } from "../../api/caller-types.ts";
import { type Endpoint, endpoint } from "../../api/endpoint.ts";
import { type Bucket, rateLimits, tokensOfClient } from "../../api/guards/rate-limits.ts";
import { knownWallets } from "../../api/guards/signed-text.ts";
import { clientAddressBehind, networkOf, networksOf } from "../../api/http/client-network.ts";
import { credReport } from "../../api/routes/cred-report.ts";
import { terminalCsv, terminalJson } from "../../api/routes/directory.ts";
import { terminalToken } from "../../api/routes/directory-agent.ts";
import { health } from "../../api/routes/health.ts";
import { ENDPOINTS as SERVED } from "../../api/routes/index.ts";
import { stats } from "../../api/routes/service-index.ts";
import type { Chain } from "../../clients/ports.ts";
import { openRateBuckets } from "../../clients/rate-buckets.ts";
import { loadConfig } from "../../config/config.ts";
import { apiKeyText } from "../../core/callers/api-keys.ts";
import { RATE_POLICIES, type RateBucket } from "../../core/callers/rate-policies.ts";
import type { Networks, Who } from "../../core/callers/shares.ts";
import { fail } from "../../core/errors.ts";
import { type KeyScope, revokeApiKey } from "../../db/callers/api-keys.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { LONG } from "../../harness/patience.ts";
import { REDIS_BINARY, startRedis } from "../../harness/redis.ts";
import { stubChain } from "../../harness/stub-chain.ts";
import { until } from "../../harness/until.ts";
import { topologyOfRun } from "../support/topology-of-run.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, HOST, named, refusal, startApi, type TestApi } from "./support/api.ts";
import { plantApiKey } from "./support/plants.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");

const route = (method: "get" | "post", path: string, caller: CallerRule, bucket?: Bucket) =>
  endpoint({
    ...named(method, path),
    operationId: `${method}${path.slice(1)}`,
    guard: { caller, ...(bucket && { bucket }) },
    responses: { 200: { description: "Nothing", schema: z.object({}) } },
    handler: (_, json) => json({}),
  });
const OPERATIONS = [terminalToken, terminalJson, terminalCsv, stats];
const ENDPOINTS = [
  route("get", "/read", "anyone"),
  route("post", "/open", "anyone"),
  route("post", "/lookup", "anyone", "reads"),
  route("post", "/write", "siwa"),
  route("post", "/prove", "siwa", "proofs"),
  route("post", "/human", "human"),
  route("post", "/report", "apiKey"),
  health,
  credReport,
];

let api: TestApi | undefined;
let now = NOW;
/** Without Redis each process counts for itself. @param options.alone where the test moves the clock: Redis has its own */
const start = async (
  env: Record<string, string>,
  { alone = false, ...more }: { alone?: boolean; endpoints?: readonly Endpoint[]; chain?: Chain } = {},
) => {
  api = await startApi({
    ...{ endpoints: ENDPOINTS, now: () => now, alone: alone || topologyOfRun()?.redisUrl === undefined },
    ...more,
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

const plantKey = (...key: [id: string, scopes?: KeyScope[], readsPerMinute?: number]) => plantApiKey(api!.pool, ...key);

describe("reads", () => {
  it("take tokens that flow back evenly; headers and Retry-After say exactly that", async () => {
    await start({ LIMITS: "reads=3" }, { alone: true });
    const read = () => from("9.9.9.1", "GET", "/read");
    const first = await read();
    expect(first.headers.get("ratelimit-policy")).toBe('"reads";q=3;w=60');
    // A third is used, which is back in a third of the window.
    expect(first.headers.get("ratelimit")).toBe('"reads";r=2;t=20');
    expect(await statuses(3, read)).toEqual([200, 200, 429]);
    const refused = await read();
    expect(refused).toMatchObject(
      refusal(429, "rate_limited", { error: "Too many requests: reads is limited to 3 a minute." }),
    );
    expect(refused.headers.get("retry-after")).toBe("20");
    expect(refused.headers.get("ratelimit")).toBe('"reads";r=0;t=60');
    expect((await from("9.9.9.2", "GET", "/read")).status).toBe(200);
    expect((await from("9.9.9.1", "POST", "/open")).status).toBe(200);
    now += 19_999;
    expect((await read()).status).toBe(429);
    now += 1;
    expect(await statuses(2, read)).toEqual([200, 429]);
    now += 60_000;
    expect(await statuses(4, read)).toEqual([200, 200, 200, 429]);
  });

  it("of a client that keeps to the quota of the policy are never refused", async () => {
    await start({ LIMITS: "reads=3" }, { alone: true });
    for (let window = 0; window < 4; window++) {
      expect(await statuses(3, () => from("9.9.9.1", "GET", "/read"))).toEqual([200, 200, 200]);
      now += 60_000;
    }
  });

  it("and open writes are counted before their bodies are read", async () => {
    await start({ LIMITS: "reads=2,writes-by-network=2" });
    const unreadable = (path: string) => () =>
      api!.send("POST", path, {
        headers: { "x-forwarded-for": "9.9.9.1", "content-type": "application/json" },
        body: "{",
      });
    expect(await statuses(3, unreadable("/open"))).toEqual([400, 400, 429]);
    expect(await statuses(3, unreadable("/lookup"))).toEqual([400, 400, 429]);
    const uncounted = SERVED.filter(
      ({ method, guard: { caller, bucket } }) =>
        method !== "get" &&
        isOpen(caller) &&
        tokensOfClient(bucket, caller === "anyone", { networks: networksOf("127.0.0.1"), key: null }).length === 0,
    );
    expect(uncounted.map(({ path }) => path)).toEqual([]);
  });

  it("of monitors are never refused", async () => {
    await start({ LIMITS: "reads=1" });
    const answer = await from("9.9.9.1", "GET", "/health");
    expect(answer.headers.has("ratelimit")).toBe(false);
    expect(await statuses(3, () => from("9.9.9.1", "GET", "/health"))).toEqual([200, 200, 200]);
  });

  it("are not counted for whoever says that it is somebody else", async () => {
    await start({ LIMITS: "reads=2" });
    let client = 0;
    // What a client writes itself stands left of what the proxy adds.
    const spoofed = () => from(`9.9.9.${++client}, unknown, 8.8.8.8`, "GET", "/read");
    expect(await statuses(3, spoofed)).toEqual([200, 200, 429]);
  });

  it("of one IPv6 network count together", async () => {
    await start({ LIMITS: "reads=2" });
    expect((await from("2001:db8:1:2::1", "GET", "/read")).status).toBe(200);
    expect((await from("2001:db8:1:2:ffff::9", "GET", "/read")).status).toBe(200);
    expect((await from("2001:db8:1:2:1234::", "GET", "/read")).status).toBe(429);
    expect((await from("2001:db8:1:3::1", "GET", "/read")).status).toBe(200);
    expect(networksOf("2001:db8:1:2::1").map(({ name }) => name)).toEqual([
      "2001:db8:1:2::/64",
      "2001:db8:1::/48",
      "2001:db8::/32",
    ]);
    expect(networksOf("10.1.2.3").map(({ name }) => name)).toEqual(["10.1.2.3", "10.1.2.0/24"]);
    expect(networksOf("unknown").map(({ name }) => name)).toEqual(["unknown"]);
    expect(networkOf("::1")).toBe("0:0:0:0::/64");
    expect(networkOf("10.0.0.1")).toBe("10.0.0.1");
    for (const mapped of ["::ffff:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:ffff:10.0.0.1", "::FFFF:0a00:0001"])
      expect(networkOf(mapped), mapped).toBe("10.0.0.1");
    expect((await from("::ffff:909:901", "GET", "/read")).status).toBe(200);
    expect(await statuses(2, () => from("9.9.9.1", "GET", "/read"))).toEqual([200, 429]);
  });

  it("of the networks of one /48 count together as those of four clients; of a /24 as those of 64", async () => {
    await start({ LIMITS: "reads=2" }, { alone: true });
    let subnet = 0;
    const all = await statuses(20, () => from(`2001:db8:1:${++subnet}::1`, "GET", "/read"));
    expect(all.filter((status) => status === 200)).toHaveLength(8);
    const refused = await from("2001:db8:1:99::1", "GET", "/read");
    expect(refused.body.error).toBe("Too many requests: reads of 2001:db8:1::/48 is limited to 8 a minute.");
    expect(refused.headers.get("ratelimit")).toBe('"reads";r=0;t=0');
    expect((await from("2001:db8:2:1::1", "GET", "/read")).status).toBe(200);
    let host = 0;
    const ofIPv4 = await statuses(140, () => from(`10.1.2.${++host}`, "GET", "/read"));
    expect(ofIPv4.filter((status) => status === 200)).toHaveLength(128);
    expect((await from("10.1.3.1", "GET", "/read")).status).toBe(200);
  });

  it("are those of an address, whatever port a proxy names beside it", async () => {
    await start({ LIMITS: "reads=1" });
    const hops = ["9.9.9.1:4711", "9.9.9.1:99", "9.9.9.1", "[2001:db8::1]:4711", "[2001:db8::2]", "2001:db8::3"];
    const all: number[] = [];
    for (const hop of hops) all.push((await from(hop, "GET", "/read")).status);
    expect(all).toEqual([200, 429, 429, 200, 429, 429]);
  });

  it.each(["10.0.0.0/33", "::1/129", "10.0.0.0/8/16", "10.0.0", "proxy"])("cannot be told with a proxy %s", (entry) => {
    expect(() => clientAddressBehind([entry])).toThrow(`TRUSTED_PROXIES: "${entry}"`);
  });

  it("a client that is no trusted proxy cannot say who it is", async () => {
    await start({ LIMITS: "reads=2", TRUSTED_PROXIES: "10.0.0.0/8" });
    let client = 0;
    expect(await statuses(3, () => from(`9.9.9.${++client}`, "GET", "/read"))).toEqual([200, 200, 429]);
  });
});

describe("writes", () => {
  it("without a credential are the network's; the caller of a signed one has its own", async () => {
    await start({ LIMITS: "writes-by-network=2" });
    const wallet = agentWallet({ host: HOST });
    expect(await statuses(3, () => from("9.9.9.1", "POST", "/open"))).toEqual([200, 200, 429]);
    const authorization = await wallet.siwa(NOW);
    expect((await from("9.9.9.1", "POST", "/write", { authorization })).status).toBe(200);
    expect((await from("9.9.9.2", "POST", "/open")).status).toBe(200);
  });

  it("count failed attempts to sign in against the network, and no good one: who guesses is stopped", async () => {
    await start({ LIMITS: "sign-ins=4" });
    const wallet = agentWallet({ host: HOST });
    const good = async (client: string, at: number) =>
      (await from(client, "POST", "/write", { authorization: await wallet.siwa(at) })).status;
    for (let i = 0; i < 8; i++) expect(await good("9.9.9.1", NOW - i)).toBe(200);
    const known = await wallet.siwa(NOW);
    const forged = (await wallet.siwa(NOW - 500)).slice(0, -2);
    const attempts: [path: string, headers: Record<string, string>][] = [
      ["/write", { authorization: `${forged}ff` }],
      ["/write", {}],
      ["/report", { "x-api-key": apiKeyText("aaaaaaaaaa", "x".repeat(43)) }],
      ["/human", { authorization: "Bearer a.b.c" }],
    ];
    for (const [path, headers] of attempts) expect((await from("9.9.9.1", "POST", path, headers)).status).toBe(401);
    for (const [path, headers] of attempts) expect((await from("9.9.9.1", "POST", path, headers)).status).toBe(429);
    // Credentials that are known to be good go on; a new one has to wait, and another network does not.
    expect((await from("9.9.9.1", "POST", "/write", { authorization: known })).status).toBe(200);
    expect(await good("9.9.9.1", NOW - 100)).toBe(429);
    expect(await good("9.9.9.2", NOW - 101)).toBe(200);
    expect((await from("9.9.9.1", "GET", "/read")).status).toBe(200);
  });

  it("a burst of guesses gets no more attempts than guesses one by one", async () => {
    await start({ LIMITS: "sign-ins=4" });
    const wallet = agentWallet({ host: HOST });
    const forged = await Promise.all(Array.from({ length: 40 }, (_, i) => wallet.siwa(NOW - i)));
    const burst = forged.map((one) => from("9.9.9.1", "POST", "/write", { authorization: `${one.slice(0, -2)}ff` }));
    const all = (await Promise.all(burst)).map(({ status }) => status);
    expect(all.filter((status) => status === 401)).toHaveLength(4);
    expect(all.filter((status) => status === 429)).toHaveLength(36);
  });

  describe("signatures that the chain is asked about", () => {
    const good = `0x${"cd".repeat(70)}`;
    const deployed = new Set<string>();
    let asked = 0;
    const chain = stubChain({
      isDeployed: async (address) => deployed.has(address),
      verifySignature: async ({ signature }) => {
        asked++;
        return signature === good;
      },
    });
    const contract = () => {
      const address = generatePrivateKey().slice(0, 42);
      deployed.add(address);
      return address;
    };
    let signed = 0;
    const bad = () => `0x${"ee".repeat(66)}${(++signed).toString(16).padStart(8, "0")}`;
    /** Each with a time of its own, so that no verdict is remembered. */
    const sign = async (client: string, address: string, signature: string) =>
      (await from(client, "POST", "/write", { authorization: `${address}:${NOW - ++signed}:${signature}` })).status;
    /** Bad signatures from the addresses, each until it is refused. @returns how many the chain was asked about */
    async function flood(clients: readonly string[], address = contract()): Promise<number> {
      const before = asked;
      for (const client of clients) {
        let status = 401;
        while (status === 401) status = await sign(client, address, bad());
        expect(status).toBe(429);
      }
      return asked - before;
    }
    const sites = (provider: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${provider}:${(i + 1).toString(16)}:1::1`);
    beforeEach(() => {
      asked = 0;
    });

    it("are bounded for the /64s of a /48 and the /48s of a /32 together; other networks keep their share", async () => {
      await start({ LIMITS: "contract-signatures=300" }, { chain, alone: true });
      const subnets = Array.from({ length: 9 }, (_, i) => `2001:db8:1:${i}::1`);
      const texts = (await flood(["9.9.9.9"])) / 3;
      expect(await flood(subnets)).toBe(12 * texts);
      expect(await flood(sites("2001:db8", 40))).toBe(88 * texts);
      expect(await flood(["198.51.100.1"])).toBe(3 * texts);
      expect(await sign("203.0.113.1", contract(), good)).toBe(200);
    });

    it("stay attempts to sign in where a limit of the chain refuses them", async () => {
      await start({ LIMITS: "wallet-lookups=200,sign-ins=5" }, { chain, alone: true });
      const person = generatePrivateKey().slice(0, 42);
      const sentence = async () => {
        const authorization = `${person}:${NOW - ++signed}:${bad()}`;
        return (await from("9.9.9.1", "POST", "/write", { authorization })).body.error;
      };
      const all: unknown[] = [];
      for (let i = 0; i < 6; i++) all.push(await sentence());
      expect(all[4]).toMatch(/wallet-lookups/);
      expect(all[5]).toMatch(/sign-ins/);
    });

    it("use up no lookups while the nodes are away", async () => {
      let away = true;
      const isDeployed = async () => (away ? fail("upstream_unavailable", "No node answers.") : true);
      const nodes = stubChain({ isDeployed, verifySignature: async () => true });
      await start({ LIMITS: "wallet-lookups=200" }, { chain: nodes, alone: true });
      const ask = () => sign("9.9.9.1", contract(), good);
      for (let i = 0; i < 4; i++) expect(await ask()).toBe(503);
      away = false;
      expect(await ask()).toBe(200);
    });

    it("of a wallet that was good from its network go on while strangers have emptied what they share", async () => {
      await start({ LIMITS: "contract-signatures=300" }, { chain, alone: true });
      const [known, unknown] = [contract(), contract()];
      expect(await sign("203.0.113.1", known, good)).toBe(200);
      await flood([...sites("2001:db8", 40), ...sites("2001:db9", 40), ...sites("2001:dba", 40), "9.9.9.9"]);
      expect(await sign("198.51.100.1", unknown, good)).toBe(429);
      // Strangers who name the wallet use up nothing of it.
      expect(await flood(["198.51.100.2"], known)).toBe(0);
      expect(await sign("203.0.113.1", known, good)).toBe(200);
      // Its own bucket is small here; it comes back evenly.
      expect(await sign("203.0.113.1", known, good)).toBe(429);
      now += 60_000;
      await flood([...sites("2001:db8", 40), ...sites("2001:db9", 40), ...sites("2001:dba", 40), "9.9.9.9"]);
      expect(await sign("203.0.113.1", known, good)).toBe(200);
    });

    it("are not taken by addresses without code, nor remembered for undeployed wallets", async () => {
      await start({ LIMITS: "contract-signatures=300,wallet-lookups=2000" }, { chain, alone: true });
      const person = generatePrivateKey().slice(0, 42);
      for (let i = 0; i < 20; i++) expect(await sign("9.9.9.1", person, bad())).toBe(401);
      // That they have none is asked of the chain, too.
      expect(await sign("9.9.9.1", person, bad())).toBe(429);
      expect(asked).toBe(0);
      const wrapped = `0x${"cd".repeat(38)}${"6492".repeat(16)}`;
      const counterfactual = stubChain({ isDeployed: async () => false, verifySignature: async () => true });
      await api?.close();
      await start({ LIMITS: "contract-signatures=300" }, { chain: counterfactual, alone: true });
      const all = await statuses(5, async () => ({ status: await sign("9.9.9.1", person, wrapped) }) as Answer);
      expect(all).toEqual([200, 200, 200, 429, 429]);
    });
  });

  it("wallets that are known are bounded by network, and none is displaced", () => {
    const known = knownWallets();
    const wallet = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
    const honest = networksOf("203.0.113.1");
    known.add(wallet(0), honest, NOW);
    for (let n = 1; n < 6_000; n++) known.add(wallet(n), networksOf(`2001:db8:${(n >> 3).toString(16)}::1`), NOW);
    const isKnown = (n: number, address: string, at = NOW) => known.nameOf(wallet(n), networksOf(address), at);
    expect(isKnown(0, "203.0.113.1")).toBeDefined();
    // A third of 5,000 for one /32.
    const ofProvider = Array.from({ length: 6_000 }, (_, n) => isKnown(n, `2001:db8:${(n >> 3).toString(16)}::1`));
    expect(ofProvider.filter((name) => name !== undefined)).toHaveLength(1_667);
    expect(isKnown(0, "203.0.113.2")).toBeUndefined();
    expect(isKnown(0, "203.0.113.1", NOW + 30 * 86_400_000)).toBeUndefined();
    known.add(wallet(7_000), networksOf("2001:db8:ffff::1"), NOW + 30 * 86_400_000);
    expect(isKnown(7_000, "2001:db8:ffff::1", NOW + 30 * 86_400_000)).toBeDefined();
  });

  it("of many wallets of one network are bounded together: wallets cost nothing", async () => {
    await start({ LIMITS: "signed-writes-by-network=3" });
    const fresh = async (client: string) => {
      const authorization = await agentWallet({ host: HOST, privateKey: generatePrivateKey() }).siwa(NOW);
      return from(client, "POST", "/write", { authorization });
    };
    expect(await statuses(4, () => fresh("9.9.9.1"))).toEqual([200, 200, 200, 429]);
    expect((await fresh("9.9.9.2")).status).toBe(200);
  });

  it("count against a wallet once its signature is verified; forged ones never do", async () => {
    await start({ LIMITS: "writes=2" });
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
    expect(first.headers.get("ratelimit-policy")).toBe('"writes";q=2;w=60, "signed-writes-by-network";q=60000;w=60');
    expect(first.headers.get("ratelimit")).toBe('"writes";r=1;t=30, "signed-writes-by-network";r=59999;t=1');
    // Another credential of the wallet, from elsewhere: still the wallet.
    expect((await mine("9.9.9.3", NOW - 1)).status).toBe(200);
    const refused = await mine("9.9.9.4", NOW - 2);
    expect(refused).toMatchObject(refusal(429, "rate_limited"));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // What is refused takes nothing from the other bucket.
    expect(refused.headers.get("ratelimit")).toMatch(/"signed-writes-by-network";r=60000;/);
    expect((await from("9.9.9.4", "POST", "/write", { authorization: await stranger.siwa(NOW) })).status).toBe(200);
  });

  it("proofs have budgets of their own, by the minute and by the day", async () => {
    await start({ LIMITS: "proofs=2,proofs-by-day=3" }, { alone: true });
    const wallet = agentWallet({ host: HOST });
    const prove = async () => from("9.9.9.1", "POST", "/prove", { authorization: await wallet.siwa(now) });
    expect(await statuses(3, prove)).toEqual([200, 200, 429]);
    expect((await from("9.9.9.1", "POST", "/write", { authorization: await wallet.siwa(now) })).status).toBe(200);
    now += 60_000;
    expect(await statuses(2, prove)).toEqual([200, 429]);
    const refused = await prove();
    expect(refused.body.error).toBe("Too many requests: proofs-by-day is limited to 3 a day.");
    expect(refused.headers.get("retry-after")).toBe(String(86_400 / 3 - 60));
    expect(refused.headers.get("ratelimit-policy")).toMatch(/"proofs-by-day";q=3;w=86400/);
    now += Number(refused.headers.get("retry-after")) * 1000;
    expect(await statuses(2, prove)).toEqual([200, 429]);
  });

  it("each API key has its own", async () => {
    await start({ LIMITS: "writes-by-key=1" });
    const keys = [await plantKey("aaaaaaaaaa"), await plantKey("bbbbbbbbbb")];
    const with_ = (key: string) => () => from("9.9.9.1", "POST", "/report", { "x-api-key": key });
    expect(await statuses(2, with_(keys[0]!))).toEqual([200, 429]);
    expect(await statuses(1, with_(keys[1]!))).toEqual([200]);
  });

  it("attempts to pay are counted, and only those", async () => {
    await start({
      LIMITS: "payments=2",
      PRICING_PHASE: "paid",
      RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}`,
    });
    await plantAgents(api!.pool, [{ tokenId: 0 }]);
    const report = "/api/v2/agent/0/cred-report";
    expect(await statuses(4, () => from("9.9.9.1", "GET", report))).toEqual([402, 402, 402, 402]);
    const pay = (client: string) => () => from(client, "GET", report, { "x-payment-tx": `0x${"9".repeat(64)}` });
    const answers = await statuses(3, pay("9.9.9.1"));
    expect(answers.map((status) => status === 429)).toEqual([false, false, true]);
    expect((await from("9.9.9.1", "GET", report)).status).toBe(402);
    expect(await statuses(1, pay("9.9.9.2"))).not.toEqual([429]);
  });

  it("0 is no limit, and no header", async () => {
    const none = Object.keys(RATE_POLICIES).map((name) => `${name}=0`);
    await start({ LIMITS: none.join(",") });
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

describe("single operations", () => {
  it("claims of tokens and exports are bounded by network, exports by the hour", async () => {
    await start({ LIMITS: "claims=2,exports=1" }, { endpoints: OPERATIONS });
    const claim = () =>
      api!.send("POST", "/api/terminal/agent/unknown/token", {
        headers: { "x-forwarded-for": "9.9.9.1", "content-type": "application/json" },
        body: JSON.stringify({ token_address: `0x${"12".repeat(20)}` }),
      });
    expect(await statuses(3, claim)).toEqual([404, 404, 429]);
    const exported =
      (format: string, client: string, headers = {}) =>
      () =>
        from(client, "GET", `/api/terminal/agents.${format}`, headers);
    const first = await exported("csv", "9.9.9.1")();
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toMatch(/"exports";q=1;w=3600$/);
    const refused = await exported("json", "9.9.9.1")();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect((await exported("json", "9.9.9.2")()).status).toBe(200);
    const key = await plantKey("eeeeeeeeee", ["read"]);
    expect(await statuses(2, exported("json", "9.9.9.1", { "x-api-key": key }))).toEqual([200, 429]);
  });

  it("answers kept by Idempotency-Key are bounded by network: beyond, a repeated request runs again", async () => {
    await start({ LIMITS: "kept-answers=2" });
    const post = async (path: string, key: string, client = "9.9.9.1") => {
      const answer = await from(client, "POST", path, { "idempotency-key": key });
      return [answer.status, answer.headers.get("idempotent-replayed")];
    };
    for (const key of ["a", "b", "c", "d"]) expect(await post("/open", key)).toEqual([200, null]);
    expect(await post("/open", "a")).toEqual([200, "true"]);
    expect(await post("/open", "d")).toEqual([200, null]);
    expect(await post("/open", "e", "9.9.9.2")).toEqual([200, null]);
    expect(await post("/open", "e", "9.9.9.2")).toEqual([200, "true"]);
    // What only reads keeps nothing at all.
    expect(await post("/lookup", "f", "9.9.9.2")).toEqual([200, null]);
    const rows = await api!.sql("select key from offchain.idempotency order by key");
    expect(rows.map(({ key }) => key)).toEqual(["a", "b", "e"]);
  });

  it("reads that name a block are bounded while they are open", async () => {
    await start({ LIMITS: "min-block-reads=3" }, { endpoints: OPERATIONS, alone: true });
    const far = "/api/v2/stats?minBlock=9000000";
    const all = await Promise.all(Array.from({ length: 8 }, () => from("9.9.9.1", "GET", far)));
    // The others wait five seconds for a block that does not come.
    expect(all.map(({ status }) => status).sort()).toEqual([429, 429, 429, 429, 429, 503, 503, 503]);
    expect((await from("9.9.9.1", "GET", "/api/v2/stats?minBlock=1")).status).toBe(200);
  });
});

describe("an API key on reads", () => {
  it("of scope read has a budget of its own, as large as its holder was given", async () => {
    await start({ LIMITS: "reads=1,reads-by-key=2" });
    const [usual, large] = [await plantKey("aaaaaaaaaa", ["read"]), await plantKey("bbbbbbbbbb", ["read"], 4)];
    expect(await statuses(2, () => from("9.9.9.1", "GET", "/read"))).toEqual([200, 429]);
    const by = (key: string) => () => from("9.9.9.1", "GET", "/read", { "x-api-key": key });
    const first = await by(usual)();
    expect(first.headers.get("ratelimit-policy")).toBe('"reads-by-key";q=2;w=60');
    expect(await statuses(2, by(usual))).toEqual([200, 429]);
    expect(await statuses(5, by(large))).toEqual([200, 200, 200, 200, 429]);
    const rows = await api!.sql("select last_used_at from offchain.api_key order by id");
    expect(rows.map(({ last_used_at }) => last_used_at)).toEqual([new Date(NOW), new Date(NOW)]);
  });

  it("of another scope is counted by network; one that is not good is 401, soon after it was revoked too", async () => {
    await start({ LIMITS: "reads=2" }, { alone: true });
    const other = await plantKey("cccccccccc", ["sessions:write"]);
    const good = await plantKey("dddddddddd", ["sessions:write", "read"]);
    const read = (key: string) => () => from("9.9.9.1", "GET", "/read", { "x-api-key": key });
    for (const bad of ["", "x", `${good.slice(0, -1)}A`, apiKeyText("zzzzzzzzzz", "x".repeat(43))]) {
      const answer = await read(bad)();
      expect(answer).toMatchObject(refusal(401, "unauthenticated"));
      expect(answer.headers.get("www-authenticate")).toMatch(/^ApiKey /);
    }
    expect(await statuses(3, read(other))).toEqual([200, 200, 429]);
    expect((await read(good)()).status).toBe(200);
    // One key may report sessions and read.
    expect((await from("9.9.9.1", "POST", "/report", { "x-api-key": good })).status).toBe(200);
    await revokeApiKey(api!.pool, "dddddddddd");
    now += 5_000;
    expect((await read(good)()).status).toBe(401);
  });

  it("guessed again and again stops asking the database", async () => {
    await start({ LIMITS: "sign-ins=3" });
    let n = 0;
    const guess = () =>
      from("9.9.9.1", "GET", "/read", { "x-api-key": apiKeyText("aaaaaaaaaa", String(++n).padStart(43, "x")) });
    expect(await statuses(5, guess)).toEqual([401, 401, 401, 429, 429]);
    expect((await from("9.9.9.1", "GET", "/read")).status).toBe(200);
  });
});

describe("buckets", () => {
  const bucket = (key: string, quota = 5): RateBucket => ({ key, quota, windowMs: 60_000 });

  it("in memory are each for itself, take from all or from none, and take back what is given", async () => {
    const buckets = openRateBuckets({ prefix: "t", log: { warn() {} } });
    const take = async (...of: RateBucket[]) => {
      const { granted, levels } = await buckets.take(of, NOW);
      return [granted, ...levels.map(({ left }) => left)];
    };
    expect(await take(bucket("a", 2))).toEqual([true, 1]);
    expect(await take(bucket("a", 2), bucket("b", 1))).toEqual([true, 0, 0]);
    expect(await take(bucket("c"), bucket("b", 1))).toEqual([false, 5, 0]);
    expect(await take(bucket("c"))).toEqual([true, 4]);
    await buckets.giveBack([bucket("b", 1)], NOW);
    await buckets.giveBack([bucket("full")], NOW);
    expect(await take(bucket("b", 1))).toEqual([true, 0]);
    expect(await take(bucket("full"))).toEqual([true, 4]);
    buckets.close();
  });

  it("in memory are bounded in number, and forget none that is not full", async () => {
    const buckets = openRateBuckets({ prefix: "t", log: { warn() {} } });
    await buckets.take([bucket("mine", 1)], NOW);
    for (let i = 0; i < 90_000; i++) await buckets.take([bucket(`2001:db8::${i}`)], NOW);
    expect(await buckets.take([bucket("mine", 1)], NOW + 59_000)).toMatchObject({ granted: false });
    expect(await buckets.take([bucket("mine", 1)], NOW + 60_000)).toMatchObject({ granted: true });
    expect(await buckets.take([bucket("mine", 1)], NOW + 119_999)).toMatchObject({ granted: false });
    buckets.close();
  });

  /** Two processes that count in one Redis. */
  async function inRedis(options: Partial<Parameters<typeof openRateBuckets>[0]>[]) {
    const redis = await startRedis();
    const opened = options.map((more) =>
      openRateBuckets({ redisUrl: redis.url, prefix: "t", log: { warn() {} }, ...more }),
    );
    onTestFinished(async () => {
      redis.resume();
      for (const buckets of opened) buckets.close();
      await redis.stop();
    });
    const left = async (of: number, key: string) => (await opened[of]!.take([bucket(key, 1000)], NOW)).levels[0]!.left;
    /** Until the connection stands, a process counts for itself. */
    const together = (key: string) =>
      until("both count together", async () => {
        const before = await left(1, key);
        return (await left(0, key)) === before - 1;
      });
    await together("shared");
    return { redis, opened: opened as [(typeof opened)[0], (typeof opened)[0]], left, together };
  }

  it.runIf(REDIS_BINARY)("in Redis are shared atomically; without it each counts alone and says so once", async () => {
    const warnings: string[] = [];
    const own = {
      log: { warn: (_: unknown, message: string) => void warnings.push(message) },
      commandTimeoutMs: LONG,
    };
    const { redis, opened, left, together } = await inRedis([own, own]);
    const [one, two] = opened;
    expect(warnings).toEqual([]);
    const burst = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).take([bucket("burst", 10), bucket("wide", 99)], NOW)),
    );
    expect(burst.filter(({ granted }) => granted)).toHaveLength(10);
    expect((await one.take([bucket("wide", 99)], NOW)).levels[0]!.left).toBe(88);
    await two.giveBack([bucket("burst", 10)], NOW);
    expect((await one.take([bucket("burst", 10)], NOW)).granted).toBe(true);
    const refused = await one.take([bucket("burst", 10)], NOW);
    expect([refused.granted, refused.levels[0]!.left]).toEqual([false, 0]);
    expect(refused.levels[0]!.nextInMs).toBeGreaterThan(0);
    expect(refused.levels[0]!.nextInMs).toBeLessThanOrEqual(6_000);

    redis.crash();
    await until("the loss is told of, once by each", () => warnings.length === 2);
    expect([await left(0, "alone"), await left(0, "alone"), await left(1, "alone")]).toEqual([999, 998, 999]);
    await redis.restart();
    await together("again");
  });

  it.runIf(REDIS_BINARY)("in Redis keep the shares of wide networks and of known callers", async () => {
    const { opened } = await inRedis([{ commandTimeoutMs: LONG }, { commandTimeoutMs: LONG }]);
    const { rates } = loadConfig({ DATA_DIR: "/nonexistent" });
    const limits = opened.map((buckets) => rateLimits({ ...rates, "chain-reads": 100 }, buckets));
    const granted = async (clients: readonly Who[]) => {
      let count = 0;
      for (const [i, client] of clients.entries())
        count += await Promise.resolve(client)
          .then((who) => limits[i % 2]!.take([["chain-reads", who]], NOW))
          .then(
            () => 1,
            () => 0,
          );
      return count;
    };
    const ofSite = (site: string, count: number) =>
      Array.from({ length: count }, (_, i) => networksOf(`${site}:${i.toString(16)}::1`));
    expect(await granted(ofSite("2001:db8:1", 40))).toBe(20);
    expect(await granted(ofSite("2001:db8:2", 40))).toBe(13);
    expect(await granted(Array<Networks>(9).fill(networksOf("198.51.100.1")))).toBe(5);
    for (const provider of ["2001:db9", "2001:dba"])
      for (const site of [1, 2]) await granted(ofSite(`${provider}:${site}`, 40));
    expect(await granted([networksOf("203.0.113.1")])).toBe(0);
    expect(await granted(Array<string>(30).fill("api-key:good"))).toBe(20);
  });

  it.runIf(REDIS_BINARY)("a Redis that hangs delays a request once in a while, and stops none", async () => {
    const warnings: string[] = [];
    const { redis, opened } = await inRedis([{ log: { warn: (_, message) => void warnings.push(message) } }, {}]);
    const [hanging] = opened;
    redis.pause();
    // The first waits a moment; the others know. Were each of them to wait, this would take the test's time.
    for (let i = 0; i < 200; i++) expect((await hanging.take([bucket("mine", 200)], NOW)).granted).toBe(true);
    expect((await hanging.take([bucket("mine", 200)], NOW)).granted).toBe(false);
    expect(warnings).toHaveLength(1);
  });
});
