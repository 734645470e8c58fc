/** Agents in the API: list, search, pages, one agent, leaderboard, metadata, names, cred. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isSpam } from "../../core/spam.ts";
import type { BackfillProgress } from "../../core/views/backfill.ts";
import { BACKFILL_PROGRESS_DDL, writeBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { plantRows } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { words } from "../support/words.ts";
import { type PlantedAgent, plantAgents, walletOf } from "./support/agents.ts";
import { answering, apiForFile, refusal } from "./support/api.ts";
import { type Paged, walked } from "./support/walks.ts";

/** A record of a launcher that has made no progress for a minute. */
const BACKFILL: BackfillProgress = {
  state: "running",
  fromBlock: 0,
  block: 500,
  fetchedBlock: 600,
  toBlock: 1_000,
  progress: 0.5,
  events: 7,
  eventsPerSecond: 0,
  requests: { eth_getLogs: 12 },
  requestsPerSecond: 0,
  secondsLeft: null,
  stalledSeconds: 61,
  lastFailure: { at: "2026-11-22T00:00:00.000Z", reason: "node.example eth_getLogs: over the limit" },
  contracts: [
    { name: "Identity", fromBlock: 0, fetchedBlocks: 601, totalBlocks: 1_001, events: 7, eventsPerSecond: 0 },
  ],
  nodes: [{ host: "node.example", state: "ready", requests: 13, requestsPerSecond: 0, failed: 1 }],
  startedAt: "2026-11-22T00:00:00.000Z",
};

const WORLD: PlantedAgent[] = [
  { name: "Zero", score: 90, points: 300, verified: true, framework: "eliza", agentName: "Zero_One" },
  { name: "Ångström Café", score: 40, points: 100, framework: "LangChain" },
  { name: "ångstrom cafe II", score: 40, points: 500 },
  { name: "100%_sure\\", score: 10 },
  { name: "100 percent", score: 10 },
  { name: "x", score: 5 },
  { name: "zzzz", score: 5 },
  { name: "  ß  ", score: 5 },
  { name: "Straße", score: 76, soulbound: true },
  { name: "ΣΊΣΥΦΟΣ", score: 50, verified: true },
  { name: "Łódź Øre", score: 51 },
  { name: "机器人", score: 26 },
  { name: "🤖🤖🤖", score: 25 },
  { name: "no score yet", points: 1000 },
  {
    name: "Full",
    score: 91,
    framework: "A framework of the chain's own",
    traits: [
      ["brave", "mood"],
      ["linked-token", "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
      ["linked-token-symbol", "USDC"],
    ],
    personality: {
      quirks: "hums",
      communicationStyle: "",
      values: "",
      humor: "dry",
      riskTolerance: 0,
      autonomyLevel: 10,
    },
    personalityAt: 1_790_000_300,
    narrative: { origin: "a lab", mission: "", lore: "", manifesto: "" },
    narrativeAt: 1_790_000_300,
    owner: "0x00000000000000000000000000000000000000aa",
  },
];
const IDS = { full: 14, zero: 0, noScore: 13 };

const api = apiForFile();
beforeAll(async () => {
  await plantAgents(api.pool, WORLD);
  // A second token of token 1's wallet: an address means the lowest.
  await plantAgents(api.pool, [{ tokenId: 40, name: "Second", agentAddress: walletOf(1) }]);
  await plantRows(api.pool, "handshake", [
    { id: "1", fromTokenId: 0, toTokenId: 1, completedAt: 1, block: 1, txHash: "0x00" },
  ]);
});

type Row = { tokenId: number; name: string; credScore: number; points: number; framework: string };
type Page = Paged<"agents", Row> & { nextCursor: string | null };
const list = async (query = "") => await api.read<Page>(`/api/v2/agents${query && `?${query}`}`);
const names = async (query: string) => (await list(query)).agents.map(({ name }) => name);
const ids = async (query: string) => (await list(query)).agents.map(({ tokenId }) => tokenId);
const enc = encodeURIComponent;

describe("the list", () => {
  it("shows everybody but spam, by token id", async () => {
    const page = await list();
    const shown = WORLD.filter(({ name }) => !isSpam(name!)).map(({ name }) => name);
    expect(page.agents.map(({ name }) => name)).toEqual([...shown, "Second"]);
    expect(page).toMatchObject({ total: shown.length + 1, page: 1, pages: 1, limit: 100, offset: 0, nextCursor: null });
  });

  it("shows spam when asked", async () => {
    expect((await list("spam=true")).total).toBe(WORLD.length + 1);
    expect((await list("spam=false")).total).toBe((await list()).total);
  });

  it.each([
    ["angstrom", ["Ångström Café", "ångstrom cafe II"]],
    ["CAFÉ", ["Ångström Café", "ångstrom cafe II"]],
    ["Cafe\u0301", ["Ångström Café", "ångstrom cafe II"]],
    ["%", ["100%_sure\\"]],
    ["_", ["100%_sure\\"]],
    ["\\", ["100%_sure\\"]],
    ["100", ["100%_sure\\", "100 percent"]],
    ["STRASSE", ["Straße"]],
    ["straße", ["Straße"]],
    ["σισ", ["ΣΊΣΥΦΟΣ"]],
    ["ΦΟΣ", ["ΣΊΣΥΦΟΣ"]],
    ["lodz ore", ["Łódź Øre"]],
    ["机器", ["机器人"]],
    [" Full ", ["Full"]],
    ["' or 1=1 --", []],
    [".*", []],
    ["(", []],
    ["   ", null],
  ])("search=%s finds names literally, in any case and with any accents", async (search, found) => {
    expect(await names(`search=${enc(search)}`)).toEqual(found ?? (await names("")));
  });

  it("search finds a token by number and a wallet by the beginning of its address, beside names", async () => {
    expect(await ids("search=14")).toEqual([14]);
    expect(await ids("search=0")).toContain(0);
    expect(await ids(`search=${walletOf(1)}`)).toEqual([1, 40]);
    expect(await ids(`search=${walletOf(1).toUpperCase().replace("0X", "0x").slice(0, 20)}`)).toEqual([1, 40]);
    expect(await ids("search=99999999999999999999999")).toEqual([]);
    expect(await ids("search=0xnothex")).toEqual([]);
  });

  it("filters by framework in any case and by alias, and by verification, before it counts", async () => {
    expect(await names("framework=ELIZAOS")).toEqual(["Zero"]);
    expect(await names("framework=langchain")).toEqual(["Ångström Café"]);
    expect(await names(`framework=${enc("a framework of the chain's own")}`)).toEqual(["Full"]);
    expect((await list("verified=true")).total).toBe(2);
    expect((await list("verified=false")).total).toBe((await list()).total - 2);
    expect(await list("verified=true&search=zero&limit=1&offset=5")).toMatchObject({
      total: 1,
      agents: [],
      offset: 5,
      nextCursor: null,
    });
  });

  it.each(["tokenId", "credScore", "points", "name", "mintedAt", "framework"])(
    "sorts by %s both ways",
    async (sort) => {
      const value = (row: Row) => {
        const v = sort === "mintedAt" ? row.tokenId : (row as unknown as Record<string, string | number>)[sort]!;
        return typeof v === "string" ? v.toLowerCase() : v;
      };
      for (const [order, sign] of [
        ["asc", 1],
        ["desc", -1],
      ] as const) {
        const { agents } = await list(`sort=${sort}&order=${order}&spam=true`);
        // The agent whose score is not stored yet is shown with the computed one; where it stands follows the store.
        const comparable =
          sort === "credScore" ? agents.filter(({ tokenId }) => tokenId !== IDS.noScore && tokenId !== 40) : agents;
        for (const [i, row] of comparable.entries()) {
          const before = comparable[i - 1];
          if (!before) continue;
          const [a, b] = [value(before), value(row)];
          if (a === b) expect(before.tokenId).toBeLessThan(row.tokenId);
          else expect(a < b ? -sign : sign).toBe(-1);
        }
      }
    },
  );

  it("pages by page, by offset (which wins), and clamps the limit with an echo", async () => {
    const all = await ids("spam=true");
    expect(await ids("spam=true&limit=3&page=2")).toEqual(all.slice(3, 6));
    expect(await ids("spam=true&limit=3&offset=4&page=2")).toEqual(all.slice(4, 7));
    expect(await list("spam=true&limit=5&page=4")).toMatchObject({
      page: 4,
      pages: 4,
      limit: 5,
      offset: 15,
      total: 16,
    });
    expect((await list("limit=1001")).limit).toBe(1000);
    expect((await list("limit=1000000000")).limit).toBe(1000);
    expect(await list("page=9007199254740991&limit=1000")).toMatchObject({ agents: [], total: 12 });
  });

  it.each([
    ...words("limit=0 limit=-1 limit=NaN limit=1.5 limit=1e3 page=0 page=-1 page=9007199254740992 offset=-1"),
    ...words("offset=x sort=score order=up verified=yes format=csv owner=0x12 cursor=abc search=%00"),
    `search=${"x".repeat(101)}`,
    "search=%ed%a0%80",
    "sort=name&sort=name",
  ])("%s is 400", async (query) => {
    expect(await api.get(`/api/v2/agents?${query}`)).toMatchObject(
      refusal(400, "invalid_input", { details: [{ path: query.split("=")[0] }] }),
    );
  });

  it.each(["tokenId", "credScore", "points", "name", "mintedAt", "framework"])(
    "a cursor walks everything exactly once, sorted by %s, whatever is registered meanwhile",
    async (sort) => {
      for (const order of ["asc", "desc"]) {
        const whole = await ids(`spam=true&sort=${sort}&order=${order}`);
        let offset = 0;
        const read = (cursor: string) => list(`spam=true&sort=${sort}&order=${order}&limit=3${cursor}`);
        const seen = await walked(read, (page) => {
          expect(page).toMatchObject({ total: whole.length, offset });
          offset += page.agents.length;
          return page.agents;
        });
        expect(seen.map(({ tokenId }) => tokenId)).toEqual(whole);
      }
    },
  );

  it("refuses a cursor of another list, and anything that only looks like one", async () => {
    const { nextCursor } = await list("limit=2&sort=name");
    expect((await api.get(`/api/v2/agents?sort=points&cursor=${nextCursor}`)).status).toBe(400);
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
    for (const cursor of [
      forged("points", "asc", "1; drop table", 1),
      forged("points", "asc", "9".repeat(100), 1),
      forged("name", "asc", "\0", 1),
      forged("name", "asc", "a", -1),
      forged("nothing", "asc", "a", 1),
      forged("tokenId", "asc", "", 1),
    ])
      expect((await api.get(`/api/v2/agents?sort=points&order=asc&cursor=${cursor}`)).status).toBe(400);
  });

  it("format=array is a bare array of full agents, at most 200", async () => {
    const { status, body } = await api.get("/api/v2/agents?format=array&limit=500&sort=points&order=desc");
    expect(status).toBe(200);
    const array = body as unknown as { tokenId: number; traits: unknown[]; explorer: string }[];
    expect(array[0]).toMatchObject({ tokenId: IDS.noScore, traits: [], explorer: expect.stringContaining("?a=13") });
  });

  it("spam in SQL is spam in the domain", async () => {
    const samples = fc
      .sample(
        fc.oneof(
          fc.string({ unit: "grapheme", maxLength: 4 }),
          fc.string({ unit: fc.constantFrom("a", " ", "🤖", "\u00a0", "\n"), maxLength: 6 }),
        ),
        200,
      )
      .filter((name) => !name.includes("\0"));
    const rows = await api.sql("select max(token_id) as id from onchain.agent");
    const base = Number(rows[0].id) + 1000;
    await plantAgents(
      api.pool,
      samples.map((name, i) => ({ tokenId: base + i, name })),
    );
    const shown = new Set(await ids("limit=1000"));
    await api.sql("delete from onchain.agent where token_id >= $1", base);
    for (const [i, name] of samples.entries()) expect([name, shown.has(base + i)]).toEqual([name, !isSpam(name)]);
  });
});

describe("one agent", () => {
  it("by id: on chain and off chain together", async () => {
    const { status, body, headers } = await api.get(`/api/v2/agent/${IDS.full}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tokenId: IDS.full,
      name: "Full",
      framework: "A framework of the chain's own",
      credScore: 91,
      credTier: "PREFERRED",
      tierLabel: "Preferred",
      owner: "0x00000000000000000000000000000000000000AA",
      traits: [{ name: "brave", category: "mood" }],
      linkedToken: { contractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", symbol: "USDC" },
      personality: { quirks: "hums", riskTolerance: 0, autonomyLevel: 10 },
      narrative: { origin: "a lab" },
      ethosScore: null,
      operator: null,
      socials: {},
      explorer: "https://basescan.org/token/0x2e3B541C59D38b84E3Bc54e977200230A204Fe60?a=14",
    });
    expect(headers.get("x-indexed-block")).toBe("1000");
  });

  it("token 0 is a token", async () => {
    expect(await api.get("/api/v2/agent/0")).toMatchObject(
      answering(200, { tokenId: 0, agentName: "Zero_One", agentDomain: "Zero_One.agent" }),
    );
  });

  it("by address in any case; of several tokens of one wallet, the lowest", async () => {
    const wallet = walletOf(1);
    for (const form of [wallet, wallet.toUpperCase().replace("0X", "0x"), `0x${wallet.slice(2).toUpperCase()}`])
      expect(await api.get(`/api/v2/agent/${form}`)).toMatchObject({ status: 200, body: { tokenId: 1 } });
  });

  it.each(["999999", "9007199254740991", "0x0000000000000000000000000000000000000000"])("%s is 404", async (ref) => {
    expect(await api.get(`/api/v2/agent/${ref}`)).toMatchObject(refusal(404, "not_found"));
    expect(await api.get(`/api/v2/agent/${ref}/cred`)).toMatchObject({ status: 404 });
  });

  it.each([
    ...["12abc", "-1", "1e3", "0x10", "1.0", "01", "+1", "%201", "9007199254740992", "0x", "0xzz", "%00", "%ff"],
    ...["null", "undefined", "١", "0X0000000000000000000000000000000000000000"],
    "0x00000000000000000000000000000000000000000",
  ])("%s is 400", async (ref) => {
    for (const path of ["", "/cred"])
      expect(await api.get(`/api/v2/agent/${ref}${path}`)).toMatchObject(
        refusal(400, "invalid_input", { details: [{ path: "ref" }] }),
      );
  });

  it("has an ETag that changes with the agent only", async () => {
    const first = await api.get("/api/v2/agent/8");
    const again = await api.get("/api/v2/agent/8", { headers: { "if-none-match": first.headers.get("etag")! } });
    expect(again.status).toBe(304);
    await api.sql("update onchain.agent set points = points + 5 where token_id = 8");
    expect((await api.get("/api/v2/agent/8")).headers.get("etag")).not.toBe(first.headers.get("etag"));
  });
});

describe("cred", () => {
  it("by token id: score, tier, scale, and where the report is", async () => {
    expect((await api.get("/api/v2/agent/14/cred")).body).toMatchObject({
      tokenId: 14,
      name: "Full",
      credScore: 91,
      tier: "PREFERRED",
      tierLabel: "Preferred",
      scale: { junk: "0-25", marginal: "26-50", qualified: "51-75", prime: "76-90", preferred: "91-100" },
      fullReportEndpoint: "/api/v2/agent/14/cred-report",
    });
  });

  it.each([
    [5, "basic", "JUNK"],
    [11, "verified", "MARGINAL"],
    [10, "trusted", "QUALIFIED"],
    [8, "elite", "PRIME"],
    [14, "legendary", "PREFERRED"],
  ])("by address of token %i: tier %s, credTier %s, factors", async (id, tier, credTier) => {
    const { body } = await api.get(`/api/v2/agent/${walletOf(id)}/cred`);
    expect(body).toMatchObject({
      tokenId: id,
      tier,
      credTier,
      factors: { activity: { weight: 0.2 }, soulbound: { weight: 0.05 } },
    });
  });

  it("before a score is stored it is the formula's, the same everywhere", async () => {
    const at = `/api/v2/agent/${IDS.noScore}`;
    const scores = [
      (await api.get(at)).body.credScore,
      (await api.get(`${at}/cred`)).body.credScore,
      (await api.get(`/api/v2/agent/${walletOf(IDS.noScore)}/cred`)).body.credScore,
      (await list(`search=${enc("no score")}`)).agents[0]?.credScore,
    ];
    expect(new Set(scores).size).toBe(1);
    expect(scores[0]).toBeGreaterThan(0);
  });

  it("history: oldest first, within the days asked for, 404 for nobody", async () => {
    await api.sql(`insert into offchain.cred_history (token_id, score, cause, block, at) values
       (3, 10, 'agent.registered', 900, now() - interval '200 days'), (3, 30, 'profile', 950, now() - interval '10 days'), (3, 55, 'age', 960, now())`);
    const points = async (query = "") =>
      (await api.get(`/api/v2/agent/3/cred/history${query}`)).body.points as unknown as { score: number }[];
    expect(await points()).toMatchObject([
      { score: 30, tier: "MARGINAL", cause: "profile" },
      { score: 55, tier: "QUALIFIED", cause: "age" },
    ]);
    expect((await points("?days=365")).map(({ score }) => score)).toEqual([10, 30, 55]);
    expect((await points("?days=1")).map(({ score }) => score)).toEqual([55]);
    expect((await api.get("/api/v2/agent/4/cred/history")).body).toEqual({ tokenId: 4, points: [] });
    expect((await api.get("/api/v2/agent/999/cred/history")).status).toBe(404);
    expect((await api.get("/api/v2/agent/3/cred/history?days=0")).status).toBe(400);
  });
});

describe("the leaderboard", () => {
  type Board = { sort: string; limit: number; agents: (Row & { rank: number })[] };
  const board = async (query = "") => await api.read<Board>(`/api/v2/leaderboard${query}`);

  it("is by cred, best first; ties share a rank", async () => {
    const { agents, limit, sort } = await board();
    expect({ limit, sort }).toEqual({ limit: 20, sort: "cred" });
    expect(agents.slice(0, 3).map(({ rank, tokenId }) => [rank, tokenId])).toEqual([
      [1, 14],
      [2, 0],
      [3, 8],
    ]);
    const place = (id: number) => agents.findIndex(({ tokenId }) => tokenId === id);
    expect(place(2)).toBe(place(1) + 1);
    expect(agents[place(2)]!.rank).toBe(agents[place(1)]!.rank);
    const first = place(1);
    const ties = agents.filter(({ rank }) => rank === agents[first]!.rank);
    expect(agents[first]!.rank).toBe(first + 1);
    expect(new Set(ties.map(({ credScore }) => credScore)).size).toBe(1);
    expect(agents[first + ties.length]!.rank).toBe(first + ties.length + 1);
  });

  it("is by points when asked, and clamps", async () => {
    expect((await board("?sort=points&limit=2")).agents.map(({ tokenId }) => tokenId)).toEqual([IDS.noScore, 2]);
    expect((await board("?limit=5000")).limit).toBe(100);
    expect((await api.get("/api/v2/leaderboard?sort=name")).status).toBe(400);
    expect((await api.get("/api/v2/leaderboard?limit=0")).status).toBe(400);
  });
});

describe("metadata", () => {
  it("has exactly the five keys, and numbers as numbers", async () => {
    const { body } = await api.get("/api/v2/metadata/14");
    expect(Object.keys(body).sort()).toEqual(["attributes", "description", "external_url", "image", "name"]);
    expect(body.attributes).toContainEqual({
      trait_type: "Cred Score",
      value: 91,
      display_type: "number",
      max_value: 100,
    });
    expect(body.attributes).toContainEqual({ trait_type: "mood", value: "brave" });
    expect(body.image).toMatch(/^https:\/\/agents\.test\/api\/v2\/aura\/14\.png\?v=[0-9a-f]+$/);
  });

  it("is 404 for a token that does not exist, 400 for what is no id", async () => {
    expect((await api.get("/api/v2/metadata/999")).status).toBe(404);
    expect((await api.get(`/api/v2/metadata/${walletOf(1)}`)).status).toBe(400);
    expect((await api.get("/api/v2/metadata/14.json")).status).toBe(400);
  });
});

describe("names", () => {
  it.each([
    ["zero_one", false, 0],
    ["ZERO_ONE", false, 0],
    ["Zero_One.agent", false, 0],
    ["zero_one.AGENT", false, 0],
    ["free-name", true, null],
    ["ab", true, null],
    ["a".repeat(32), true, null],
    ["agent", true, null],
  ])("%s: available %s", async (name, available, tokenId) => {
    const key = name.toLowerCase().replace(/\.agent$/, "");
    expect((await api.get(`/api/v2/name/${name}`)).body).toEqual({
      name: `${key}.agent`,
      available,
      tokenId,
      contract: "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60",
    });
  });

  it.each([
    ...["a", "a".repeat(33), "with%20space", "with.dot", ".agent", "a.agent", "ümlaut", "%00%00", "x.agent.agent"],
    "%ff%ff",
  ])("%s is 400", async (name) => {
    expect(await api.get(`/api/v2/name/${name}`)).toMatchObject(refusal(400, "invalid_input"));
  });
});

describe("the service", () => {
  it("counts itself", async () => {
    expect((await api.get("/api/v2/stats")).body).toMatchObject({
      totalAgents: 16,
      totalVerified: 2,
      totalSoulLocked: 1,
      totalHandshakes: 1,
      avgCredScore: Math.round((WORLD.reduce((sum, { score = 0 }) => sum + score, 0) / 14) * 10) / 10,
      totalHumans: 0,
      totalOrganizations: 0,
      mintPrice: "0.001",
      network: "Base",
      chainId: 8453,
      contract: "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60",
      contractDeployed: true,
      phase: 1,
    });
  });

  it("introduces itself at / and /api/v2 alike", async () => {
    const { body } = await api.get("/api/v2");
    expect(body).toMatchObject({
      name: "Helixa",
      version: "2.0.0",
      contractDeployed: true,
      network: "Base (8453)",
      auth: {
        type: "SIWA",
        agent: {
          message: "Sign-In With Agent: agents.test wants you to sign in with your wallet {address} at {timestamp}",
        },
      },
      pricing: { phase: "free", agentMint: "0.00" },
    });
    const { public: open, authenticated } = body.endpoints as unknown as Record<string, Record<string, string>>;
    expect(open).toHaveProperty(["GET /api/v2/agent/{ref}"]);
    expect(authenticated).toHaveProperty(["POST /api/v2/mint"]);
    expect((await api.get("/")).body).toEqual(body);
  });

  it("lives", async () => {
    expect((await api.get("/health")).body).toEqual({
      status: "ok",
      version: "v2",
      port: 4000,
      contractDeployed: true,
    });
  });

  it("tells how far it is, and turns that into a status for monitors", async () => {
    await api.sql("update offchain.cred set age_input = 0, coinbase_input = 0");
    await api.plant("job_run", { name: "reconcile", last_success_at: "2026-11-21T00:00:00Z", rows: 3 });
    expect((await api.get("/api/v2/status")).body.backfill).toBeNull();
    await api.sql(BACKFILL_PROGRESS_DDL);
    await writeBackfillProgress(api.pool, BACKFILL);
    const { body } = await api.get("/api/v2/status");
    expect(body).toMatchObject({
      chain: { head: 1000, indexed: 1000, lagSeconds: 0, synced: true, difference: null, progress: 1 },
      sources: [{ key: "reconcile", rows: 3, error: null }],
      queues: [],
      cred: { stale: 2, lastSweepAt: "2026-11-21T00:00:00.000Z" },
    });
    expect(body.backfill).toEqual({ ...BACKFILL, state: "stalled", updatedAt: expect.any(String) });
    await api.sql("update onchain.backfill_progress set recorded_at = now() - interval '2 minutes'");
    expect((await api.get("/api/v2/status")).body.backfill).toMatchObject({ state: "stopped" });
    expect((await api.get("/api/v2/status?maxLagSeconds=0")).status).toBe(200);
    api.deps.chain.headBlock = async () => 5000;
    await api.sql(
      "update onchain._ponder_checkpoint set latest_checkpoint = '1000000000' || substr(latest_checkpoint, 11)",
    );
    await api.deps.index.refresh();
    // The head is asked for twice a second at most, whoever wants to know it.
    await until("it is late", async () => (await api.get("/api/v2/status?maxLagSeconds=60")).status === 503);
    expect((await api.get("/api/v2/status?maxLagSeconds=x")).status).toBe(400);
  });
});
