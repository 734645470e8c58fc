/** What agents offer: read from their own hosts over real HTTP, once a day, whatever a host answers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import { readRegistration } from "../../core/directory/foreign-registration-file.ts";
import { type EndpointState, liveness } from "../../core/offers/liveness.ts";
import { AGENT_HOSTS, agentHostUrl } from "../../devnet/simulators/agent-hosts/agent-hosts.ts";
import type { AgentHostKey } from "../../devnet/simulators/agent-hosts/host.ts";
import { startSimulators } from "../../devnet/simulators/server.ts";
import { listen } from "../../harness/listen.ts";
import { NEVER } from "../../harness/patience.ts";
import { ODD_SERVERS } from "../../harness/strange-hosts/odd-servers.ts";
import { plant as plantHosts } from "../../harness/strange-hosts/plant.ts";
import type { JobContext } from "../../workers/context.ts";
import { directoryOwn } from "../../workers/directory/directory-own.ts";
import { URLS_PER_HOST_AND_DAY } from "../../workers/offers/turns.ts";
import { plantAgents } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { perFile, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { runOffers } from "./support/offers-job.ts";

const DAY_MS = 86_400_000;

const db = perTest(testDatabase);
const simulators = perFile(startSimulators);
const publicHttp = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: PATIENT }));
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[];
let clock: Date;
/** A host whose answers a test decides. */
const host = perFile(() =>
  listen((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    handle(request, response);
  }),
);
beforeEach(async () => {
  asked = [];
  clock = new Date(Date.UTC(2026, 10, 21));
  handle = (_, response) => response.writeHead(404).end();
});
const later = (ms: number) => (clock = new Date(clock.getTime() + ms));
const run = (over: Partial<JobContext> = {}, input: { tokenIds?: number[] } = {}) =>
  runOffers({ db: db.pool, clock: () => clock, publicHttp, over }, input);

type Service = { name: string; endpoint: string };
let planted = 0;
async function plant(
  services: readonly Service[],
  { score = 20, platform = "agentverse", owner = null as string | null } = {},
): Promise<number> {
  const [row] = await db.rows(
    `insert into offchain.directory (platform, agent_id, name, services, cred_score, owner_address)
     values ($1, $2, 'A', $3, $4, $5) returning id`,
    [platform, `agent-${++planted}`, JSON.stringify(services), score, owner],
  );
  return Number(row.id);
}
const a2a = (endpoint: string): Service[] => [{ name: "a2a", endpoint }];
/** An agent with what a simulated host's agent lists. */
function plantHost(key: AgentHostKey): Promise<number> {
  const { services = {} } = AGENT_HOSTS[key].listing(agentHostUrl(simulators.url, key));
  return plant(Object.entries(services).map(([name, { url }]) => ({ name, endpoint: url! })));
}
/** The item of a registry that an agent was read from. */
const plantItem = (id: number, raw: object) =>
  db.pool.query(
    `insert into offchain.directory_item (source, source_id, platform, agent_id, raw, digest, fetched_at, sweep)
     select platform, 'q' || id, platform, agent_id, $2, 'd', now(), 1 from offchain.directory where id = $1`,
    [id, JSON.stringify(raw)],
  );

const offersOf = (id: number) =>
  db.rows(
    `select kind, name, description, tags, endpoint, method, price_usd::float8 as usd, price, input_schema as schema
     from offchain.offer where directory_id = $1 order by kind, source, position`,
    [id],
  );
const namesOf = async (id: number): Promise<string[]> => (await offersOf(id)).map(({ name }) => name);
const statesOf = (id: number) =>
  db.rows<EndpointState & { kind: string; why: string | null; failures: number; nextTryAt: Date }>(
    `select kind, status, why, failures, answered_at as "answeredAt", silent_since as "silentSince",
       checked_at as "checkedAt", next_try_at as "nextTryAt", false as named
     from offchain.offer_source where directory_id = $1 order by kind, url`,
    [id],
  );
const countOf = async (of: string, values: unknown[] = []): Promise<number> =>
  (await db.rows(`select count(*)::int as n from offchain.${of}`, values))[0].n;
const touched = async (id: number) =>
  (await db.rows("select changed_xid::text as xid from offchain.directory_score where id = $1", [id]))[0].xid;

const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const CARD = { name: "A", url: "https://a.example/a2a", skills: [{ id: "s", name: "Sums", description: "Adds." }] };
const card = (url: string) => ({
  kind: "answered" as const,
  status: 200,
  headers: {},
  url,
  text: JSON.stringify(CARD),
});
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
it("an answer that takes too long to read is no silence, fails its endpoint alone, and is not asked for for days", async () => {
  const [slow, quick] = [await plant(a2a("https://slow.example/")), await plant(a2a("https://quick.example/"))];
  const send: JobContext["endpoints"]["send"] = async ({ url }) => ({
    ...{ kind: "answered", status: 200, headers: {}, url },
    get text(): string {
      if (url.includes("slow")) for (;;);
      return JSON.stringify(CARD);
    },
  });
  await run({ endpoints: { send } });
  expect(await statesOf(quick)).toMatchObject([{ status: "read" }]);
  const nextTryAt = new Date(clock.getTime() + 4 * DAY_MS);
  const why = "It cannot be read by us: that takes longer than 2000 ms.";
  expect(await statesOf(slow)).toMatchObject([
    { status: "unreadable", failures: 0, silentSince: null, nextTryAt, why },
  ]);
});

describe("the simulated hosts", () => {
  it("are read: skills of a card, tools of an MCP server, the price and schema of a paid resource", async () => {
    const [translator, auditor, prices, members] = await Promise.all(
      (["translator", "auditor", "solana-prices", "members"] as const).map(plantHost),
    );
    await run();
    const audit = agentHostUrl(simulators.url, "auditor");
    const price = [{ scheme: "exact", network: "eip155:8453", amount: "40000" }];
    const schema = { properties: { source: { type: "string" } }, required: ["source"] };
    const paid = { kind: "resource", endpoint: `${audit}/audit`, method: "GET", usd: 0.04, price, schema };
    expect(await offersOf(auditor!)).toMatchObject([
      { ...paid, name: "Solidity auditor" },
      { kind: "skill", name: "Audit Solidity", tags: ["solidity", "security", "audit", "smart contracts"], usd: null },
    ]);
    const skills = ["Legal translator", "Translate contracts to French", "Explain a clause"];
    expect(await namesOf(translator!)).toEqual(skills);
    expect(await offersOf(prices!)).toMatchObject([
      { kind: "tool", name: "get_price", description: expect.stringContaining("Solana"), schema: { type: "object" } },
      { kind: "tool", name: "get_price_history" },
    ]);
    expect(await offersOf(members!)).toEqual([]);
    const state = { status: "needs_credentials", silentSince: null, answeredAt: clock };
    expect(await statesOf(members!)).toMatchObject([state]);
  });

  it("are asked once a day, conditionally, and a row is marked as changed only when something of it did", async () => {
    const translator = await plantHost("translator");
    await run();
    const [before, first] = [await touched(translator), await offersOf(translator)];
    expect(await run()).toBe(0);
    const seen: (number | string)[] = [];
    const endpoints = foreignEndpoints(publicHttp);
    later(DAY_MS);
    const send: JobContext["endpoints"]["send"] = async (request) => {
      const answer = await endpoints.send(request);
      seen.push(answer.kind === "answered" ? answer.status : answer.kind);
      return answer;
    };
    await run({ endpoints: { send } });
    expect(seen.sort()).toEqual([304, 402]);
    expect(await offersOf(translator)).toEqual(first);
    expect(await statesOf(translator)).toMatchObject([{ answeredAt: clock }, { answeredAt: clock }]);
    expect(await touched(translator)).toBe(before);

    // Its agent lists something else, which speaks the newest revision alone: the old endpoints go with their offers.
    const services = [{ name: "mcp", endpoint: `${agentHostUrl(simulators.url, "solana-prices")}/mcp/2026-07-28` }];
    const changed = [translator, JSON.stringify(services)];
    await db.pool.query("update offchain.directory set services = $2 where id = $1", changed);
    await run();
    expect((await offersOf(translator)).map(({ kind }) => kind)).toEqual(["tool", "tool"]);
    await db.pool.query("update offchain.directory set removed_at = now() where id = $1", [translator]);
    await run();
    expect([await offersOf(translator), await statesOf(translator)]).toEqual([[], []]);
  });
});

it("offers that a registry gives are taken from its stored item, without a request", async () => {
  const id = await plant([], { platform: "x402-bazaar" });
  const term = { scheme: "exact", network: "base", asset: USDC, payTo: "0x1" };
  const raw = {
    ...{ resource: "https://paid.example/quote", serviceName: "Quotes\u202e", description: "Sells quotes." },
    accepts: [
      { ...term, amount: "2500" },
      { ...term, network: "eip155:8453", asset: `0x${"9".repeat(40)}`, amount: "1" },
      { ...term, scheme: "upto", amount: "1" },
    ],
  };
  await plantItem(id, raw);
  await run();
  expect(await offersOf(id)).toMatchObject([{ kind: "resource", name: "Quotes", usd: 0.0025, price: { length: 3 } }]);
  const before = await touched(id);
  expect(await run()).toBe(0);
  expect(await touched(id)).toBe(before);
  expect(asked).toEqual([]);
  // Anybody can list resources that pay this recipient, by ids before its own: they take no place of what was there.
  await db.pool.query(
    `insert into offchain.directory_item (source, source_id, platform, agent_id, raw, digest, fetched_at, sweep)
     select 'x402-bazaar', 'a' || n, 'x402-bazaar', agent_id, $2::jsonb || jsonb_build_object('serviceName', 'A' || n), 'd', now(), 1
     from offchain.directory, generate_series(1, 100) n where id = $1`,
    [id, JSON.stringify({ ...raw, resource: "https://stranger.example/" })],
  );
  await run();
  expect(await namesOf(id)).toContain("Quotes");
});

it("jobs of a Virtuals agent are offers once each, with the price where it is in dollars, and no private one", async () => {
  const id = await plant([], { platform: "virtuals" });
  const requirement = { type: "object", properties: { token: { type: "string" } } };
  const raw = {
    jobs: [
      { name: "Chart a token", price: 3, priceV2: { type: "fixed", value: 3 }, requirement, isPrivate: false },
      { name: "Swap", price: 1, priceV2: { type: "percentage", value: 1 }, requirement: "Any token." },
      { name: "Quote", price: 5 },
      { name: "For one buyer", price: 1, isPrivate: true },
      { price: 1 },
      null,
    ],
    offerings: [
      { name: "chart a Token", priceUsd: 0.25, price: 3, description: "Draws a chart." },
      { name: "Swap", priceUsd: 1, price: 1 },
      { name: "For one buyer", priceUsd: 1 },
      { name: "Sold out", priceUsd: -1 },
      { name: "Free look", priceUsd: 0 },
    ],
  };
  await plantItem(id, raw);
  await run();
  const none = { kind: "skill", description: null, endpoint: null, price: null, schema: null };
  expect(await offersOf(id)).toMatchObject([
    { ...none, name: "Chart a token", description: "Draws a chart.", usd: 0.25, schema: requirement },
    { ...none, name: "Swap", usd: null },
    { ...none, name: "Quote", usd: null },
    { ...none, name: "Sold out", usd: null },
    { ...none, name: "Free look", usd: 0 },
  ]);
  expect(asked).toEqual([]);
});

describe("a paid resource that a GET finds not", () => {
  const accepts = [{ scheme: "exact", network: "eip155:8453", asset: USDC, amount: "2500", payTo: "0x1" }];
  const terms = { x402Version: 2, accepts };
  /** Lists a resource in the Bazaar, whose item states its method. */
  async function plantResource(endpoint: string, method: string): Promise<number> {
    const id = await plant([{ name: "x402", endpoint }], { platform: "x402-bazaar" });
    const raw = { ...terms, resource: endpoint, extensions: { bazaar: { info: { input: { type: "http", method } } } } };
    await plantItem(id, raw);
    return id;
  }

  const MISSING = [404, 405, 501];
  it.each(
    MISSING.flatMap((status) => [
      [status, "states that method", "POST"] as const,
      [status, "states none", null] as const,
    ]),
  )("is asked by POST, with an empty object and unpaid (GET: %i, it %s)", async (status, _, method) => {
    const sent: unknown[] = [];
    handle = ({ method: by, headers }, response) => {
      if (by !== "POST") return response.writeHead(status).end();
      const payment = [headers["x-payment"], headers["payment-signature"]];
      sent.push([headers["content-type"], headers["content-length"], ...payment]);
      json(response, terms, 402);
    };
    const endpoint = `${host.url}/post`;
    const id = method === null ? await plant([{ name: "x402", endpoint }]) : await plantResource(endpoint, method);
    await run();
    expect(asked).toEqual(["GET /post", "POST /post"]);
    expect(sent).toEqual([["application/json", "2", undefined, undefined]]);
    expect(await statesOf(id)).toMatchObject([{ status: "read", silentSince: null, why: null }]);
    expect((await offersOf(id)).map(({ usd }) => usd)).toEqual(method === null ? [0.0025] : [0.0025, 0.0025]);
    expect((await offersOf(id))[0]!.method).toBe(method);
  });

  it("is silent when it answers its own method so too", async () => {
    handle = (_, response) => response.writeHead(404).end();
    const [post, get] = [
      await plantResource(`${host.url}/post`, "POST"),
      await plantResource(`${host.url}/get`, "GET"),
    ];
    await run();
    for (const id of [post, get])
      expect(await statesOf(id)).toMatchObject([{ status: "unreadable", silentSince: clock }]);
  });

  it.each(MISSING)(
    "lives where neither a GET nor a POST is known (%i); stating another, it is sent no POST",
    async (status) => {
      handle = (_, response) => response.writeHead(status).end();
      const id = await plant([{ name: "x402", endpoint: `${host.url}/x` }]);
      await plantResource(`${host.url}/y`, "DELETE");
      await run();
      expect(asked.sort()).toEqual(["GET /x", "GET /y", "POST /x"]);
      expect(await statesOf(id)).toMatchObject([{ status: "read", silentSince: null, answeredAt: clock }]);
    },
  );

  it("is silent where it answered a GET with its terms before, and keeps them", async () => {
    handle = (_, response) => json(response, terms, 402);
    const id = await plant([{ name: "x402", endpoint: `${host.url}/x` }]);
    await run();
    later(DAY_MS);
    handle = (_, response) => response.writeHead(404).end();
    await run();
    expect(await statesOf(id)).toMatchObject([{ status: "unreadable", silentSince: clock }]);
    expect(await offersOf(id)).toMatchObject([{ usd: 0.0025 }]);
  });
});

it("skills that a registration file lists are offers, without a request", async () => {
  const services = [{ name: "OASF", endpoint: "https://a.example", skills: ["Sums", "sums", "Proofs\u202e"] }];
  const { skills } = readRegistration(JSON.stringify({ services }));
  const id = await plant([], { platform: "erc8004" });
  await db.pool.query(
    `with named as (update offchain.directory set agent_id = '7', registry = '0x01' where id = $1)
     insert into offchain.registration_file (registry, agent_id, uri, status, content, fetched_at)
     values ('0x01', 7, 'u', 'parsed', $2, now())`,
    [id, JSON.stringify({ skills })],
  );
  await run();
  expect((await offersOf(id)).map(({ kind, name }) => [kind, name])).toEqual([
    ["skill", "Sums"],
    ["skill", "Proofs"],
  ]);
  expect(asked).toEqual([]);
});

it("an agent registered here is read when its row has changed, before the round over all rows reaches it", async () => {
  const indexed = await testDatabase({ indexed: true });
  const { pool } = indexed;
  const identity = "0x2e3b541c59d38b84e3bc54e977200230a204fe60";
  const registrations = [{ agentId: 1, agentRegistry: `eip155:8453:${identity}` }];
  const type = "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";
  let card: object = CARD;
  handle = ({ url }, response) =>
    json(response, url!.endsWith("agent-registration.json") ? { type, name: "Changed", registrations } : card);
  await plantAgents(pool, [{ name: "Other" }, { name: "Changed" }]);
  const services = JSON.stringify({ A2A: { url: `${host.url}/card.json` } });
  await pool.query(
    "insert into offchain.profile_field (token_id, field, value, written_at) values (1, 'services', $1, $2)",
    [services, clock],
  );
  const queued: unknown[] = [];
  const queue = { add: async (...of: unknown[]) => void queued.push(of) };
  const contracts = { identity: { address: identity } };
  const config = { contracts, chain: { id: 8453 }, attestationSchemas: [`0x${"f".repeat(64)}`] };
  const context = { db: pool, clock: () => clock, config, queue } as unknown as JobContext;
  const sync = (tokenIds?: number[]) => directoryOwn.run(context, tokenIds ? { tokenIds } : {});
  await sync([1]);
  expect(queued).toEqual([["offers", [{ data: { tokenIds: [1] } }]]]);
  await sync([1]);
  expect(queued).toHaveLength(1);
  expect(await run({ db: pool }, { tokenIds: [1] })).toBeGreaterThan(0);
  expect(asked).toEqual(["GET /.well-known/agent-registration.json", "GET /card.json"]);
  expect(await indexed.rows("select name from offchain.offer")).toEqual([{ name: "Sums" }]);
  // What a confirmed endpoint of it offers is part of what happened to it, from the second reading on.
  const changes = () =>
    indexed.rows("select type, token_id as token, data from offchain.event where type ~ '_changed$'");
  expect(await changes()).toEqual([]);
  const skills = ["Products", "Quotients"].map((name) => ({ id: name, name, description: "Computes." }));
  card = { ...CARD, skills };
  later(2 * DAY_MS);
  await run({ db: pool }, { tokenIds: [1] });
  const endpoint = { kind: "agent_card", url: `${host.url}/card.json` };
  const about = { platform: "helixa", agentId: "1", endpoint };
  const data = { ...about, added: ["Products", "Quotients"], removed: ["Sums"], changed: [] };
  expect(await changes()).toEqual([{ type: "agent.offer_changed", token: 1, data }]);
  // Found by comparison, as after an event that was lost.
  await sync();
  expect(queued.at(-1)).toEqual(["offers", [{ data: { tokenIds: [0] } }]]);
  await indexed.drop();
});

type Body = { id?: number; method: string; params?: { cursor?: string } };
/** An MCP server that answers `tools/list` as given. */
const mcpHost =
  (list: (cursor: string | undefined) => unknown) => (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const { id, method, params } = JSON.parse(text) as Body;
      if (id === undefined) return response.writeHead(202).end();
      const result =
        method === "initialize" ? { protocolVersion: "2025-06-18", capabilities: {} } : list(params?.cursor);
      json(response, { jsonrpc: "2.0", id, result }, 200, { "mcp-session-id": "s1" });
    });
  };
const tools = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ name: `tool_${from + i}`, inputSchema: { type: "object" } }));
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe("a hostile host", () => {
  const at = (name: string) => ({ name, endpoint: `${host.url}/x` });
  const circle = (cursor?: string) => ({
    tools: tools(2, cursor === "b" ? 2 : 0),
    nextCursor: cursor === "b" ? "a" : "b",
  });
  const endless = (at: number) => ({ tools: tools(1, at), nextCursor: String(at + 1) });
  const saying =
    (text: string, status = 200, headers = {}): Answer =>
    (_, response) =>
      response.writeHead(status, headers).end(text);
  const metadata = { location: "http://169.254.169.254/latest" };
  const noTerms = { accepts: [{ amount: "-1" }, null, 7] };
  const inTools = { tools: [{ name: "t", inputSchema: JSON.parse(deep(40)) }] };
  type Attack = [what: string, protocol: string, answer: Answer, status: string, why?: RegExp, offers?: number];
  const ATTACKS: Attack[] = [
    ["a redirect to a private address", "x402", saying("", 302, metadata), "refused", /must be on a public address/],
    ["a body of 2 MiB", "a2a", saying(`"${"a".repeat(2 ** 21)}"`), "unreadable", /cannot be read by us.*1 MiB/],
    ["10,000 tools", "mcp", mcpHost(() => ({ tools: tools(10_000) })), "read", undefined, 64],
    ["pages of tools in a circle", "mcp", mcpHost(circle), "read", undefined, 6],
    ["pages of tools without an end", "mcp", mcpHost((cursor) => endless(Number(cursor ?? 0))), "read", undefined, 5],
    ["JSON of 100,000 levels", "a2a", saying(deep(100_000)), "unreadable"],
    ["a schema of 40 levels", "mcp", mcpHost(() => inTools), "read", undefined, 1],
    ["a page of HTML", "a2a", saying("<html>"), "unreadable", /not JSON/],
    [
      "terms that are none",
      "x402",
      (_, to) => json(to, noTerms, 402, { "payment-required": "!!" }),
      "unreadable",
      /no terms/,
    ],
    ["no demand for payment", "x402", saying("ok"), "read", /no payment/],
    ["a card that needs a credential", "a2a", saying("", 401), "needs_credentials"],
  ];
  it.each(ATTACKS)("%s", async (_, protocol, answer, status, why, count = 0) => {
    handle = answer;
    const id = await plant([at(protocol)]);
    await run();
    const [state] = await statesOf(id);
    expect(state).toMatchObject({ status, why: why ? expect.stringMatching(why) : (state!.why ?? null) });
    const read = await offersOf(id);
    expect(read).toHaveLength(count);
    // A schema is kept whole or not at all.
    for (const { schema } of read) expect([{ type: "object" }, null]).toContainEqual(schema);
    expect(asked.length).toBeLessThanOrEqual(8);
    // It is left alone until its time.
    const before = asked.length;
    await run();
    expect(asked).toHaveLength(before);
  });

  it("has its texts stored without what cannot be seen, and within bounds", async () => {
    const long = {
      description: `a\u{e0041}\u2066${"b".repeat(5_000)}`,
      tags: Array.from({ length: 50 }, (_, i) => `${i}`),
    };
    const skills = [{ name: "Pay\u200bment\u202e\u0000", ...long }, null, 7, { name: "\u200b" }];
    handle = (_, response) => json(response, { ...CARD, skills });
    const id = await plant([at("a2a")]);
    await run();
    const [skill, ...others] = await offersOf(id);
    expect(others).toEqual([]);
    expect(skill.name).toBe("Payment\ufffd");
    expect(skill.description).toBe(`a${"b".repeat(599)}`);
    expect(skill.tags).toHaveLength(16);
  });

  it("fails no other agent", async () => {
    handle = (request, response) =>
      request.url!.includes("good") ? json(response, CARD) : response.destroy(new Error("gone"));
    const bad = await plant([...a2a(`${host.url}/bad.json`), { name: "mcp", endpoint: "http://[::1" }]);
    const good = await plant(a2a(`${host.url}/good.json`));
    await run();
    expect(await statesOf(bad)).toMatchObject([{ status: "unreachable", failures: 1 }]);
    expect(await offersOf(good)).toMatchObject([{ name: "Sums" }]);
  });
});

describe("budgets", () => {
  it("rows of one host share one read of the same URL, the oldest and the most trusted of them, 50 in all", async () => {
    handle = (_, response) => json(response, CARD);
    const oldest = await plant(a2a(`${host.url}/card.json`), { score: 0 });
    const ids: number[] = [];
    for (let i = 0; i < 52; i++) ids.push(await plant(a2a(`${host.url}/card.json`), { score: 52 - i }));
    await run();
    expect(asked).toEqual(["GET /card.json"]);
    expect(await offersOf(oldest)).toHaveLength(1);
    expect(await offersOf(ids[48]!)).toHaveLength(1);
    expect(await statesOf(ids[49]!)).toMatchObject([{ status: "waiting" }]);
    await run();
    expect(asked).toHaveLength(1);
  });

  it("a host is asked for so many URLs a day, those of the most trusted agents first; the rest waits a day", async () => {
    handle = (_, response) => json(response, CARD);
    const filler = await plant([], { platform: "erc8004" });
    const low = await plant(a2a(`${host.url}/low.json`), { score: 5 });
    const high = await plant(a2a(`${host.url}/high.json`), { score: 60 });
    const due = new Date(clock.getTime() + DAY_MS / 2);
    await run({ endpoints: { send: async () => ({ kind: "deferred", seconds: 1 }) } });
    await db.pool.query(
      `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, checked_at, next_try_at)
       select $1, 'x402', 'http://x/' || i, $2, 0, 'read', $3, $4 from generate_series(1, $5::int) i`,
      [filler, new URL(host.url).host, clock, due, URLS_PER_HOST_AND_DAY - 1],
    );
    await db.pool.query("update offchain.directory set services = null where id = $1", [filler]);
    later(2_000);
    // The filler's endpoints are none of its services; the round over the rows would take them away.
    await db.pool.query(
      `insert into offchain.offer_progress ("only", round_to, new_to) values (true, $1, $1)
       on conflict ("only") do update set round_to = $1, new_to = $1`,
      [high],
    );
    await run();
    expect(asked).toEqual(["GET /high.json"]);
    expect(await statesOf(low)).toMatchObject([{ status: "waiting", nextTryAt: new Date(clock.getTime() + DAY_MS) }]);
  });

  const siteBucket = (owner = "") => `read-named-site:shop.example${owner}:${clock.toISOString().slice(0, 10)}`;
  const plantBucket = (level: number, owner?: string) =>
    db.plant("allowance", { name: siteBucket(owner), level, most: owner ? 1_000 : 10_000, at: clock });
  const levelOf = async (name = siteBucket()) =>
    (await db.rows("select level from offchain.allowance where name = $1", [name]))[0].level;

  it("all names of a site have one budget a day for what only agents name, and one that is overdrawn lets none through", async () => {
    for (const name of ["a", "b", "c"]) await plant(a2a(`https://${name}.shop.example/card.json`));
    later(DAY_MS / 2);
    const send = async ({ url }: { url: string }) => card(url);
    const read: number[] = [];
    for (const level of [-1, 1, 10_000]) {
      await plantBucket(level);
      await run({ endpoints: { send } });
      read.push(await countOf("offer_source where status = 'read'"), await levelOf());
      // What was late is due when the budget is renewed.
      clock = new Date(Math.ceil((clock.getTime() + 1) / DAY_MS) * DAY_MS);
    }
    expect(read).toEqual([0, -1, 1, 0, 3, 9_997]);
  });

  it("of a site's budget one owner has a share, and what was never read comes first", async () => {
    const send = async ({ url }: { url: string }) => card(url);
    const [old, greedy, fresh] = [
      a2a("https://a.shop.example/"),
      a2a("https://b.shop.example/"),
      a2a("https://c.shop.example/"),
    ];
    const read = await plant(old, { score: 90, owner: "0xa" });
    await run({ endpoints: { send } });
    const readAt = clock;
    later(DAY_MS);
    const refused = await plant(greedy, { score: 50, owner: "0xb" });
    const first = await plant(fresh, { score: 1, owner: "0xc" });
    await plantBucket(1);
    await plantBucket(0, " 0xb");
    await run({ endpoints: { send } });
    expect(await statesOf(first)).toMatchObject([{ status: "read", checkedAt: clock }]);
    expect(await statesOf(refused)).toMatchObject([{ status: "waiting" }]);
    expect(await statesOf(read)).toMatchObject([{ status: "read", checkedAt: readAt }]);
    expect([await levelOf(), await levelOf(siteBucket(" 0xc"))]).toEqual([0, 999]);
  });

  it("each URL of a host with more than a day's budget has its turn, and rows that share one beyond it wait with it", async () => {
    for (let i = 0; i < URLS_PER_HOST_AND_DAY; i += 8) {
      const services = Array.from({ length: 8 }, (_, j) => a2a(`https://h.example/${i + j}.json`)).flat();
      await plant(services, { score: 50 });
    }
    for (let i = 0; i < 52; i++) await plant(a2a("https://h.example/low.json"), { score: 5 });
    const send = async ({ url }: { url: string }) => {
      asked.push(url);
      return card(url);
    };
    const day = async () => {
      asked = [];
      for (let i = 0; i < 3; i++) await run({ endpoints: { send } });
      expect(await countOf("offer_source where next_try_at <= $1", [clock])).toBe(0);
      later(DAY_MS);
      return asked;
    };
    expect(await day()).toHaveLength(URLS_PER_HOST_AND_DAY);
    expect(asked).not.toContain("https://h.example/low.json");
    expect(await day()).toEqual(["https://h.example/low.json"]);
    expect(await day()).toHaveLength(URLS_PER_HOST_AND_DAY);
  });
});

it("a worker that is killed between two batches leaves nothing half done: the next one reads the rest", async () => {
  handle = (_, response) => json(response, CARD);
  const ids: number[] = [];
  for (let i = 0; i < 70; i++) ids.push(await plant(a2a(`${host.url}/${i}.json`)));
  const endpoints = { send: async ({ url }: { url: string }) => card(url) };
  const fault = (point: string) => {
    if (point === "offers.read") throw new Error("killed");
  };
  await expect(run({ endpoints, fault })).rejects.toThrow("killed");
  expect(await countOf("offer")).toBe(64);
  await run({ endpoints });
  expect(await countOf("offer")).toBe(70);
  expect(await countOf("offer_source where status = 'read'")).toBe(70);
});

it("an endpoint that falls silent is asked less and less often and counts less and less, until it answers again", async () => {
  let alive = true;
  handle = (_, response) => (alive ? json(response, CARD) : response.writeHead(500).end());
  const id = await plant(a2a(`${host.url}/card.json`));
  const live = async () => liveness(await statesOf(id), clock);
  expect(await live()).toBeNull();
  await run();
  const says = "Its endpoint answered 1 second ago.";
  const answered = { value: 1, says, answeredAt: clock.toISOString(), silentSince: null, named: false };
  expect(await live()).toEqual(answered);
  const answeredAt = clock;
  alive = false;
  const silentSince = later(DAY_MS);
  const waits: number[] = [];
  const before = await touched(id);
  for (let i = 0; i < 12; i++) {
    await run();
    const [state] = await statesOf(id);
    waits.push((state!.nextTryAt.getTime() - clock.getTime()) / 60_000);
    clock = state!.nextTryAt;
  }
  expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
  expect(waits.at(-1)).toBe(4 * 24 * 60);
  expect(await touched(id)).not.toBe(before);
  expect((await live())!.value).toBeLessThan(0.5);
  clock = new Date(silentSince.getTime() + 30 * DAY_MS);
  const times = { answeredAt: answeredAt.toISOString(), silentSince: silentSince.toISOString() };
  expect(await live()).toMatchObject({ value: 0, says: "Its endpoint has been silent for 30 days.", ...times });
  // What was read before stays meanwhile.
  expect(await offersOf(id)).toHaveLength(1);
  alive = true;
  await run();
  expect(await live()).toMatchObject({ value: 1, silentSince: null });
  expect(await statesOf(id)).toMatchObject([{ failures: 0, why: null }]);
});

describe("an endpoint that has no time", () => {
  const asIs = async (id: number) => (await statesOf(id))[0]!;

  it("is silent as any other when it answers 503, and each read counts against its host's budget", async () => {
    handle = (_, response) => response.writeHead(503, { "retry-after": "1" }).end();
    const id = await plant(a2a(`${host.url}/card.json`));
    await run();
    const why = "The server answers with status 503.";
    const state = { status: "unreachable", failures: 1, silentSince: clock, checkedAt: clock, why };
    expect(await asIs(id)).toMatchObject({ ...state, nextTryAt: new Date(clock.getTime() + 300_000) });
    later(300_000);
    await run();
    expect(await asIs(id)).toMatchObject({ failures: 2, nextTryAt: new Date(clock.getTime() + 600_000) });
    later(30 * DAY_MS);
    expect(liveness(await statesOf(id), clock)).toMatchObject({ value: 0, says: "Its endpoint never answered." });
  });

  it("may say so five times in a row by 429, each with a longer wait; then it is silent", async () => {
    handle = (_, response) => json(response, CARD);
    const id = await plant(a2a(`${host.url}/card.json`));
    await run();
    handle = (_, response) => response.writeHead(429, { "retry-after": "900" }).end();
    const waits: number[] = [];
    later(DAY_MS);
    for (let i = 0; i < 5; i++) {
      await run();
      const state = await asIs(id);
      expect(state).toMatchObject({ status: "read", silentSince: null, failures: i + 1, checkedAt: clock });
      waits.push((state.nextTryAt.getTime() - clock.getTime()) / 60_000);
      clock = state.nextTryAt;
    }
    expect(waits).toEqual([15, 15, 20, 40, 80]);
    expect(liveness(await statesOf(id), clock)).toMatchObject({ value: 1 });
    await run();
    expect(await asIs(id)).toMatchObject({ status: "unreachable", silentSince: clock, failures: 6 });
    clock = (await asIs(id)).nextTryAt;
    handle = (_, response) => json(response, CARD);
    await run();
    expect(await asIs(id)).toMatchObject({ status: "read", silentSince: null, failures: 0 });
  });

  it("is put off without fault by our own pace, and counts as asked when some of its requests were sent", async () => {
    let sent = 0;
    const busy = { kind: "deferred" as const, seconds: 7 };
    const id = await plant(a2a(`${host.url}/`));
    await run({ endpoints: { send: async () => busy } });
    const putOff = { status: "waiting", failures: 0, silentSince: null, nextTryAt: new Date(clock.getTime() + 7_000) };
    expect(await asIs(id)).toMatchObject({ ...putOff, checkedAt: null });
    later(7_000);
    const missing = { kind: "answered" as const, status: 404, headers: {}, text: "", url: host.url };
    await run({ endpoints: { send: async () => (++sent === 1 ? missing : busy) } });
    const asked = () => ({ ...putOff, checkedAt: clock, nextTryAt: new Date(clock.getTime() + 7_000) });
    expect(await asIs(id)).toMatchObject(asked());
    later(7_000);
    await run({ endpoints: { send: async () => ({ ...busy, askedOther: true }) } });
    expect(await asIs(id)).toMatchObject(asked());
  });
});

it("what has been due longest has a share of each run, whatever its trust", async () => {
  const low = await plant(a2a("https://low.example/card.json"), { score: 0 });
  await run({ endpoints: { send: async () => ({ kind: "deferred", seconds: 1 }) } });
  later(2_000);
  for (let i = 0; i < 100; i++) await plant(a2a(`https://${i}.high.example/card.json`), { score: 90 });
  // Each answer takes a second, so a run ends after its first 64 endpoints.
  const send = async ({ url }: { url: string }) => {
    later(1_000);
    return card(url);
  };
  await run({ endpoints: { send } });
  expect(await offersOf(low)).toHaveLength(1);
  expect(await countOf("offer_source where status = 'read'")).toBe(64);
  // What was not reached has taken nothing from the budget of its site.
  expect(await countOf("allowance where name ~ '^read-named-site:high.example:' and level = 10000 - 63")).toBe(1);
});

it("one owner's thousands of slow endpoints, trusted more, do not keep another's from its turn", async () => {
  const crowd = Array.from({ length: 300 }, (_, i) =>
    Array.from({ length: 8 }, (_, n) => a2a(`http://127.1.${i % 250}.${1 + n + 8 * (i >> 8)}:9/${i}`)).flat(),
  );
  await db.pool.query(
    `insert into offchain.directory (platform, agent_id, name, services, cred_score, owner_address)
     select 'virtuals', 'crowd-' || n, 'A', s, 60, '0xcrowd' from jsonb_array_elements($1) with ordinality as c(s, n)`,
    [JSON.stringify(crowd)],
  );
  const id = await plant(a2a(`${host.url}/card.json`), { score: 5 });
  handle = (_, response) => json(response, CARD);
  await run();
  const overdue = "update offchain.offer_source set next_try_at = $2, checked_at = null where directory_id <> $1";
  await db.pool.query(overdue, [id, new Date(clock.getTime() - DAY_MS)]);
  const due = "update offchain.offer_source set next_try_at = $2, status = 'waiting' where directory_id = $1";
  await db.pool.query(due, [id, clock]);
  asked = [];
  // Every endpoint takes so long that a run reads few.
  for (let runs = 0; runs < 4 && asked.length === 0; runs++) await run({ clock: () => later(500) });
  // Once more, as a witness that those without an answer are not silent by our own fault.
  expect([...new Set(asked)]).toEqual(["GET /card.json"]);
});

it("an MCP server with the older transport lives, though it lists no tools", async () => {
  handle = (request, response) => {
    if (request.method !== "GET") return response.writeHead(405).end();
    // The stream of events stays open.
    response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /messages?s=1\n\n");
  };
  const old = await plant([{ name: "mcp", endpoint: `${host.url}/sse` }]);
  const brief = openPublicHttp({ userAgent: "tests", loopback: true, limits: { ...PATIENT, bodyMs: NEVER } });
  await run({ endpoints: foreignEndpoints(brief) });
  await brief.close();
  expect(await statesOf(old)).toMatchObject([{ status: "unreadable", why: expect.stringContaining("HTTP with SSE") }]);
  expect(liveness(await statesOf(old), clock)).toMatchObject({ value: 1 });
  handle = (request, response) => (request.method === "GET" ? json(response, {}) : response.writeHead(405).end());
  const other = await plant([{ name: "mcp", endpoint: `${host.url}/other` }]);
  await run();
  expect(await statesOf(other)).toMatchObject([{ status: "unreadable", why: "The server answers with status 405." }]);
});

it("many MCP servers with the older transport on one host are all read, a few at a time: none keeps another from an answer", async () => {
  const old = ODD_SERVERS.find(({ name }) => name === "HTTP with SSE")!;
  const planted = await plantHosts([old]);
  const ids: number[] = [];
  for (let i = 0; i < 6; i++) ids.push(await plant([{ name: "mcp", endpoint: `${planted.urls[old.name]}?n=${i}` }]));
  const endpoints = foreignEndpoints(publicHttp, { now: () => clock.getTime() });
  const waiting = async () => (await Promise.all(ids.map(statesOf))).flat().filter(({ status }) => status !== "read");
  await run({ endpoints });
  const seen = (await waiting()).map(({ status, failures, silentSince }) => [status, failures, silentSince]);
  expect(seen).toContainEqual(["waiting", 0, null]);
  for (let i = 0; i < 3; i++) {
    later(10_000);
    await run({ endpoints });
  }
  planted.close();
  expect(await waiting()).toEqual([]);
  for (const id of ids) expect(await offersOf(id)).toMatchObject([{ kind: "tool", name: "quote" }]);
});

it("an endpoint on a port that is not asked counts neither way, and says why", async () => {
  const strict = openPublicHttp({ userAgent: "tests", loopback: false, limits: PATIENT });
  const other = await plant([{ name: "mcp", endpoint: "https://agent.example:8443/mcp" }]);
  const inside = await plant([{ name: "mcp", endpoint: "http://10.0.0.1/mcp" }]);
  await run({ endpoints: foreignEndpoints(strict) });
  await strict.close();
  const why = expect.stringMatching(/cannot be read by us.*usual port/);
  expect(await statesOf(other)).toMatchObject([{ status: "waiting", silentSince: null, why }]);
  expect(liveness(await statesOf(other), clock)).toBeNull();
  expect(await statesOf(inside)).toMatchObject([{ status: "refused", silentSince: clock }]);
});
