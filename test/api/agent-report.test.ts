/** The report of an agent, and the records of its proofs. */
import { getAddress, toFunctionSelector } from "viem";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { plantRows } from "../../harness/onchain.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { encodeAggregate } from "./support/aggregate.ts";
import { apiForFile, refusal } from "./support/api.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const IDENTITY = "0x2e3b541c59d38b84e3bc54e977200230a204fe60";
const SENDER = "0x339559a2d1cd15059365fc7bd36b3047bba480e0";
const hash = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;

let away = false;
const api = apiForFile(() => {
  const chain = healthyChain();
  const outage = chain.call;
  const linkedToken = [7_250_000n, 6n];
  const asksDecimals = ({ data }: { data: string }) => data.includes(toFunctionSelector("decimals()").slice(2));
  chain.call = async (call) =>
    away
      ? outage(call)
      : {
          ok: true,
          data: encodeAggregate([10n ** 17n, 5_000_000n, 870_000n, ...(asksDecimals(call) ? linkedToken : [])]),
        };
  return { chain, now: () => NOW };
});
beforeAll(async () => {
  await plantAgents(api.pool, [
    { name: "Zero", score: 90, points: 300, verified: true },
    { name: "One", score: 40 },
    { name: "Two", score: 40 },
    { name: "Three", score: 10 },
    { name: "Unscored" },
    {
      name: "Linked",
      score: 20,
      traits: [
        ["linked-token", USDC],
        ["linked-token-symbol", "USDC"],
        ["brave", "mood"],
      ],
    },
    {
      name: "Elsewhere",
      score: 20,
      traits: [
        ["linked-token", "So11111111111111111111111111111111111111112"],
        ["linked-token-chain", "solana"],
        ["linked-token-symbol", "SOL"],
      ],
    },
    { tokenId: 40, name: "Second", agentAddress: walletOf(1), score: 5 },
  ]);
  await api.sql(
    `insert into offchain.proof (token_id, platform, account_id, handle, username, evidence, status, verified_at, checked_at, tx_hash)
     values (0, 'x', '99', 'zero', null, '{"url": "https://x.com/zero", "quote": "beware\u202e of helixa:0"}', 'verified', '2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z', $1),
            (0, 'github', '7', 'zero-gh', 'zero-gh', '{"url": "javascript:alert(1)", "quote": 7}', 'stale', '2026-11-02T00:00:00Z', '2026-11-10T00:00:00Z', null),
            (0, 'farcaster', '314', 'zero.eth', 'zero.eth', '{}', 'lapsed', '2026-11-03T00:00:00Z', '2026-11-19T00:00:00Z', null)`,
    hash(1),
  );
  await api.sql("insert into offchain.ethos_score (wallet, score, fetched_at) values ($1, 1234, now())", walletOf(0));
  const transaction = (n: number, over: object = {}) => ({
    tokenId: 0,
    block: 900 + Math.floor(n / 2),
    transactionIndex: n % 2,
    hash: hash(n),
    from: SENDER,
    to: IDENTITY,
    valueWei: 0n,
    selector: toFunctionSelector("addTrait(uint256,string,string)"),
    minedAt: 1_790_000_000 + n,
    ...over,
  });
  await plantRows(api.pool, "agentTransaction", [
    ...Array.from({ length: 12 }, (_, n) => transaction(n)),
    transaction(12, { valueWei: 2_500_000_000_000_000n, selector: "0xdeadbeef" }),
    transaction(13, { selector: null, to: null }),
    transaction(1, { tokenId: 1, hash: hash(100) }),
  ]);
});
afterEach(() => {
  away = false;
});

const report = async (ref: string | number) => await api.read<Report>(`/api/v2/agent/${ref}/report`);
type Report = {
  tokenId: number;
  rank: number;
  balances: Record<string, unknown>;
  credScore: object;
  recentTransactions: { hash: string; method: string | null; value: string }[];
};

describe("the report", () => {
  it("has every field, of token 0 too", async () => {
    expect(await report(0)).toEqual({
      reviews: null,
      payments: null,
      jobs: null,
      tokenId: 0,
      name: "Zero",
      walletAddress: getAddress(walletOf(0)),
      walletConfirmed: true,
      owner: getAddress(walletOf(0)),
      balances: { eth: "0.1", usdc: "5", linkedToken: null },
      recentTransactions: expect.any(Array),
      reservations: [],
      verifications: {
        siwa: true,
        x: { verified: true, handle: "zero", username: "zero" },
        github: { verified: true, handle: "zero-gh", username: "zero-gh" },
        farcaster: { verified: false },
        coinbase: false,
      },
      credScore: {
        ...{ total: 90, tier: "PRIME", verified: true, hasPersonality: false, hasNarrative: false },
        ...{ traitCount: 0, points: 300, soulbound: false },
      },
      points: 300,
      rank: 1,
      totalAgents: 8,
      ethosScore: 1234,
      neynarScore: 0.87,
      explorer: `https://basescan.org/token/${getAddress(IDENTITY)}?a=0`,
    });
  });

  it("shows the ten newest transactions, newest first, with what was called", async () => {
    const { recentTransactions } = await report(0);
    expect(recentTransactions.map((tx) => tx.hash)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4].map(hash));
    expect(recentTransactions.slice(0, 3)).toEqual([
      {
        hash: hash(13),
        from: getAddress(SENDER),
        to: null,
        value: "0",
        timestamp: new Date((1_790_000_000 + 13) * 1000).toISOString(),
        method: null,
        isError: false,
      },
      expect.objectContaining({ method: "0xdeadbeef", value: "0.0025", to: getAddress(IDENTITY) }),
      expect.objectContaining({ method: "addTrait", value: "0" }),
    ]);
    expect((await report(1)).recentTransactions.map((tx) => tx.hash)).toEqual([hash(100)]);
    expect((await report(2)).recentTransactions).toEqual([]);
  });

  it("ranks by the score shown, stored or not yet; ties share a rank, and the leaderboard agrees", async () => {
    const ranks = await Promise.all([0, 1, 2, 3, 5, 6, 40].map(async (id) => (await report(id)).rank));
    expect(ranks).toEqual([1, 2, 2, 7, 5, 5, 8]);
    const { agents } = await api.read<{ agents: Report[] }>("/api/v2/leaderboard");
    expect(agents).toHaveLength(8);
    // Agent 4, which has no stored score, shares the second rank; asking for its report here would have its balances remembered below.
    expect(agents.find(({ tokenId }) => tokenId === 4)).toMatchObject({ rank: 2 });
    for (const { tokenId, rank } of agents.filter((a) => a.tokenId !== 4))
      expect([tokenId, (await report(tokenId)).rank]).toEqual([tokenId, rank]);
  });

  it("understands the wallet's address in any case; of several tokens it means the lowest", async () => {
    const { body: byId } = await api.get("/api/v2/agent/1/report");
    for (const address of [walletOf(1), getAddress(walletOf(1)), `0x${walletOf(1).slice(2).toUpperCase()}`])
      expect((await api.get(`/api/v2/agent/${address}/report`)).body).toEqual(byId);
  });

  it("has no balance where the chain could not be asked, and is an answer all the same", async () => {
    away = true;
    expect((await report(4)).balances).toEqual({ eth: null, usdc: null, linkedToken: null });
  });

  it("names the linked token, with a balance when it is on this chain", async () => {
    expect((await report(5)).balances.linkedToken).toEqual({
      contractAddress: getAddress(USDC),
      address: getAddress(USDC),
      chain: "base",
      name: "USDC",
      symbol: "USDC",
      balance: "7.25",
      formatted: "7.25",
      decimals: 6,
    });
    expect((await report(6)).balances.linkedToken).toEqual({
      contractAddress: "So11111111111111111111111111111111111111112",
      address: "So11111111111111111111111111111111111111112",
      chain: "solana",
      name: "SOL",
      symbol: "SOL",
      balance: null,
      formatted: null,
      decimals: null,
    });
  });
});

describe("the report's score", () => {
  it("says what the agent has beside the number", async () => {
    await api.sql(`insert into offchain.profile_field (token_id, field, value) values
         (5, 'personality.riskTolerance', '0'), (5, 'narrative.lore', '"long"'), (6, 'narrative.lore', '" "')`);
    await api.sql("update onchain.agent set soulbound = true where token_id = 5");
    const has = { hasPersonality: true, hasNarrative: true, traitCount: 1, soulbound: true, verified: false };
    expect((await report(5)).credScore).toEqual({ total: 20, tier: "JUNK", points: 100, ...has });
    expect((await report(6)).credScore).toMatchObject({ hasPersonality: false, hasNarrative: false, traitCount: 0 });
  });
});

describe("verifications", () => {
  it("show each record as it was last seen, or null", async () => {
    const { body } = await api.get("/api/v2/agent/0/verifications");
    expect(body).toEqual({
      tokenId: 0,
      expected: "helixa:0",
      reservations: [],
      x: {
        handle: "zero",
        username: "zero",
        verifiedAt: "2026-11-01T00:00:00.000Z",
        txHash: hash(1),
        checkedAt: "2026-11-20T00:00:00.000Z",
        nextCheckAt: "2026-12-20T00:00:00.000Z",
        url: "https://x.com/zero",
        quote: "beware of helixa:0",
        status: "verified",
        earlierOwner: false,
      },
      github: {
        handle: "zero-gh",
        username: "zero-gh",
        verifiedAt: "2026-11-02T00:00:00.000Z",
        txHash: null,
        checkedAt: "2026-11-10T00:00:00.000Z",
        nextCheckAt: "2026-11-11T00:00:00.000Z",
        url: null,
        quote: null,
        status: "stale",
        earlierOwner: false,
      },
      farcaster: {
        handle: "zero.eth",
        username: "zero.eth",
        fid: 314,
        verifiedAt: "2026-11-03T00:00:00.000Z",
        txHash: null,
        checkedAt: "2026-11-19T00:00:00.000Z",
        nextCheckAt: null,
        url: null,
        quote: null,
        status: "lapsed",
        earlierOwner: false,
      },
    });
    expect((await api.get("/api/v2/agent/1/verifications")).body).toEqual({
      tokenId: 1,
      expected: "helixa:1",
      reservations: [],
      x: null,
      github: null,
      farcaster: null,
    });
    const { body: byAddress } = await api.get(`/api/v2/agent/${getAddress(walletOf(0))}/verifications`);
    expect(byAddress).toEqual(body);
  });
});

describe.each(["report", "verifications"])("/agent/{ref}/%s", (name) => {
  it("is 404 for unknown agents and 400 for what is no agent", async () => {
    for (const ref of ["999", "9007199254740991", "0x00000000000000000000000000000000000000ff"])
      expect(await api.get(`/api/v2/agent/${ref}/${name}`)).toMatchObject(refusal(404, "not_found"));
    for (const ref of ["12abc", "-1", "1e3", "0x10", "9007199254740992", "%00", "01"])
      expect(await api.get(`/api/v2/agent/${ref}/${name}`)).toMatchObject(refusal(400, "invalid_input"));
  });

  it("answers HEAD without a body, 304 to who has it, and 405 to other verbs", async () => {
    const path = `/api/v2/agent/0/${name}`;
    const { headers } = await api.get(path);
    const etag = headers.get("etag")!;
    expect(etag).toMatch(/^(W\/)?"[\w-]+"$/);
    expect(headers.get("x-indexed-block")).toBe("1000");
    const head = await api.send("HEAD", path);
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers.get("etag")).toBe(etag);
    expect(await api.get(path, { headers: { "if-none-match": etag } })).toMatchObject({ status: 304, text: "" });
    expect((await api.send("POST", path)).status).toBe(405);
  });
});
