/** The terminal directory over HTTP: filters, sorts, searches, one agent in any spelling, claims that win nothing, exports. */
import { getAddress } from "viem";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Address } from "../../core/agents/facts.ts";
import { imagePath, imageUri } from "../../core/directory/embedded-image.ts";
import { DIRECTORY_FILTERS, DIRECTORY_SORTS } from "../../core/directory/filters.ts";
import { storeEthosScores } from "../../db/directory/ethos.ts";
import { storeQuotes } from "../../db/directory/markets.ts";
import { syncOwnRows } from "../../db/directory/own.ts";
import { until } from "../../harness/until.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";
import { listForTest } from "./support/plants.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const ago = (days: number) => new Date(NOW - days * 86_400_000).toISOString();
const WALLET = "0xab5801a7d398351b8be11c439e05c5b3259aec9b";
/** The owner of Atlas, and that of Ångström: no agent's wallet begins like them. */
const OWNER = `0xcd${"5".repeat(38)}`;
const OTHER = `0xcd${"6".repeat(38)}`;
const TOKEN = "0x4f9fd6be4a90f2620860d680c0d4d5fb53d1a825";

const api = apiForFile({ now: () => NOW });
beforeAll(async () => {
  await plantDirectory(api.pool, [
    {
      platform: "helixa",
      agent_id: "7",
      token_id: 7,
      name: "Atlas",
      cred_score: 80,
      address: WALLET,
      owner_address: OWNER,
      wallet_proven: true,
      chain_id: 8453,
      protocols: ["MCP"],
      proofs: ["github", "x"],
      coinbase: true,
      created_at: ago(3),
    },
    {
      platform: "erc8004",
      agent_id: "7",
      token_id: 7,
      name: "Atlas 8004",
      cred_score: 49,
      address: WALLET,
      wallet_proven: true,
      chain_id: 8453,
      protocols: ["A2A", "x402"],
      created_at: ago(1),
      x402_supported: true,
      price_change_24h: -12.5,
      liquidity_usd: 100,
    },
    {
      platform: "virtuals",
      agent_id: "1234",
      name: "Luna",
      cred_score: 30,
      token_symbol: "LUNA",
      token_address: TOKEN,
      market_cap_usd: 5e6,
      volume_24h_usd: 1e5,
      price_change_24h: 4,
      liquidity_usd: 2e4,
      traded_at: ago(0.1),
      created_at: ago(90),
    },
    {
      platform: "agentverse",
      agent_id: `agent1q${"p".repeat(58)}`,
      name: "Ångström",
      cred_score: 20,
      address: `agent1q${"p".repeat(58)}`,
      owner_address: OTHER,
      price_change_24h: -50,
      uses: 5000,
      used_at: ago(0.5),
    },
    {
      platform: "mcp-registry",
      agent_id: "io.github.User/weather",
      name: "=HYPERLINK(1)",
      cred_score: 10,
      description: 'says "hi",\nthen more',
      protocols: ["MCP"],
      volume_7d_usd: 1e9,
      used_at: ago(5),
    },
    {
      platform: "virtuals",
      agent_id: "gone",
      name: "Gone",
      cred_score: 99,
      owner_address: OWNER,
      price_change_24h: 1,
      removed_at: ago(1),
    },
  ]);
  // Luna and Ångström were changed after the others, in this order.
  for (const name of ["Luna", "Ångström"])
    await api.sql("update offchain.directory set description = name where name = $1", name);
  const scores = new Map([
    [OWNER, 1_300],
    [OTHER, 1_700],
  ] as [Address, number][]);
  await storeEthosScores(api.pool, scores, new Date(NOW));
});

type Row = Record<string, unknown> & { name: string };
type List = { agents: Row[]; total: number; page: number; totalPages: number; limit: number; stats: { total: number } };
const list = async (query = "") => await api.read<List>(`/api/terminal/agents${query}`);
const names = async (query = "") => (await list(query)).agents.map(({ name }) => name);

describe("the list", () => {
  it("has the best first, exact totals and the stats of the whole directory", async () => {
    const body = await list("?limit=2&page=2&filter=all");
    expect(body).toMatchObject({ total: 5, page: 2, totalPages: 3, limit: 2 });
    expect(body.agents.map(({ name }) => name)).toEqual(["Luna", "Ångström"]);
    expect(body.stats).toEqual({ total: 5, scored: 5, avgScore: 37.8, x402: 1 });
    expect((await list("?limit=1000")).limit).toBe(100);
  });

  it("shows a row with the specified keys", async () => {
    const [row] = (await list("?q=LUNA")).agents;
    expect(row).toMatchObject({
      agent_id: "1234",
      platform: "virtuals",
      x402_supported: 0,
      verified: 0,
      cred_tier: "MARGINAL",
      token_symbol: "LUNA",
      token_address: getAddress(TOKEN),
      token_market_cap: 5e6,
      market_data_source: "dexscreener",
      address: null,
      token_id: "virtuals-1234",
      tokenId: null,
    });
    expect((await list("?q=atlas")).agents[0]).toMatchObject({
      token_id: "helixa-7",
      tokenId: 7,
      agent_id: "7",
      address: getAddress(WALLET),
      owner_address: getAddress(OWNER),
      image_url: expect.stringMatching(/\/api\/v2\/aura\/7\.png$/),
      verified: 1,
    });
    // The token of another registry is no identity here, whatever its number.
    expect((await list("?q=atlas")).agents[1]).toMatchObject({
      platform: "erc8004",
      token_id: "erc8004-7",
      tokenId: null,
    });
  });

  it.each([
    ["?sort=name&dir=asc", ["=HYPERLINK(1)", "Atlas", "Atlas 8004", "Luna", "Ångström"]],
    ["?sort=token_market_cap&dir=Asc", ["Luna", "Atlas", "Atlas 8004", "Ångström", "=HYPERLINK(1)"]],
    ["?sort=created_at&dir=DESC", ["Atlas 8004", "Atlas", "Luna", "Ångström", "=HYPERLINK(1)"]],
    ["?sort=platform&dir=asc&limit=2", ["Ångström", "Atlas 8004"]],
    ["?sort=price_change_24h", ["Luna", "Atlas 8004", "Ångström", "Atlas", "=HYPERLINK(1)"]],
    ["?sort=price_change_24h&dir=asc&limit=2", ["Ångström", "Atlas 8004"]],
    ["?sort=liquidity_usd&limit=3", ["Luna", "Atlas 8004", "Atlas"]],
    ["?sort=ethos_score", ["Ångström", "Atlas", "Atlas 8004", "Luna", "=HYPERLINK(1)"]],
    ["?sort=ethos_score&dir=asc&limit=2", ["Atlas", "Ångström"]],
    ["?sort=updated_at&dir=desc&limit=2", ["Ångström", "Luna"]],
    // Said by agents of themselves: not refused, and nothing is ranked by it.
    ["?sort=revenue_self_reported&limit=3", ["Atlas", "Atlas 8004", "Luna"]],
    ["?filter=gainers", ["Luna"]],
    // The greatest loss is first, unless a direction or a sort is asked for.
    ["?filter=Losers", ["Ångström", "Atlas 8004"]],
    ["?filter=losers&dir=desc", ["Atlas 8004", "Ångström"]],
    ["?filter=losers&sort=cred_score", ["Atlas 8004", "Ångström"]],
    ["?filter=NEW", ["Atlas 8004", "Atlas"]],
    ["?filter=x402", ["Atlas 8004"]],
    ["?filter=trending", ["Luna", "Ångström"]],
    ["?filter=trending&sort=cred_score&dir=asc", ["Ångström", "Luna"]],
    ["?filter=Prime", ["Atlas"]],
    ["?filter=MARGINAL", ["Atlas 8004", "Luna"]],
    ["?q=0XAB58", ["Atlas", "Atlas 8004"]],
    ["?q=0xCD", ["Atlas", "Ångström"]],
    ["?q=0xcd5555", ["Atlas"]],
    [`?q=${OWNER}`, ["Atlas"]],
    [`?q=${OTHER.toUpperCase().replace("X", "x")}`, ["Ångström"]],
    ["?q=angstrom", ["Ångström"]],
    ["?q=luna", ["Luna"]],
    ["?q=1234", ["Luna"]],
    ["?q=IO.GITHUB.USER/WEATHER", ["=HYPERLINK(1)"]],
    ["?q=agent1qpp", ["Ångström"]],
    ["?q=gone", []],
  ])("%s", async (query, expected) => expect(await names(query)).toEqual(expected));

  it("finds a wallet's own agents first, then those that it owns, and last those that only name it", async () => {
    const wallet = `0xef${"0".repeat(38)}`;
    const row = (tokenId: number, name: string, change: object) => ({
      ...{ platform: "helixa", agent_id: String(tokenId), token_id: tokenId, name, cred_score: tokenId - 900 },
      ...change,
    });
    await listForTest(api.pool, [
      row(950, "Names it", { address: wallet, owner_address: OTHER, wallet_confirmed: false }),
      row(940, "Is owned", { address: OTHER, owner_address: wallet, wallet_confirmed: false }),
      row(930, "Is its own", { address: wallet, owner_address: OTHER, wallet_confirmed: true }),
    ]);
    for (const dir of ["asc", "desc"])
      for (const [page, name] of ["Is its own", "Is owned", "Names it"].entries())
        expect(await names(`?q=${wallet}&sort=name&dir=${dir}&limit=1&page=${page + 1}`)).toEqual([name]);
  });

  it.each(["sort=id", "sort=trend", "dir=up", "filter=hot", "page=0", "limit=x"])("refuses %s", async (query) =>
    expect(await api.get(`/api/terminal/agents?${query}`)).toMatchObject(refusal(400, "invalid_input")),
  );
});

describe("facets", () => {
  it.each([
    ["platform=virtuals,Agentverse", ["Luna", "Ångström"]],
    ["chain=8453", ["Atlas", "Atlas 8004"]],
    ["chain=1,8453&platform=erc8004", ["Atlas 8004"]],
    ["speaks=mcp", ["Atlas", "=HYPERLINK(1)"]],
    ["speaks=X402,a2a", ["Atlas 8004"]],
    ["speaks=mcp,a2a", []],
    ["verified=wallet", ["Atlas", "Atlas 8004"]],
    ["verified=wallet,x,coinbase", ["Atlas"]],
    ["verified=farcaster", []],
    ["minScore=20&maxScore=49", ["Atlas 8004", "Luna", "Ångström"]],
    ["filter=marginal&minScore=40", ["Atlas 8004"]],
    ["filter=junk&minScore=40", []],
    ["hasToken=true", ["Luna"]],
    ["hasToken=false&q=a&sort=name&dir=asc", ["Atlas", "Atlas 8004", "Ångström"]],
    ["maxAgeDays=3", ["Atlas", "Atlas 8004"]],
    ["minAgeDays=3", ["Atlas", "Luna"]],
    ["minAgeDays=2&maxAgeDays=3&filter=new", ["Atlas"]],
    [`owner=${OTHER.toUpperCase().replace("X", "x")}`, ["Ångström"]],
  ])("%s finds the agents that meet it, in pages, counts and files", async (query, expected) => {
    const body = await list(`?${query}`);
    expect(body.agents.map(({ name }) => name)).toEqual(expected);
    expect([body.total, (await list(`?${query}&limit=1`)).total]).toEqual([expected.length, expected.length]);
    const file = await api.get(`/api/terminal/agents.json?${query}`);
    expect(file.headers.get("x-total-count")).toBe(String(expected.length));
    expect((file.body as never as Row[]).map(({ name }) => name)).toEqual(expected);
  });

  it.each([
    ["platform=nowhere", "must be one of"],
    ["chain=base", "must be a whole number from 1 to 2147483647"],
    ["speaks=mcp,klingon", "must be one of MCP, A2A, OASF, Web, x402"],
    ["verified=true", "must be one of wallet"],
    ["minScore=101", "must be a whole number from 0 to 100"],
    ["minScore=50&maxScore=49", "must be at most maxScore, which is 49"],
    ["minAgeDays=9&maxAgeDays=3", "must be at most maxAgeDays, which is 3"],
    ["hasToken=yes", "must be true or false"],
    ["window=2d", "must be one of 24h, 7d, 30d"],
    ["owner=0x12", "must be a 0x address of 20 bytes"],
  ])("%s is refused: %s", async (query, message) => {
    for (const path of ["agents", "agents.csv"]) {
      const { status, body } = await api.get(`/api/terminal/${path}?${query}`);
      expect([status, body.code]).toEqual([400, "invalid_input"]);
      expect(JSON.stringify(body.details)).toContain(message);
    }
  });

  it("trending has its windows, each in the order of what was traded and used in it", async () => {
    expect(await names("?filter=trending")).toEqual(["Luna", "Ångström"]);
    expect(await names("?filter=trending&window=24H")).toEqual(["Luna", "Ångström"]);
    expect(await names("?filter=trending&window=7d")).toEqual(["=HYPERLINK(1)", "Luna", "Ångström"]);
    expect(await names("?filter=trending&window=30d&dir=asc")).toEqual(["Ångström", "Luna", "=HYPERLINK(1)"]);
    expect(await names("?filter=trending&window=7d&platform=virtuals")).toEqual(["Luna"]);
  });
});

describe("the counts of filters", () => {
  it.each(["", "?platform=erc8004,virtuals", "?q=a&window=30d", "?minScore=20&maxScore=49", "?q=nobody"])(
    "%s are the totals of the lists",
    async (query) => {
      const { counts } = await api.read<{ counts: object }>(`/api/terminal/counts${query}`);
      const more = query === "" ? "?" : `${query}&`;
      const totals = await Promise.all(
        DIRECTORY_FILTERS.map(async (filter) => [filter, (await list(`${more}filter=${filter}`)).total]),
      );
      expect(counts).toEqual(Object.fromEntries(totals));
    },
  );

  it("refuse what the list refuses", async () =>
    expect(await api.get("/api/terminal/counts?minScore=9&maxScore=8")).toMatchObject({ status: 400 }));
});

describe("one agent", () => {
  it("is found by chain, registry and number, and under no other chain or registry", async () => {
    const [registry, own] = [`0x${"80".repeat(20)}`, `0x${"2e".repeat(20)}`];
    const one = (
      name: string,
      more: { platform: string; registry?: string; token_id?: number; cred_score?: number },
    ) => ({ name, cred_score: 3, chain_id: 8453, agent_id: "70007", ...more });
    await listForTest(api.pool, [
      one("Canonical", { platform: "erc8004", registry }),
      one("Own", { platform: "helixa", registry: own, token_id: 70007 }),
      one("Elsewhere", { platform: "virtuals", cred_score: 99 }),
    ]);
    const found = async (ref: string) => {
      const { body } = await api.get(`/api/terminal/agent/${encodeURIComponent(ref)}`);
      const { body: page } = await api.get(`/api/terminal/agents?q=${encodeURIComponent(ref)}`);
      expect((page.agents as unknown as { name: string }[]).map(({ name }) => name)).toEqual(
        body.name === undefined ? [] : [body.name],
      );
      return body.name;
    };
    const loud = registry.toUpperCase().replace("X", "x");
    const canonical = [`eip155:8453:${registry}:70007`, `EIP155:8453:${loud}:70007`, "8453:70007", "erc8004-70007"];
    for (const ref of canonical) expect(await found(ref)).toBe("Canonical");
    expect(await found(`eip155:8453:${own}:70007`)).toBe("Own");
    for (const ref of [`eip155:1:${registry}:70007`, `eip155:8453:0x${"11".repeat(20)}:70007`, "1:70007"])
      expect(await found(ref)).toBeUndefined();
  });

  it.each([WALLET, WALLET.toUpperCase().replace("0X", "0x"), "7", "helixa-7", "HELIXA-7"])(
    "%s is the own registry's",
    async (ref) => {
      const { body } = await api.get(`/api/terminal/agent/${ref}`);
      expect(body).toMatchObject({ platform: "helixa", name: "Atlas", services: [] });
      expect(body.same_as).toEqual([
        { id: expect.any(Number), platform: "erc8004", agent_id: "7", name: "Atlas 8004", cred_score: 49 },
      ]);
    },
  );

  it.each([`AGENT1Q${"P".repeat(58)}`, encodeURIComponent("io.github.user/WEATHER"), "1234"])(
    "%s is found",
    async (ref) => expect(await api.get(`/api/terminal/agent/${ref}`)).toMatchObject({ status: 200 }),
  );

  it("of another registry is never found by the id of an own one, unless its platform is named", async () => {
    await listForTest(api.pool, [
      { platform: "mcp-registry", agent_id: "helixa-8", name: "Pretends to be another", cred_score: 1 },
      { platform: "mcp-registry", agent_id: "helixa-7", name: "Pretends", cred_score: 99 },
    ]);
    expect((await api.get("/api/terminal/agent/helixa-7")).body).toMatchObject({ name: "Atlas" });
    expect((await api.get("/api/terminal/agent/helixa-8")).status).toBe(404);
    expect(await claim("helixa-8", { token_symbol: "X" })).toMatchObject({ status: 404 });
    expect((await api.get("/api/terminal/agent/helixa-8?platform=mcp-registry")).body.cred_score).toBe(1);
    expect((await api.get("/api/terminal/agent/helixa-7?platform=erc8004")).status).toBe(404);
  });

  it("is opened by the token_id of its row and by no other's, whatever ids other registries have", async () => {
    const long = `https://a.example/${"é".repeat(900)}`;
    await listForTest(api.pool, [
      ...["7", "helixa-7", "erc8004-7", "Same", "same", long].map((agent_id) => ({
        ...{ platform: "mcp-registry", agent_id, name: "Planted", cred_score: 90 },
      })),
      { platform: "x402-bazaar", agent_id: "7", name: "Planted", cred_score: 91 },
    ]);
    const rows = (await list("?limit=100")).agents;
    expect(new Set(rows.map(({ token_id }) => token_id)).size).toBe(rows.length);
    for (const { id, token_id } of rows) {
      const { body } = await api.get(`/api/terminal/agent/${encodeURIComponent(String(token_id))}`);
      expect([token_id, body.id]).toEqual([token_id, id]);
    }
  });

  it("with an embedded picture links to it, served as a picture and not as a document", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><circle r="9"/></svg>';
    await listForTest(api.pool, [
      ...["90", "91"].map((agent_id) => ({
        ...{ platform: "erc8004", agent_id, name: "Drawn", cred_score: 5 },
        ...{ registry: OTHER, image_url: imagePath(agent_id) },
      })),
    ]);
    const content = { imageUrl: imageUri({ type: "image/svg+xml", bytes: new TextEncoder().encode(svg) }) };
    await api.plant("registration_file", { registry: OTHER, agent_id: 90, content });
    await api.plant("registration_file", {
      registry: OTHER,
      agent_id: 91,
      content: { imageUrl: "https://a.example/" },
    });
    onTestFinished(async () => void (await api.pool.query("delete from offchain.registration_file")));
    const [drawn] = (await list("?q=erc8004-90")).agents;
    const { pathname } = new URL(String(drawn!.image_url));
    const { status, headers, text } = await api.get(pathname);
    expect([status, headers.get("content-type"), text]).toEqual([200, "image/svg+xml", svg]);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*sandbox$/);
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    for (const ref of ["erc8004-91", "helixa-7", "nobody"])
      expect((await api.get(`/api/terminal/agent/${ref}/image`)).status).toBe(404);
  });

  it("that says that it is not active is listed so, and found only by who asks for such", async () => {
    await listForTest(api.pool, [
      { platform: "erc8004", agent_id: "92", name: "Retired Atlas", cred_score: 5, active: false },
    ]);
    const total = async (query: string) => {
      const { body } = await api.get(`/api/terminal/counts${query}`);
      const page = await list(query);
      expect(body).toMatchObject({ counts: { all: page.total } });
      return page.total;
    };
    expect((await list()).agents.find(({ name }) => name === "Retired Atlas")).toMatchObject({ active: false });
    expect(await names("?q=atlas")).toEqual(["Atlas", "Atlas 8004"]);
    expect(await names("?q=atlas&inactive=true")).toEqual(["Atlas", "Atlas 8004", "Retired Atlas"]);
    expect(await names("?q=erc8004-92")).toEqual(["Retired Atlas"]);
    expect([await total("?q=erc8004-92"), await total("?q=erc8004-92&minScore=5")]).toEqual([1, 1]);
    for (const narrowed of ["platform=virtuals", "minScore=6", "chain=1", `owner=${OWNER}`, "speaks=MCP"])
      expect([narrowed, await total(`?q=erc8004-92&${narrowed}`)]).toEqual([narrowed, 0]);
    expect(await names("?q=erc8004-92&filter=x402")).toEqual([]);
    expect(await names("?q=erc8004-92&page=2")).toEqual([]);
    const { text } = await api.get("/api/terminal/agents.csv?q=erc8004-92&platform=erc8004");
    expect(text.trim().split("\n")).toHaveLength(2);
    expect([await total(""), await total("?q=atlas"), await total("?q=atlas&inactive=1")]).toEqual([6, 2, 3]);
    expect((await api.get("/api/terminal/agent/erc8004-92")).body).toMatchObject({ active: false });
    expect((await api.get("/api/terminal/agent/helixa-7")).body).toMatchObject({ active: true });
  });

  it.each(["gone", "0xdead", "99999999999999999999", "helixa-", "helixa-07", "helixa-99999999999999999999"])(
    "%s is not known",
    async (ref) => expect(await api.get(`/api/terminal/agent/${ref}`)).toMatchObject(refusal(404, "not_found")),
  );
});

const claim = (ref: string, body: object) =>
  api.write("POST", `/api/terminal/agent/${ref.includes("/token?") ? ref : `${ref}/token`}`, body);

describe("a claimed token", () => {
  it("is shown as claimed, ranked by nowhere and found by nobody", async () => {
    const said = {
      token_address: TOKEN.replace("4f", "5F"),
      token_symbol: "MOON",
      token_name: "To the moon",
      token_market_cap: 9e12,
    };
    expect(await claim("io.github.user%2Fweather", said)).toMatchObject(answering(200, { success: true, updated: 1 }));
    const { body } = await api.get("/api/terminal/agent/io.github.user%2Fweather");
    expect(body).toMatchObject({
      ...{ token_symbol: "MOON", token_market_cap: 9e12, market_data_source: "claimed" },
      ...{ token_source: "claimed", counts: false },
    });
    expect((await names("?sort=token_market_cap"))[0]).toBe("Luna");
    expect(await names("?q=moon")).toEqual([]);
  });

  it("stays a claim when a market knows the token, and never replaces the registry's", async () => {
    await api.sql`insert into offchain.token_market (token_address, known, symbol, name, market_cap_usd, source,
        fetched_at)
      values (${TOKEN.replace("4f", "5f")}, true, 'REAL', 'Real', 1000, 'dexscreener', now())`;
    expect((await api.get("/api/terminal/agent/io.github.user%2Fweather")).body).toMatchObject({
      token_symbol: "REAL",
      token_market_cap: 1000,
      market_data_source: "dexscreener",
      token_source: "claimed",
      counts: false,
    });
    expect(await claim("1234", { token_market_cap: 1 })).toMatchObject({ status: 200 });
    expect((await api.get("/api/terminal/agent/1234")).body).toMatchObject({
      token_market_cap: 5e6,
      market_data_source: "dexscreener",
      token_source: "registry",
      counts: true,
    });
  });

  it("moves nothing in any list, however much is claimed, whatever the market says of the claimed token", async () => {
    const orders = async () => {
      const lists: Record<string, string[]> = {};
      for (const sort of [undefined, ...DIRECTORY_SORTS])
        for (const dir of ["ASC", "DESC"])
          await Promise.all(
            DIRECTORY_FILTERS.map(async (filter) => {
              const query = `?dir=${dir}&filter=${filter}${sort ? `&sort=${sort}` : ""}`;
              lists[query] = await names(query);
            }),
          );
      for (const q of ["moon", "e", "0x5f", "LUNA"]) lists[q] = await names(`?q=${q}`);
      return { lists, stats: (await list()).stats };
    };
    // Totals that SQL reads are kept for a moment: those of the rows of the test before are not compared.
    await until("the totals are of the rows here", () => list().then(({ total, stats }) => total === stats.total));
    const before = await orders();
    const claimed = TOKEN.replace("4f", "6f");
    // Through the door, and what no door would let in.
    for (const ref of ["0", "7", "1234", `agent1q${"p".repeat(58)}`, "io.github.user%2Fweather"])
      await claim(ref, { token_address: claimed, token_symbol: "MOON", token_market_cap: 1e15 });
    const huge = `with huge as (
        insert into offchain.directory_claim (directory_id, token_address, token_symbol, market_cap_usd, claimed_at)
        select id, $1, 'MOON', 1e18, now() from offchain.directory
        on conflict (directory_id) do update set token_address = $1, token_symbol = 'MOON', market_cap_usd = 1e18
        returning 1)
      select count(*)::int4 as claims from huge`;
    expect(await api.sql(huge, claimed)).toEqual([{ claims: 6 }]);
    const quote = {
      token: claimed,
      known: true,
      symbol: "MOON",
      name: "Moon",
      marketCapUsd: 1e18,
      basis: "market_cap",
      priceChange24h: 1e6,
      volume24hUsd: 1e18,
      liquidityUsd: 1e18,
    };
    expect(await storeQuotes(api.pool, [quote], { source: "dexscreener", now: new Date(NOW) })).toBe(0);
    expect((await api.get("/api/terminal/agent/7")).body).toMatchObject({ token_symbol: "MOON", volume_24h: 1e18 });
    expect(await orders()).toEqual(before);
    expect((await names("?sort=token_market_cap&dir=DESC"))[0]).toBe("Luna");
    await api.sql("delete from offchain.directory_claim");
  });

  it.each([{}, { token_address: "0x12" }, { token_market_cap: -1 }, { token_symbol: "a\u202eb" }, { other: 1 }])(
    "is refused when it is %j",
    async (body) => expect(await claim("1234", body)).toMatchObject({ status: 400 }),
  );

  it("about an id that several agents have is refused with their references, any of which is taken", async () => {
    const candidates = ["helixa-7", "erc8004-7"];
    const refused = await claim("7", { token_symbol: "X" });
    expect(refused).toMatchObject(refusal(409, "conflict", { candidates }));
    for (const ref of [...candidates, "7?platform=erc8004", WALLET])
      expect(await claim(ref.replace("?", "/token?"), { token_symbol: "X" })).toMatchObject({ status: 200 });
    await api.sql("delete from offchain.directory_claim");
  });

  it("of nobody is not stored", async () =>
    expect(await claim("nobody", { token_symbol: "X" })).toMatchObject({ status: 404 }));
});

describe("an export", () => {
  it("has the rows of the filter as JSON", async () => {
    const { body, headers } = await api.get("/api/terminal/agents.json?filter=new");
    expect((body as never as Row[]).map(({ name }) => name)).toEqual(["Atlas 8004", "Atlas"]);
    expect(headers.get("x-total-count")).toBe("2");
  });

  it("names own agents as the list does, by text and by number", async () => {
    const { text } = await api.get("/api/terminal/agents.csv?filter=new&sort=name&dir=asc");
    const [, atlas, foreign] = text.split("\r\n");
    expect(atlas).toContain(`,${getAddress(WALLET)},7,helixa-7,7,`);
    expect(foreign).toContain(`,${getAddress(WALLET)},7,erc8004-7,,`);
  });

  it("is CSV that no spreadsheet takes for formulas", async () => {
    const { text, headers } = await api.get("/api/terminal/agents.csv?filter=junk&sort=name&dir=asc");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(text.split("\r\n")[0]).toMatch(/^id,address,agent_id,token_id,tokenId,/);
    expect(text).toContain(`,'=HYPERLINK(1),"says ""hi"",\nthen more",`);
  });
});

describe("a block", () => {
  const agent = `0x${"7".repeat(40)}` as const;
  const show = () =>
    syncOwnRows(
      api.pool,
      [700],
      { contract: "0x2e3b541c59d38b84e3bc54e977200230a204fe60", chainId: 8453 },
      { now: new Date(NOW), exchangeSchema: `0x${"f".repeat(64)}` },
    );

  it.each(["agents", "counts", "agent/7", "agents.json", "agents.csv"].map((path) => `/api/terminal/${path}`))(
    "is told by %s",
    async (path) => {
      const { headers } = await api.get(path);
      expect(headers.get("x-indexed-block")).toBe("1000");
    },
  );

  it("that a write returned is waited for until its agent is shown, in the list as on its page", async () => {
    await plantAgents(api.pool, [{ tokenId: 700, name: "Fresh", agentAddress: agent, updatedBlock: 1000 }]);
    const [found, one] = await api.atOne(async () => {
      const paths = ["/api/terminal/agents?q=fresh&minBlock=1000", "/api/terminal/agent/700?minBlock=1000"];
      const answers = paths.map((path) => api.get(path));
      await until("both wait", async () => (await api.sql(WAITING))[0].looks > 0);
      await show();
      return Promise.all(answers);
    });
    expect((found as never as { body: List }).body.agents.map(({ name }) => name)).toEqual(["Fresh"]);
    expect(one).toMatchObject({ status: 200, body: { name: "Fresh", platform: "helixa" } });
  });

  it("that is not shown in time is a 503, as one that is not indexed", async () => {
    await api.sql("update onchain.agent set updated_block = 1000, name = 'Later' where token_id = 700");
    await api.sql("update offchain.directory_item set digest = '999' where source = 'helixa' and source_id = '700'");
    expect(await api.get("/api/terminal/agents?minBlock=1000")).toMatchObject(
      refusal(503, "indexer_behind", { indexedBlock: 1000 }),
    );
    expect(await api.get("/api/terminal/agent/7?minBlock=500")).toMatchObject({ status: 200 });
  });
});

it("the status tells how far the pull of a source is, why it stopped and what is odd about it", async () => {
  await api.sql(`insert into offchain.directory_pull (source, mode, done, expected, changed, error, note)
     values ('virtuals', 'full', 300, 42169, 12, 'Virtuals does not answer.', null),
       ('8004scan', null, 500, 500, 0, null, '8004scan lists 2 agents that the index has not.')`);
  const { body } = await api.get("/api/v2/status");
  expect((body as never as { sources: object[] }).sources).toEqual([
    expect.objectContaining({
      key: "8004scan",
      progress: null,
      note: "8004scan lists 2 agents that the index has not.",
    }),
    expect.objectContaining({
      key: "virtuals",
      progress: { done: 300, expected: 42169 },
      error: "Virtuals does not answer.",
      rows: 12,
      note: null,
    }),
  ]);
});

/** Connections whose last statement has looked for a block of the directory. */
const WAITING = `select count(*)::int4 as looks from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and query like '%digest::int8 <%'`;
