/** The service about itself: prices, its token, its manifest; and the feed of score changes. */
import { getAddress } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { countHolders } from "../../db/agents/token-stats.ts";
import { plantRows } from "../../harness/onchain.ts";
import { IDENTITY, stubChain } from "../../harness/stub-chain.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile, apiForTest, refusal } from "./support/api.ts";

const api = apiForFile({
  env: { WEB_URL: "https://web.test", PRICING_PHASE: "paid", SOCIAL_ACCOUNTS: "x=https://x.com/a, github=https://g" },
});
beforeAll(() => plantAgents(api.pool, [{ score: 90 }]));

const PRICES = {
  phase: "paid",
  currency: "USDC",
  agentMint: "1.00",
  solanaRegistration: "1.00",
  credReport: "0.01",
  update: "0.00",
  soulLock: "0.00",
  soulHandshake: "0.00",
};

describe("/api/v2/pricing", () => {
  it("tells every price, and what the contract asks", async () => {
    expect((await api.get("/api/v2/pricing")).body).toEqual({
      ...PRICES,
      directMint: {
        contract: getAddress(IDENTITY),
        function: expect.stringMatching(/^mint\(address /),
        chainId: 8453,
        currency: "ETH",
        price: "0.001",
      },
    });
  });

  it("is all zeros in the free phase, and null where the contract could not be asked", async () => {
    const free = await apiForTest({ chain: stubChain() });
    const { body } = await free.get("/api/v2/pricing");
    expect(body).toMatchObject({ phase: "free", agentMint: "0.00", credReport: "0.00", directMint: { price: null } });
  });
});

describe("/api/v2/token/stats", () => {
  it("is zeros before the first count, then the count and its time", async () => {
    expect((await api.get("/api/v2/token/stats")).body).toEqual({ holders: 0, updatedAt: 0 });
    await plantRows(api.pool, "serviceTokenBalance", [
      { holder: "0x01", balanceUnits: 5n, updatedBlock: 1 },
      { holder: "0x02", balanceUnits: 0n, updatedBlock: 1 },
    ]);
    await countHolders(api.pool, { now: new Date(1_790_000_000_123), maxAgeMs: 1 });
    expect((await api.get("/api/v2/token/stats")).body).toEqual({ holders: 1, updatedAt: 1_790_000_000_123 });
  });
});

describe("/.well-known/agent-registry", () => {
  it("tells machines what is here and where", async () => {
    const { body } = await api.get("/.well-known/agent-registry");
    const { auth } = await api.read<{ auth: object }>("/api/v2");
    expect(body).toEqual({
      name: "Helixa",
      description: expect.stringContaining("reputation"),
      version: "2.0.0",
      chain: "base",
      chainId: 8453,
      contract: getAddress(IDENTITY),
      standards: ["ERC-721", "ERC-8004", "SIWA", "x402", "MPP"],
      capabilities: expect.arrayContaining(["agent-registration", "cred-score", "card-images", "referrals"]),
      endpoints: {
        api: "https://agents.test/api/v2",
        mcp: "https://agents.test/mcp",
        a2a: "https://agents.test/a2a",
        agentCard: "https://agents.test/.well-known/agent-card.json",
        x402: "https://agents.test/.well-known/x402.json",
        agents: "https://agents.test/api/v2/agents",
        mint: "https://agents.test/api/v2/mint",
        metadata: "https://agents.test/api/v2/metadata/{id}",
        openapi: "https://agents.test/api/v2/openapi.json",
        website: "https://web.test",
        docs: "https://agents.test/docs",
      },
      pricing: PRICES,
      auth,
      social: { x: "https://x.com/a", github: "https://g" },
    });
  });

  it("boasts of nothing that is not there", async () => {
    const paths = Object.keys(api.document.paths);
    const { capabilities } = await api.read<{ capabilities: string[] }>("/.well-known/agent-registry");
    expect(capabilities.includes("messaging")).toBe(paths.includes("/api/v2/messages/groups"));
    expect(capabilities.includes("cred-report")).toBe(paths.includes("/api/v2/agent/{ref}/cred-report"));
  });
});

describe("/api/v2/cred/updates", () => {
  type Feed = { updates: { id: number; tokenId: number }[]; nextAfter: number; more: boolean; limit: number };
  const feed = async (query = "") => await api.read<Feed>(`/api/v2/cred/updates?${query}`);
  const change = (tokenId: number, score: number) =>
    api.plant("cred_history", { token_id: tokenId, score, cause: "agent.verified", at: "2026-11-21T12:00:00Z" });

  it("is read from the beginning, by its cursor, to the end", async () => {
    expect(await feed()).toEqual({ updates: [], after: 0, limit: 100, nextAfter: 0, more: false });
    for (const [tokenId, score] of [
      [0, 10],
      [1, 95],
      [0, 26],
    ] as const)
      await change(tokenId, score);
    const first = await feed("limit=2");
    expect(first).toMatchObject({ limit: 2, more: true, nextAfter: first.updates[1]!.id });
    expect(first.updates).toEqual([
      {
        ...{ id: expect.any(Number), tokenId: 0, score: 10, tier: "JUNK", cause: "agent.verified" },
        at: "2026-11-21T12:00:00.000Z",
      },
      expect.objectContaining({ tokenId: 1, score: 95, tier: "PREFERRED" }),
    ]);
    const rest = await feed(`after=${first.nextAfter}&limit=2`);
    expect(rest.updates).toEqual([expect.objectContaining({ tokenId: 0, score: 26, tier: "MARGINAL" })]);
    expect(rest.more).toBe(false);
    expect(await feed(`after=${rest.nextAfter}`)).toMatchObject({
      updates: [],
      nextAfter: rest.nextAfter,
      more: false,
    });
  });

  it("shows a score that a reorganisation took back as it is now, or that the agent is gone", async () => {
    await change(0, 90);
    await change(8, 44);
    const { nextAfter } = await feed("limit=1000");
    await api.sql("delete from offchain.cred_history where token_id in (0, 8)");
    const { updates } = await feed(`after=${nextAfter}`);
    expect(updates.toSorted((a, b) => a.tokenId - b.tokenId)).toEqual([
      expect.objectContaining({ tokenId: 0, score: 90, tier: "PRIME", cause: "reorganisation" }),
      expect.objectContaining({ tokenId: 8, score: null, tier: null, cause: "reorganisation" }),
    ]);
  });

  it("clamps its limit and refuses what is no cursor", async () => {
    expect((await feed("limit=99999")).limit).toBe(1000);
    expect((await feed("after=9007199254740991")).updates).toEqual([]);
    for (const query of ["after=-1", "after=x", "after=1.5", "limit=0"])
      expect(await api.get(`/api/v2/cred/updates?${query}`)).toMatchObject(refusal(400, "invalid_input"));
  });
});

it.each(["/api/v2/pricing", "/api/v2/token/stats", "/.well-known/agent-registry", "/api/v2/cred/updates"])(
  "%s answers HEAD without a body, 304 to who has it, and 405 to other verbs",
  async (path) => {
    const etag = (await api.get(path)).headers.get("etag")!;
    expect(await api.send("HEAD", path)).toMatchObject({ status: 200, text: "" });
    expect((await api.get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await api.send("DELETE", path)).status).toBe(405);
  },
);
