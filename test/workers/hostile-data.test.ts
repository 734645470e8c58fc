/** What a stranger writes into a registry, a market, a registration file or the chain keeps no other agent out of the directory. */
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { dexScreener } from "../../clients/dexscreener.ts";
import { foreignDocuments, foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import { openHttp } from "../../clients/http.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { staleOwnRows } from "../../db/directory/own.ts";
import { showsBlock } from "../../db/directory/own-shown.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { testLog } from "../../harness/log.ts";
import { plantRows } from "../../harness/onchain.ts";
import { LONG } from "../../harness/patience.ts";
import type { JobContext } from "../../workers/context.ts";
import { directoryOwn } from "../../workers/directory/directory-own.ts";
import { erc8004Files } from "../../workers/directory/erc8004-files.ts";
import { marketData } from "../../workers/directory/market-data.ts";
import { plantAgents } from "../api/support/agents.ts";
import { forAllLater } from "../support/for-all.ts";
import { hostile, text, written } from "../support/hostile-json.ts";
import { registeredRow } from "../support/reviewed.ts";
import { casesOf, shareOf } from "../support/share.ts";
import { sql } from "../support/sql.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { bodyOf, type Row, readerOf, registryWorld } from "./support/registries.ts";

const SOUND = 229;
const KEYS = REGISTRY_READERS.map(({ key }) => key);

const world = perFile(() => registryWorld({ registered: SOUND }));
const http = perFile(() => openHttp({ userAgent: "tests", maxWaitMs: LONG, limits: PATIENT }));
const publicHttp = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: PATIENT }));
afterEach(async () => {
  await world.clear();
  await world.db.pool.query(
    "truncate onchain.agent, onchain.trait, offchain.registration_file, offchain.token_market, offchain.cred",
  );
});

/** Parts of a worker that the jobs here take. */
const context = (over: object = {}) =>
  ({
    db: world.db.pool,
    clock: () => new Date(),
    log: testLog(),
    fault: () => {},
    queue: { add: async () => {} },
    config: {
      attestationSchemas: [`0x${"f".repeat(64)}`],
      chain: { id: 8453 },
      contracts: { identity: { address: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" } },
      upstreams: { pullMs: 60_000, gateways: { ipfs: "http://127.0.0.1:9", arweave: "http://127.0.0.1:9" } },
    },
    documents: foreignDocuments(foreignEndpoints(publicHttp)),
    markets: dexScreener(
      http.upstream({
        name: "It",
        baseUrl: `${world.simulators.url}/dexscreener`,
        rate: { burst: 1e4, perSecond: 1e4 },
      }),
    ),
    ...over,
  }) as unknown as JobContext;

const quarantined = (source: string) =>
  world.db.rows<{ source_id: string; reason: string }>(sql`select source_id, reason from offchain.directory_quarantine
    where source = ${source}`);
const progressOf = async (source: string) => (await pullProgress(world.db.pool)).find(({ key }) => key === source);
const agentIds = (rows: readonly Row[]) => rows.map(({ agentId }) => agentId);

/** The places of a source's own id and of a text in its items. */
const PLACES: Record<string, { id: string[]; text: string[] }> = {
  virtuals: { id: ["id"], text: ["description"] },
  agentverse: { id: ["address"], text: ["description"] },
  "mcp-registry": { id: ["server", "name"], text: ["server", "description"] },
  "x402-bazaar": { id: ["resource"], text: ["description"] },
  "8004scan": { id: ["agent_id"], text: ["description"] },
};

type Json = Record<string, unknown>;
/** A copy of an item with another value at a place. */
function altered(item: Json, [key, ...rest]: string[], value: unknown): Json {
  return { ...item, [key!]: rest.length === 0 ? value : altered(item[key!] as Json, rest, value) };
}

/** A text that an index, which stores what repeats itself compressed, makes no shorter. */
const randomText = (length: number, seed: number) =>
  fc.sample(fc.string({ minLength: length, maxLength: length }), { numRuns: 1, seed })[0]!;

/** A source's items, as it makes them up. */
async function generated(source: string, generate: number): Promise<Json[]> {
  await world.plant(source, { generate });
  const listed = await fetch(`${world.simulators.url}/_control/registries/${source}/agents`);
  return (await listed.json()) as Json[];
}

describe.each(KEYS)("%s", (source) => {
  const { id, text } = PLACES[source]!;
  const HOSTILE: [what: string, make: (item: Json) => Json][] = [
    ["NUL in a text", (item) => altered(item, text, "a\0b")],
    ["NUL in a name of a field", (item) => ({ ...item, "a\0b": 1 })],
    ["half a surrogate pair", (item) => altered(item, text, "a\ud83d")],
    ["half a surrogate pair in a name of a field", (item) => ({ ...item, "\udc00": 1 })],
    ["NUL in its id", (item) => altered(item, id, "a\0b")],
    ["an id of 5,000 characters", (item) => altered(item, id, randomText(5_000, 1))],
    ["a text of 100 kB", (item) => altered(item, text, "🧱".repeat(25_000))],
    ["a text of 400 kB", (item) => altered(item, text, "🧱".repeat(100_000))],
  ];
  it.each(casesOf(HOSTILE, 2))("an item with %s keeps none of the other agents of its page out", async (_, make) => {
    const item = (await generated(source, SOUND + 1)).at(-1)!;
    await world.plant(source, { rows: [make(item)], generate: SOUND });
    await world.pull(source);
    await world.plant(source, { generate: SOUND });
    const shown = agentIds(await world.rows(source));
    expect(shown).toEqual(expect.arrayContaining(agentIds(await world.truth(source))));
    const named = (await world.rows(source)).filter(({ name }) => !name.startsWith("ERC-8004 agent"));
    expect(named.length).toBeGreaterThanOrEqual(source === "8004scan" ? 1 : SOUND);
    expect(await progressOf(source)).toMatchObject({ running: false, error: null });
  });
});

it.each(KEYS)("a page of %s with null among its items is read, and the null is told", async (source) => {
  await world.plant(source, { generate: 5 });
  const page = await bodyOf(world, source, 0);
  await world.fault(source, { body: page.with([null as never, ...page.rows]), times: 1 });
  await world.pull(source);
  expect(agentIds(await world.rows(source))).toEqual(expect.arrayContaining(agentIds(await world.truth(source))));
  expect(await quarantined(source)).toHaveLength(1);
});

/** A source's own items, some of them with a long text: many that fill a page, and one that alone is beyond the limit. */
async function largeItems(source: string, { alone }: { alone: boolean }): Promise<void> {
  const listed = await generated(source, SOUND);
  const { text } = PLACES[source]!;
  const length = (i: number) => (alone && i === 137 ? 600_000 : i < 30 ? 16_000 : 0);
  const rows = listed.map((item, i) => (length(i) ? altered(item, text, "x".repeat(length(i))) : item));
  await world.plant(source, { rows, generate: 0 });
}
const pullWithin = (source: string, maxBytes: number) =>
  world.pull(source, { registry: world.registry(source, { maxBytes }), full: true });

describe("a page beyond the size limit", () => {
  it.each(KEYS)("of %s is read in smaller pieces", async (source) => {
    await largeItems(source, { alone: false });
    await pullWithin(source, 450_000);
    expect(await world.rows(source)).toEqual(await world.truth(source));
    expect(await progressOf(source)).toMatchObject({ running: false, error: null, quarantined: 0 });
  });

  it.each(KEYS.filter((key) => key !== "mcp-registry"))(
    "of %s: a single item beyond it is stepped over and told",
    async (source) => {
      await largeItems(source, { alone: true });
      await pullWithin(source, 450_000);
      const read = (await world.rows(source)).filter(({ name }) => !name.startsWith("ERC-8004 agent"));
      expect(read).toHaveLength((await world.truth(source)).length - 1);
      const told = {
        source_id: expect.stringMatching(/^place .*137$/),
        reason: expect.stringMatching("larger than can be read"),
      };
      expect(await quarantined(source)).toEqual([told]);
      expect(await progressOf(source)).toMatchObject({ running: false, error: null });
    },
  );

  it("ends a pull by cursors at a single item beyond it, which is told; nothing is taken for gone", async () => {
    await world.plant("mcp-registry", { generate: SOUND });
    await world.pull("mcp-registry");
    await largeItems("mcp-registry", { alone: true });
    for (let sweep = 0; sweep < 3; sweep++) await pullWithin("mcp-registry", 450_000);
    expect(agentIds(await world.rows("mcp-registry"))).toEqual(agentIds(await world.truth("mcp-registry")));
    const note = expect.stringContaining("too large");
    expect(await progressOf("mcp-registry")).toMatchObject({ running: false, error: null, note });
  });
});

const token = (n: number) => `0x${String(n).padStart(40, "0")}`;
/** Rows of the directory that name a token each, ids from 1. */
const plantTokens = (count: number) =>
  world.db.pool.query(sql`insert into offchain.directory (platform, agent_id, name, cred_score, token_address)
    select 'virtuals', 'v' || i, 'V ' || i, 10, '0x' || lpad(i::text, 40, '0')
    from generate_series(1, ${count}::int) i`);
const plantQuote = (address: string, body: object) =>
  fetch(`${world.simulators.url}/_control/dexscreener/${address}`, { method: "PUT", body: JSON.stringify(body) });
const PRICED = "select token_address as token from offchain.directory where market_cap_usd is not null order by 1";
const prices = async () => (await world.db.rows<{ token: string }>(PRICED)).map((row) => row.token);

describe("the market", () => {
  it.each([
    ["NUL", "A\0B"],
    ["half a surrogate pair", "A\ud83d"],
    ["100 kB", "🧱".repeat(25_000)],
    ["reordering characters", "\u202eBTC"],
  ])("a symbol with %s keeps no token from its price, and is cleaned", async (_, symbol) => {
    await plantTokens(5);
    for (const n of [1, 2, 3, 4, 5])
      await plantQuote(token(n), { marketCap: n * 1e6, volume24h: 1, ...(n === 3 && { symbol, name: symbol }) });
    await marketData.run(context(), {});
    expect(await prices()).toEqual([1, 2, 3, 4, 5].map(token));
    const [stored] = await world.db.rows("select symbol from offchain.token_market where token_address = $1", [
      token(3),
    ]);
    expect(stored.symbol).not.toMatch(/[\0\u202e]/);
    expect([...stored.symbol].length).toBeLessThanOrEqual(32);
  });
});

const REGISTERED = { registeredAt: 1_760_000_000, registeredBlock: 950, updatedBlock: 950 };
const register = (agents: readonly { agentId: bigint; agentUri: string }[]) =>
  plantRows(
    world.db.pool,
    "erc8004Agent",
    agents.map(({ agentId, agentUri }) => registeredRow(agentId, token(9), { agentUri, ...REGISTERED })),
  );
/** What `register` has registered. */
const forget = () => world.db.pool.query("delete from onchain.erc8004_agent where agent_id > 1000");
const dataUri = (file: unknown) =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(file)).toString("base64")}`;

describe("ERC-8004 agents", () => {
  it.each([
    // `URL.canParse` takes it, and `new URL` throws.
    ["a host beyond 16,384 characters with a capital", `https://A${"-".repeat(16_384)}/agent.json`],
    ["no host", "https://"],
    ["NUL made visible", "https://a\ufffdb.example/\ufffd"],
    ["a file whose type is an object that is no text", dataUri({ type: { toString: 1 }, name: "Odd" })],
    ["a file nested a hundred thousand deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["a file nested deep in a field", `{"name":"Deep","services":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
  ])("a URI with %s keeps no other agent out of the directory", async (_, agentUri) => {
    await forget();
    await register([
      { agentId: 1001n, agentUri },
      { agentId: 1002n, agentUri: dataUri({ name: "Later" }) },
    ]);
    await erc8004Files.run(context(), {});
    expect(await world.rows("erc8004")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ agentId: "1001" }),
        { agentId: "1002", name: "Later", description: null },
      ]),
    );
  });
});

describe("the own registry", () => {
  it("a linked token of 4 kB keeps no other agent out, and the directory reaches its block", async () => {
    await plantAgents(world.db.pool, [{ name: "Hostile" }, { name: "Honest" }, { name: "Other" }]);
    const category = randomText(4_000, 2).replaceAll("\0", "");
    const linked = { tokenId: 0, position: 1, name: "linked-token", category, addedAt: 1, txHash: "0x00" };
    await plantRows(world.db.pool, "trait", [linked]);
    await directoryOwn.run(context(), {});
    expect((await world.rows("helixa")).map(({ name }) => name)).toEqual(["Hostile", "Honest", "Other"]);
    expect(await showsBlock(world.db.pool, { block: 0 })).toBe(true);
    expect(await staleOwnRows(world.db.pool)).toEqual([]);
  });
});

/** Rows named so are refused by the database, as a value is that nobody has foreseen. */
const REFUSED = "Refused";

describe("what the gate has not foreseen", () => {
  beforeAll(() =>
    world.db.pool.query(`
      alter table offchain.directory add constraint unforeseen check (name <> '${REFUSED}');
      alter table offchain.token_market add constraint unforeseen check (name <> '${REFUSED}');`),
  );
  afterAll(() =>
    world.db.pool.query(`
      alter table offchain.directory drop constraint unforeseen;
      alter table offchain.token_market drop constraint unforeseen;`),
  );

  it("is found among a registry's page, however many there are, and what was known of it stays", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({ id: 1_000 + i, name: `Sound ${i}` }));
    await world.plant("virtuals", { rows, generate: 40 });
    await world.pull("virtuals");
    const odd = new Set([1_003, 1_004, 1_033, 1_059]);
    await world.plant("virtuals", {
      rows: rows.map((row) => ({ ...row, name: odd.has(row.id) ? REFUSED : `Renamed ${row.id}` })),
      generate: 40,
    });
    await world.pull("virtuals", { full: true });
    const shown = (await world.rows("virtuals")).filter(({ agentId }) => Number(agentId) >= 1_000);
    expect(shown.map(({ agentId, name }) => [agentId, name])).toEqual(
      rows.map(({ id, name }) => [String(id), odd.has(id) ? name : `Renamed ${id}`]),
    );
    expect((await quarantined("virtuals")).map((row) => Number(row.source_id)).toSorted()).toEqual([...odd]);
    expect((await pullProgress(world.db.pool))[0]).toMatchObject({ running: false, error: null, quarantined: 4 });
    await world.plant("virtuals", { rows, generate: 40 });
    await world.pull("virtuals", { full: true });
    expect(await quarantined("virtuals")).toEqual([]);
  });

  it("takes its name from an own agent, and nothing from the others", async () => {
    await plantAgents(world.db.pool, [{ name: "First" }, { name: REFUSED }, { name: "Third" }]);
    await directoryOwn.run(context(), {});
    expect((await world.rows("helixa")).map(({ name }) => name)).toEqual(["First", "Agent 1", "Third"]);
    expect(await staleOwnRows(world.db.pool)).toEqual([]);
    expect(await quarantined("helixa")).toEqual([
      { source_id: "1", reason: expect.stringContaining("It cannot be stored") },
    ]);
  });

  it("takes its file from an ERC-8004 agent, and nothing from the others", async () => {
    await forget();
    await register([
      { agentId: 1001n, agentUri: dataUri({ name: REFUSED }) },
      { agentId: 1002n, agentUri: dataUri({ name: "Later" }) },
    ]);
    await erc8004Files.run(context(), {});
    expect((await world.rows("erc8004")).filter(({ agentId }) => agentId.length === 4)).toMatchObject([
      { agentId: "1001", name: "ERC-8004 agent 1001" },
      { agentId: "1002", name: "Later" },
    ]);
    expect(await quarantined("erc8004")).toMatchObject([{ source_id: "1001" }]);
    expect(await erc8004Files.run(context(), {})).toBe(0);
  });

  it("takes its price from a token, and none from the others", async () => {
    await plantTokens(5);
    for (const n of [1, 2, 3, 4, 5]) await plantQuote(token(n), { marketCap: 1, name: n === 3 ? REFUSED : "Token" });
    await marketData.run(context(), {});
    expect(await prices()).toEqual([1, 2, 4, 5].map(token));
    expect(await quarantined("dexscreener")).toMatchObject([{ source_id: token(3) }]);
    await plantQuote(token(3), { marketCap: 1 });
    await marketData.run(context({ clock: () => new Date(Date.now() + 120_000) }), {});
    expect(await prices()).toEqual([1, 2, 3, 4, 5].map(token));
    expect(await quarantined("dexscreener")).toEqual([]);
  });
});

it.each([
  ["a full disk", "53100"],
  ["a statement's timeout", "57014"],
  ["a deadlock", "40P01"],
  ["a shutdown", "57P01"],
])("%s quarantines nothing, and the pull goes on from there", async (_, code) => {
  await world.plant("virtuals", { generate: 130 });
  await world.db.pool.query(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'simulated' using errcode = '${code}'; end $$;
    create trigger refuse before insert on offchain.directory for each row execute function refuse()`);
  try {
    await expect(world.pull("virtuals")).rejects.toMatchObject({ code });
    expect(await quarantined("virtuals")).toEqual([]);
  } finally {
    await world.db.pool.query("drop function refuse cascade");
  }
  await world.pull("virtuals");
  expect(await world.rows("virtuals")).toHaveLength(130);
});

it("a new agent is shown before any server is asked, and one owner's slow servers keep nobody else's file waiting", async () => {
  await forget();
  const slow = Array.from({ length: 40 }, (_, i) => ({
    agentId: BigInt(1001 + i),
    agentUri: `https://slow${i}.example/agent.json`,
  }));
  await register([...slow, { agentId: 1100n, agentUri: "https://quick.example/agent.json" }]);
  await world.db.pool.query("update onchain.erc8004_agent set owner = $1 where agent_id = 1100", [token(7)]);
  const asked: string[] = [];
  const shown: number[] = [];
  const documents = {
    async get(url: string) {
      if (asked.push(url) === 1)
        shown.push((await world.rows("erc8004")).filter(({ agentId }) => agentId.length === 4).length);
      return { kind: "fetched", text: JSON.stringify({ name: "Read" }), validators: null } as const;
    },
  };
  await erc8004Files.run(context({ documents }), {});
  expect(shown).toEqual([41]);
  expect(asked.slice(0, 2)).toContain("https://quick.example/agent.json");
  expect(asked).toHaveLength(41);
});

const { seed } = inject("fuzz");
/** Hostile items of one case, among as many sound ones. */
const AMONG = 25;

describe("random hostile data", () => {
  it.each(KEYS)("in any field of %s keep no other agent out", async (source) => {
    await world.plant(source, { generate: AMONG + 1 });
    const page = (await bodyOf(world, source, 0)).with;
    const list = (await bodyOf(world, source, 0)).rows;
    const sound = list.slice(0, AMONG);
    await forAllLater(
      [fc.array(hostile(list.at(-1)!), { minLength: 1, maxLength: AMONG }), fc.constantFrom(1, 70, 30_000)],
      { numRuns: shareOf(100), seed },
      async (odd, depth) => {
        await world.clear();
        const items = [...odd.map((item) => written(item, { depth })), ...sound.map((item) => JSON.stringify(item))];
        const marked = JSON.stringify(page([{ mark: 1 }]));
        await world.fault(source, { body: marked.replace('{"mark":1}', () => items.join(",")), times: 1 });
        await world.pull(source);
        const names = (await world.rows(source)).map(({ name }) => name);
        for (const { name } of await soundRows(source, sound)) expect(names).toContain(name);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      },
    );
  });

  /** The rows that sound items make. */
  async function soundRows(source: string, items: readonly Json[]): Promise<{ name: string }[]> {
    const reader = readerOf(source);
    return items.map((item) => {
      const read = reader.read(item);
      if (read === null || read === "gone") throw new Error("a sound item says nothing");
      return read.entry;
    });
  }

  const file = {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: "Odd",
    description: "Says anything.",
    image: "https://images.example/a.png",
    services: [{ name: "MCP", endpoint: "https://a.example/mcp", version: "1", skills: ["one", { name: "two" }] }],
    x402Support: true,
    active: true,
  };
  it("in any field of a registration file, and in URIs, keep no other agent's file unread", () =>
    forAllLater(
      [
        fc.array(
          fc.oneof(
            hostile(file).map(dataUri),
            hostile(file).map((f) => written(f, { depth: 70 })),
            text,
          ),
          {
            minLength: 1,
            maxLength: AMONG,
          },
        ),
      ],
      { numRuns: shareOf(100), seed },
      async (uris) => {
        await world.clear();
        await world.db.pool.query("truncate offchain.registration_file");
        await forget();
        await register([
          // As the index holds them.
          ...uris
            .map((uri) => uri.toWellFormed().replaceAll("\0", "\ufffd"))
            .map((agentUri, i) => ({ agentId: BigInt(1001 + i), agentUri })),
          { agentId: 2000n, agentUri: dataUri({ ...file, name: "Sound" }) },
        ]);
        const documents = { get: async () => ({ kind: "failed", reason: "It is away.", final: false }) as const };
        await erc8004Files.run(context({ documents }), {});
        const rows = (await world.rows("erc8004")).filter(({ agentId }) => agentId.length === 4);
        expect(rows).toHaveLength(uris.length + 1);
        expect(rows.at(-1)).toMatchObject({ agentId: "2000", name: "Sound" });
      },
    ));

  const pair = {
    baseToken: { address: token(1), symbol: "ONE", name: "One" },
    volume: { h24: 1 },
    priceChange: { h24: 1 },
    liquidity: { usd: 5 },
    fdv: 7,
    marketCap: 8,
  };
  it("in any field of a market's pairs keep no other token from its price", () =>
    forAllLater(
      [fc.array(hostile(pair), { minLength: 1, maxLength: AMONG })],
      { numRuns: shareOf(100), seed },
      async (pairs) => {
        await world.clear();
        await world.db.pool.query("truncate offchain.token_market");
        await plantTokens(2);
        const sound = { ...pair, baseToken: { ...pair.baseToken, address: token(2) } };
        const body = `[${[...pairs.map((p) => written(p, { depth: 70 })), JSON.stringify(sound)].join(",")}]`;
        await world.fault("dexscreener", { body, times: 1 });
        await marketData.run(context(), {});
        expect(await prices()).toContain(token(2));
      },
    ));
});
