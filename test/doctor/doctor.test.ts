/** The doctor on a healthy deployment, and on each kind of broken one: what is wrong is found and named, and nothing else stops. */
import { numberToHex } from "viem";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { overlaid } from "../../config/config.ts";
import { forgivingConfig, variableValues } from "../../config/variable-values.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import { serviceEnv } from "../../devnet/deploy.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { error, type Finding, type GroupedCheck, ok, skipped } from "../../doctor/check.ts";
import { CHECKS } from "../../doctor/checks.ts";
import { countsOf, jsonReport, textReport, variablesReport } from "../../doctor/report.ts";
import { type Result, runChecks } from "../../doctor/run.ts";
import type { World } from "../../doctor/world.ts";
import { listen } from "../../harness/listen.ts";
import { plantCheckpoint } from "../../harness/onchain.ts";
import { REDIS_BINARY, startRedis } from "../../harness/redis.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { wireDoctor } from "../../wiring/doctor.ts";
import { contractWorld } from "../support/contract-world.ts";
import { testDatabase } from "../support/database.ts";
import { perFile } from "../support/started.ts";

const contracts = perFile(contractWorld);
const database = perFile(() => testDatabase({ indexed: true }));
const simulators = perFile(() => startSimulators({ rows: 3 }));
const web = perFile(() =>
  listen((request, response) => {
    if (request.url?.startsWith("/refused")) response.statusCode = 401;
    const body = request.url === "/supported" ? { kinds } : { status: "ok" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  }),
);
/** Of a deployment that lacks nothing. */
let env: Record<string, string>;
/** Answer of `/supported`. */
let kinds: object[];
/** Answers every request with 401. */
let refusing: string;

beforeAll(async () => {
  const head = Number(await contracts.chain.getBlockNumber());
  await plantCheckpoint(database.pool, { block: head, finalized: head });
  const here = web.url;
  refusing = `${here}/refused`;
  const { FACILITATOR_PRIVATE_KEY: _, ...service } = serviceEnv(contracts.devnet);
  kinds = [
    { x402Version: 1, scheme: "exact", network: "base" },
    { x402Version: 2, scheme: "exact", network: `eip155:${contracts.devnet.chainId}` },
  ];
  env = {
    DATA_DIR: "/nonexistent",
    DATABASE_URL: database.url,
    RPC_URL: contracts.anvil.url,
    // The same node by another name.
    RPC_URLS: contracts.anvil.url.replace("127.0.0.1", "localhost"),
    ...service,
    ...simulatedUpstreams(simulators.url),
    CRED_ROOTS_ADDRESS: contracts.devnet.contracts.credRoots,
    IPFS_GATEWAY_URL: here,
    ARWEAVE_GATEWAY_URL: here,
    FACILITATOR_URL: here,
    // Nothing answers there, whatever else runs on this machine.
    PUBLIC_URL: "http://127.0.0.1:1",
    PORT: "1",
  };
});

/** Runs the checks of these names, all without one, against the deployment with other variables. */
async function examine(change: Record<string, string> = {}, names?: string[], edit?: (world: World) => World) {
  const changed = overlaid(env, change);
  const { config, problems } = forgivingConfig(changed);
  const { value, close } = await wireDoctor(config, { variables: variableValues(changed), problems });
  try {
    const checks = CHECKS.filter(({ name }) => names?.includes(name) ?? true);
    expect(checks.length).toBeGreaterThanOrEqual(names?.length ?? 1);
    return await runChecks(checks, edit ? edit(value) : value);
  } finally {
    await close();
  }
}

const findingsOf = (results: Result[]): Finding[] => results.flatMap(({ findings }) => findings);
/** The findings that say that something is wrong, as lines. */
const wrong = (results: Result[]) =>
  results.flatMap(({ name, findings }) =>
    findings
      .filter(({ level }) => level === "error" || level === "warning")
      .map(
        ({ level, subject, found, advice }) => `${level} ${name}${subject ? ` ${subject}` : ""}: ${found} → ${advice}`,
      ),
  );

/** The server of the tests runs without fsync, and a check of the doctor says so. */
const FAST_POSTGRES = ["fsync", "synchronous_commit", "full_page_writes"].map((name) =>
  expect.stringMatching(new RegExp(`^error settings ${name}: off → Set ${name} to on`)),
);

describe("a healthy deployment", () => {
  it("has nothing wrong, and every check has a name, a group and findings", async () => {
    const results = await examine();
    expect(wrong(results)).toEqual(FAST_POSTGRES);
    expect(results).toHaveLength(CHECKS.length);
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
    for (const { name, findings } of results) expect(findings.length, name).toBeGreaterThan(0);
    const { ok: good, skipped: unknown } = countsOf(results);
    expect(good).toBeGreaterThan(40);
    // What a deployment without a running API, MPP and an identity provider does not have.
    expect(unknown).toBeLessThan(15);
  });

  it("is shown to people and to machines, without a secret", async () => {
    const results = await examine();
    const report = textReport(results, { colours: true, seconds: 1 });
    for (const { name } of CHECKS) expect(report).toContain(name);
    const variables = variableValues(env);
    const parsed = JSON.parse(jsonReport(results, { variables, seconds: 1 }));
    expect(parsed).toMatchObject({ ok: false, counts: { error: FAST_POSTGRES.length } });
    expect(parsed.checks).toHaveLength(CHECKS.length);
    const table = variablesReport(variables, { colours: false });
    expect(table).toContain("DEPLOYER_PRIVATE_KEY=set (secret)");
    expect(table).toContain("CHAIN_ID=8453\n    The chain. Read by: api, workers, indexer");
    for (const text of [report, JSON.stringify(parsed), table]) expect(text).not.toContain(env.DEPLOYER_PRIVATE_KEY);
    const keyed = variableValues({
      RPC_URL: "https://node.test/v2/key?k=1",
      DATABASE_URL: "postgres://a:pw@db:5/agents",
    });
    const shown = Object.fromEntries(keyed.map(({ name, value }) => [name, value]));
    expect([shown.RPC_URL, shown.DATABASE_URL]).toEqual(["https://node.test/…", "postgres://db:5/agents"]);
  });

  it("is not written to", async () => {
    const { config, problems } = forgivingConfig(env);
    const { value, close } = await wireDoctor(config, { variables: [], problems });
    await expect(value.db.query("delete from offchain.api_key")).rejects.toThrow("read-only transaction");
    await close();
  });
});

/** One fault each: the variables that make it, the checks that are run, and what they must say. */
const FAULTS: [what: string, change: () => Record<string, string>, checks: string[], says: RegExp[]][] = [
  [
    "a chain that is another",
    () => ({ CHAIN_ID: "1", RPC_URLS: "" }),
    ["chain id"],
    [/^error chain id .*: chain 8453, but CHAIN_ID is 1/],
  ],
  [
    "a variable that cannot be used",
    () => ({ POLL_INTERVAL_MS: "soon" }),
    ["variables"],
    [/^error variables: POLL_INTERVAL_MS must be a whole number \(got "soon"\)/],
  ],
  [
    "two variables that contradict each other",
    () => ({ FACILITATOR_KEY_ID: "a" }),
    ["variables"],
    [/^error variables: FACILITATOR_KEY_ID and FACILITATOR_KEY_SECRET belong together/],
  ],
  [
    "no code at an address",
    () => ({ CONTRACTS: `handshakes=0x${"7".repeat(40)}` }),
    ["contracts"],
    [/^error contracts handshakes: no code at 0x7{40} → Set handshakes in CONTRACTS/],
  ],
  [
    "an identity contract that is another",
    () => ({ CONTRACTS: `identity=${contracts.devnet.contracts.usdc}` }),
    ["identity version", "identity owner"],
    [/^warning identity version: without coinbaseVerified/, /^error identity owner: /],
  ],
  [
    "a key that is not the owner's, of an account without ether",
    () => ({ DEPLOYER_PRIVATE_KEY: `0x${"5".repeat(64)}` }),
    ["identity owner", "funds"],
    [/^error identity owner: .* but DEPLOYER_PRIVATE_KEY is of 0x/, /^error funds DEPLOYER_PRIVATE_KEY: .* has 0 ETH/],
  ],
  [
    "an oracle of another interface",
    () => ({ CRED_ORACLE_ADDRESS: contracts.devnet.contracts.usdc }),
    ["cred oracle"],
    [/^error cred oracle: 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 does not answer getCredData/],
  ],
  [
    "an oracle that another account owns",
    () => ({
      CRED_ORACLE_ADDRESS: contracts.devnet.contracts.credOracle,
      DEPLOYER_PRIVATE_KEY: `0x${"5".repeat(64)}`,
    }),
    ["cred oracle"],
    [/^error cred oracle: .* refuses a write of 0x.* → Transfer the oracle to this account/],
  ],
  [
    "roots of scores in a contract that is another",
    () => ({ CRED_ROOTS_ADDRESS: contracts.devnet.contracts.usdc }),
    ["cred roots"],
    [/^error cred roots: no CredRoots at 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 → Deploy it/],
  ],
  [
    "roots of scores that another account publishes",
    () => ({ DEPLOYER_PRIVATE_KEY: `0x${"5".repeat(64)}` }),
    ["cred roots"],
    [/^error cred roots: .* published by 0x.*, but DEPLOYER_PRIVATE_KEY is of 0x.* → Let its owner call setPublisher/],
  ],
  [
    "payees that are contracts",
    () => ({ PAY_TO_TREASURY: contracts.devnet.contracts.usdc }),
    ["payees"],
    [/^error payees PAY_TO_TREASURY: 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913/],
  ],
  [
    "no payees",
    () => ({ PAY_TO_TREASURY: "", PAY_TO_DEPLOYER: "" }),
    ["payees"],
    [/^error payees: PRICING_PHASE is paid/],
  ],
  ["no facilitator", () => ({ FACILITATOR_URL: "" }), ["facilitator"], [/^warning facilitator: neither/]],
  [
    "an upstream that does not answer",
    () => ({ ETHOS_API_URL: "http://127.0.0.1:9" }),
    ["reputation and markets"],
    [/^warning reputation and markets Ethos: no answer: connect ECONNREFUSED.* → Check ETHOS_API_URL/],
  ],
  [
    "an upstream that refuses the key",
    () => ({ X_API_URL: refusing }),
    ["proof platforms"],
    [/^warning proof platforms X: status 401 → It refuses the key or this machine: check X_API_URL and X_BEARER_TOKEN/],
  ],
  [
    "a database that is away",
    () => ({ DATABASE_URL: "postgres://app:geheim@127.0.0.1:9/agents" }),
    ["Postgres", "settings", "roles"],
    [/^error Postgres: the database does not answer: connect ECONNREFUSED/],
  ],
  [
    "a node that is away",
    () => ({ RPC_URL: "http://127.0.0.1:9", RPC_URLS: "" }),
    ["chain id", "head", "contracts", "identity owner"],
    [/^error chain id 127\.0\.0\.1:9: connect ECONNREFUSED/],
  ],
];

it("a platform that lacks its variables says which of them it needs", async () => {
  const [result] = await examine({ X_BEARER_TOKEN: "", FARCASTER_HUB_URL: "" }, ["proof platforms"]);
  expect(result!.findings.filter(({ level }) => level === "skipped")).toEqual([
    skipped("accounts on X cannot be proven without X_BEARER_TOKEN", "X"),
    skipped("accounts on Farcaster cannot be proven without FARCASTER_HUB_URL or NEYNAR_API_KEY", "Farcaster"),
  ]);
});

it("an oracle that is ours, and ours alone, is well", async () => {
  const [result] = await examine({ CRED_ORACLE_ADDRESS: contracts.devnet.contracts.credOracle }, ["cred oracle"]);
  expect(result!.findings).toMatchObject([{ level: "ok", found: expect.stringContaining("accepts writes of") }]);
});

it("a role that may make schemas and sees nothing of the service's is a good one for the indexer", async () => {
  const url = new URL(database.url);
  await database.pool.query(`
    create role doctors_indexer login password 'geheim';
    grant create on database "${url.pathname.slice(1)}" to doctors_indexer`);
  url.username = "doctors_indexer";
  url.password = "geheim";
  const results = await examine({ INDEXER_DATABASE_URL: url.href }, ["roles"]);
  expect(findingsOf(results)).toContainEqual(
    expect.objectContaining({ level: "ok", subject: "INDEXER_DATABASE_URL", found: "doctors_indexer" }),
  );
  await database.pool.query("drop owned by doctors_indexer; drop role doctors_indexer");
});

/** Checks that these checks find what is said, and nothing else. */
async function finds(change: Record<string, string>, checks: string[], ...says: RegExp[]): Promise<void> {
  expect(wrong(await examine(change, checks))).toEqual(says.map((one) => expect.stringMatching(one)));
}

describe("what is wrong is found", () => {
  it.each(FAULTS)("%s", (_, change, checks, says) => finds(change(), checks, ...says));

  it("an old schema: migrations that are pending, those of a later version, and one that is refused", async () => {
    const empty = await testDatabase({ migrated: false });
    const pending = /^error migrations: \d+ pending: migrations\/\d{4}_.* → Run npm run migrate/;
    await finds({ DATABASE_URL: empty.url }, ["migrations"], pending);
    await finds({ DATABASE_URL: empty.url }, ["freshness", "roles", "negative balances"]);
    await empty.drop();
    const later = await testDatabase();
    await later.pool.query("insert into migration.applied (name, hash) values ('migrations/9999_later.sql', 'x')");
    const tooLate = /^warning migrations: the database is of a later version/;
    await finds({ DATABASE_URL: later.url }, ["migrations"], tooLate);
    await later.pool.query("update migration.applied set hash = 'of another file' where name <> 'triggers.sql'");
    const refused = /^error migrations: npm run migrate would refuse .* → It says: .* earlier development version/;
    await finds({ DATABASE_URL: later.url }, ["migrations"], refused);
    await later.drop();
  });

  it("a start block after the contract's first: by its code, and by balances below zero", async () => {
    const head = Number(await contracts.chain.getBlockNumber());
    const results = await examine({ CONTRACTS: `serviceToken=@${head}` }, ["contracts"]);
    const [, began] = /since block (\d+), but it is indexed from/.exec(wrong(results).join()) ?? [];
    const codeAt = (block: number) =>
      contracts.chain.getCode({ address: contracts.devnet.contracts.serviceToken, blockNumber: BigInt(block) });
    expect(await codeAt(Number(began))).toBeDefined();
    expect(await codeAt(Number(began) - 1)).toBeUndefined();
    const holder = `0x${"a".repeat(40)}`;
    await database.pool.query("insert into onchain.service_token_balance values ($1, -5, 1)", [holder]);
    const below = /^error negative balances: 1 holders .* the lowest -5 units \(0xa{40}\) → The index of the token/;
    await finds({}, ["negative balances"], below);
    await database.pool.query("delete from onchain.service_token_balance where holder = $1", [holder]);
  });

  it("a facilitator that settles on other networks", async () => {
    const before = kinds;
    kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:1" }];
    const elsewhere = /^error facilitator: does not settle exact on eip155:8453 .* lists v2 exact eip155:1/;
    await finds({}, ["facilitator"], elsewhere);
    kinds = before;
  });

  it.runIf(REDIS_BINARY)("a Redis that throws jobs away", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    await finds({ REDIS_URL: redis.url }, ["Redis"], /^warning Redis appendonly: no/);
    await setRedis(redis.url, "maxmemory-policy", "allkeys-lru");
    const [evicting] = wrong(await examine({ REDIS_URL: redis.url }, ["Redis"]));
    expect(evicting).toMatch(/^error Redis maxmemory-policy: allkeys-lru → Set maxmemory-policy noeviction/);
  });

  it("a node with limits: they are found as the service finds them", async () => {
    // More than may be asked for at once.
    await contracts.chain.mine({ blocks: 20 });
    const strict = await startStrictNode({ upstream: contracts.anvil.url, profile: "logs-10" });
    onTestFinished(() => strict.close());
    const limits = /^warning limits 127.*: eth_getLogs of 10 blocks; batches of 10; .*refused: \d+ range → /;
    await finds({ RPC_URL: strict.url, RPC_URLS: "" }, ["limits"], limits);
    const [unlimited] = findingsOf(await examine({}, ["limits"]));
    expect(unlimited?.found).toMatch(/^eth_getLogs of \d+ blocks and more; batches of/);
  });

  it("a node that keeps no old state, and one whose clock is wrong", async () => {
    const head = 5_000;
    const now = Date.UTC(2026, 0, 1);
    const node: World["nodes"][number] = {
      host: "pruned.test",
      async request(method, params) {
        if (method === "eth_getBlockByNumber")
          return { ok: true, result: { number: numberToHex(head), timestamp: numberToHex(now / 1000 + 90) } };
        if (Number(params[1]) < head - 127) return { ok: false, code: -32000, message: "missing trie node" };
        return { ok: true, result: "0x0" };
      },
    };
    const results = await examine({ RPC_ARCHIVE: "true" }, ["archive depth", "head"], (world) => ({
      ...world,
      nodes: [node],
      now: () => now,
    }));
    expect(wrong(results)).toEqual([
      expect.stringMatching(/^warning head pruned\.test: block 5000, 90 s in the future → Set the clock/),
      expect.stringMatching(/^warning archive depth pruned\.test: state since block 4873, the last 128 blocks/),
    ]);
  });
});

describe("checks", () => {
  const group = "Index";
  it("that hang or fail stop no other", async () => {
    const checks: GroupedCheck[] = [
      { name: "hangs", group, limitMs: 50, run: () => new Promise(() => {}) },
      { name: "fails", group, run: () => Promise.reject(new Error("broken", { cause: new Error("why") })) },
      { name: "needs", group, needs: ["service"], run: () => ok("never") },
      { name: "works", group, run: () => ok("fine") },
    ];
    const world = { unmet: async () => "not started" } as unknown as World;
    const findings = findingsOf(await runChecks(checks, world));
    expect(findings).toEqual([
      error("no result within 0.05 s", expect.any(String)),
      error("broken: why", expect.any(String)),
      skipped("not started"),
      ok("fine"),
    ]);
  });

  it("find the first block with as few questions as a binary search has", async () => {
    for (const first of [0, 1, 77, 42_254_000, 50_000_000]) {
      let asked = 0;
      const found = await firstBlockWhere(0, 50_000_000, async (block) => {
        asked++;
        return block >= first;
      });
      expect(found).toBe(first);
      expect(asked).toBeLessThan(28);
    }
  });
});

async function setRedis(url: string, name: string, value: string): Promise<void> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url);
  await redis.config("SET", name, value);
  redis.disconnect();
}
