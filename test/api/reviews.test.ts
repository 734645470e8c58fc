/** Reviews of an agent by weight: who counts and why, one line for each client whatever it wrote, every entry within reach. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { plantRows } from "../../harness/onchain.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { startApi, type TestApi } from "./support/api.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const HASH = `0x${"ab".repeat(32)}` as const;
const wallet = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`;
const OWNER = wallet("a0");
const KNOWN = wallet("b1");
const BEST = wallet("b2");
const FLOOD = wallet("c3");
const GONE = wallet("c4");
const MUTE = wallet("b5");
const AGENT = "/api/terminal/agent/31";
const PLATFORM = "platform=erc8004";

type Reviewer = {
  client: string;
  standing: string;
  rating: number | null;
  entries: number;
  agent: { name: string } | null;
};
type Page = {
  total: number;
  counting: { clients: number; rating: number | null };
  reviewers: Reviewer[];
  next_after: string | null;
};

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: () => NOW });
  const { pool } = api.database;
  await plantAgents(pool, [
    { tokenId: 1, name: "Rater", owner: KNOWN, score: 40 },
    { tokenId: 2, name: "Lesser", owner: BEST, score: 10 },
    { tokenId: 3, name: "Better", agentAddress: BEST, score: 80 },
    { tokenId: 4, name: "Nobody yet", owner: FLOOD, score: 0 },
    { tokenId: 5, name: "Of the owner", owner: OWNER, score: 90 },
    { tokenId: 6, name: "Mute", owner: MUTE, score: 50 },
  ]);
  await plantDirectory(pool, [
    { platform: "erc8004", agent_id: "31", token_id: 31, name: "Rated", cred_score: 20, owner_address: OWNER },
    { platform: "virtuals", agent_id: "32", name: "Of another registry", cred_score: 20 },
  ]);
  await pool.query("update offchain.directory set registry = $1 where platform = 'erc8004'", [REGISTRY]);
  const about = { registry: REGISTRY as `0x${string}`, agentId: 31n };
  await plantRows(pool, "erc8004Agent", [
    {
      ...{ ...about, owner: OWNER, agentWallet: null, agentUri: "", registeredAt: NOW / 1000, registeredBlock: 1 },
      ...{ txHash: HASH, feedbackCount: 507, updatedBlock: 1 },
    },
  ]);
  const said = (client: `0x${string}`, index: number, value: number, over: object = {}) => ({
    ...about,
    ...{ client, feedbackIndex: BigInt(index), value: BigInt(value), valueDecimals: 0, tag1: "starred", tag2: "" },
    ...{ endpoint: "", feedbackUri: "", feedbackHash: HASH, revoked: false },
    ...{ givenAt: NOW / 1000 - 1_000 + index, block: 13, txHash: HASH, ...over },
  });
  await plantRows(pool, "erc8004Feedback", [
    ...Array.from({ length: 500 }, (_, i) => said(FLOOD, i + 1, 100)),
    said(KNOWN, 1, 100, { revoked: true }),
    said(KNOWN, 2, 5),
    said(BEST, 1, 20),
    said(OWNER, 1, 100),
    said(GONE, 1, 100, { revoked: true }),
    said(MUTE, 1, 250, { tag1: "responseTime" }),
    ...Array.from({ length: 16 }, (_, i) => said(wallet(`d${i.toString(16)}`), 1, 70)),
  ]);
});
afterEach(() => expect(api?.errors).toEqual([]));
afterAll(() => api?.close());

const pageOf = async (search: string): Promise<Page> => {
  const { status, body } = await api.get(`${AGENT}/reviews?${PLATFORM}&${search}`);
  expect(status).toBe(200);
  return body as unknown as Page;
};

describe("the reviewers of an agent", () => {
  it("stand by what they count, each with the reason, whatever others have flooded", async () => {
    const { total, counting, reviewers } = await pageOf("limit=100");
    expect(total).toBe(507);
    // (80 * 20 + 40 * 5) / 120
    expect(counting).toEqual({ clients: 2, rating: 15 });
    const told = reviewers.map(({ client, standing, rating, entries, agent }) => {
      return { client: client.toLowerCase(), standing, rating, entries, agent: agent?.name ?? null };
    });
    expect(told.slice(0, 2)).toEqual([
      { client: BEST, standing: "counts", rating: 20, entries: 1, agent: "Better" },
      { client: KNOWN, standing: "counts", rating: 5, entries: 2, agent: "Rater" },
    ]);
    const of = (client: string) => told.find((one) => one.client === client);
    expect(of(OWNER)).toMatchObject({ standing: "own", agent: "Of the owner" });
    expect(of(FLOOD)).toEqual({ client: FLOOD, standing: "unknown", rating: 100, entries: 500, agent: "Nobody yet" });
    expect(of(GONE)).toMatchObject({ standing: "taken_back", rating: null });
    expect(of(MUTE)).toMatchObject({ standing: "no_scale", rating: null, agent: "Mute" });
    expect(told.slice(2).map(({ client }) => client)).toEqual(
      told
        .slice(2)
        .map(({ client }) => client)
        .toSorted(),
    );
  });

  it.each([1, 2, 3, 7])("are each reached once, in pages of %i", async (limit) => {
    const whole = (await pageOf("limit=100")).reviewers.map(({ client }) => client);
    const seen: string[] = [];
    let after: string | null = "0";
    while (after !== null) {
      const page: Page = await pageOf(`limit=${limit}&after=${after}`);
      expect(page.reviewers.length).toBeLessThanOrEqual(limit);
      seen.push(...page.reviewers.map(({ client }) => client));
      after = page.next_after;
    }
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(whole.length);
  });

  it("are none of an agent of another registry, and a cursor that is none is refused", async () => {
    expect(await api.get("/api/terminal/agent/32/reviews?platform=virtuals")).toMatchObject({
      status: 200,
      body: { total: 0, counting: { clients: 0, rating: null }, reviewers: [], next_after: null },
    });
    expect((await api.get("/api/terminal/agent/33/reviews?platform=virtuals")).status).toBe(404);
    for (const after of ["-1", "0x12", "1e9", "9999"])
      expect((await api.get(`${AGENT}/reviews?${PLATFORM}&after=${after}`)).status).toBe(400);
    expect((await pageOf("after=999")).reviewers.every(({ standing }) => standing !== "counts")).toBe(true);
  });
});

describe("the entries of a client", () => {
  it("are all within reach, the newest first", async () => {
    const indices: string[] = [];
    let before: string | null = "";
    while (before !== null) {
      const path: string = `${AGENT}/reviews/${FLOOD.toUpperCase().replace("0X", "0x")}?${PLATFORM}&limit=200${before && `&before=${before}`}`;
      const { body } = await api.get(path);
      const page = body as unknown as { reviews: { index: string; value: string }[]; next_before: string | null };
      indices.push(...page.reviews.map(({ index }) => index));
      before = page.next_before;
    }
    expect(indices).toEqual(Array.from({ length: 500 }, (_, i) => String(500 - i)));
  });

  it("say what was taken back, and of a client that wrote nothing there are none", async () => {
    expect((await api.get(`${AGENT}/reviews/${KNOWN}?${PLATFORM}`)).body).toMatchObject({
      reviews: [
        { index: "2", value: "5", tags: ["starred"], revoked: false },
        { index: "1", revoked: true },
      ],
      next_before: null,
    });
    expect((await api.get(`${AGENT}/reviews/${wallet("ee")}?${PLATFORM}`)).body).toMatchObject({ reviews: [] });
    expect((await api.get(`${AGENT}/reviews/nobody?${PLATFORM}`)).status).toBe(400);
  });
});
