/** The score of the past: at a time, at a block, after a reorganisation, and what cannot be answered. */
import { beforeAll, describe, expect, it } from "vitest";
import { networksOf } from "../../api/http/client-network.ts";
import { blockTimes } from "../../api/services/contract-facts.ts";
import type { Who } from "../../core/callers/shares.ts";
import { retractCred } from "../../db/cred/cred.ts";
import { beginMonth, removeMonths } from "../../db/cred/cred-history-months.ts";
import { healthyChain } from "../../harness/stub-chain.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { allowances } from "./support/allowances.ts";
import { apiForFile } from "./support/api.ts";

/** Block n has the time T0 + 2n seconds. */
const T0 = Date.parse("2026-05-01T00:00:00Z");
const timeOf = (block: number) => T0 + block * 2_000;
const iso = (at: number) => new Date(at).toISOString();
const HEAD = 1_200;

/** Seconds after its block at which a point was computed; points of other causes state their time by a block as well. */
const POINTS = [
  { score: 10, cause: "agent.registered", block: 100, at: timeOf(100) + 3_000 },
  { score: 30, cause: "agent.trait_added", block: 200, at: timeOf(200) + 3_000 },
  { score: 31, cause: "age", block: 200, at: timeOf(500) },
  { score: 46, cause: "x-verified", block: 200, at: timeOf(600) },
  { score: 40, cause: "agent.transferred", block: 700, at: timeOf(700) + 3_000 },
];

const api = apiForFile(
  () => {
    const chain = {
      ...healthyChain(),
      headBlock: async () => HEAD,
      block: async (number: number | "latest") => ({
        number: Number(number),
        hash: "0x" as const,
        parentHash: "0x" as const,
        timestamp: timeOf(Number(number)) / 1000,
        baseFeePerGasWei: 1n,
      }),
    };
    return { chain, env: { LIMITS: "chain-reads=20000" } };
  },
  { provoked: true },
);
beforeAll(async () => {
  await plantAgents(api.pool, [{ name: "Zero", score: 40, updatedBlock: 700 }, { name: "Unscored" }]);
  await plant(0);
});

const plant = (tokenId: number) =>
  api.plant("cred_history", ...POINTS.map((point) => ({ ...point, at: iso(point.at), token_id: tokenId })));
const asked = (at: string | number, ref: string | number = 0) =>
  api.get(`/api/v2/agent/${ref}/cred?at=${encodeURIComponent(at)}`);

describe("at a time", () => {
  it("the last point computed until then holds, with its cause, what it changed, and how long it held", async () => {
    expect((await asked(iso(timeOf(550)))).body).toEqual({
      tokenId: 0,
      name: "Zero",
      credScore: 31,
      tier: "MARGINAL",
      tierLabel: "Marginal",
      asked: { at: iso(timeOf(550)), block: null },
      computedAt: iso(timeOf(500)),
      block: 200,
      cause: "age",
      why: "the agent became older",
      previousScore: 30,
      until: iso(timeOf(600)),
      onchain: null,
    });
    const scores = [];
    for (const { at } of POINTS) scores.push((await asked(iso(at))).body.credScore);
    expect(scores).toEqual(POINTS.map(({ score }) => score));
    expect((await asked(iso(POINTS[1]!.at - 1))).body).toMatchObject({ credScore: 10, previousScore: null });
    expect((await asked(iso(Date.now()))).body).toMatchObject({ credScore: 40, until: null });
  });

  it("offsets count, an address names the agent as well, and a proof's trait says which account", async () => {
    const at = "2026-05-01T02:20:01+02:00";
    expect((await asked(at, walletOf(0))).body).toMatchObject({
      asked: { at: "2026-05-01T00:20:01.000Z", block: null },
      credScore: 46,
      why: "an account on x was proven",
    });
  });
});

describe("at a block", () => {
  it("a change that the block made counts from it on, other changes from their time on", async () => {
    const held = async (block: number) => (await asked(block)).body.credScore;
    expect(await held(100)).toBe(10);
    expect([await held(199), await held(200)]).toEqual([10, 30]);
    // Both later points saw block 200 too, and were computed long after it.
    expect([await held(499), await held(500), await held(600)]).toEqual([30, 31, 46]);
    expect([await held(699), await held(700)]).toEqual([46, 40]);
    expect((await asked(700)).body).toMatchObject({
      asked: { at: iso(timeOf(700)), block: 700 },
      computedAt: iso(timeOf(700) + 3_000),
      block: 700,
      why: "the identity token changed hands",
    });
  });

  it("above the index is 503 while the chain has it, and 400 where no chain has it", async () => {
    const behind = await asked(HEAD);
    expect([behind.status, behind.body.code]).toEqual([503, "indexer_behind"]);
    const none = await asked(HEAD + 1);
    expect([none.status, none.body.code]).toEqual([400, "invalid_input"]);
    expect(none.text).toContain(`must not be above block ${HEAD}`);
    expect((await asked(Number.MAX_SAFE_INTEGER)).status).toBe(400);
  });
});

describe("costs the nodes little", () => {
  const INDEXED = 5_000;
  const world = (quotas: Parameters<typeof allowances>[0]) => {
    const read: number[] = [];
    let now = 1_000_000;
    const block = async (number: number | "latest") => {
      read.push(number as number);
      return number === 13 ? null : ({ timestamp: timeOf(number as number) / 1_000 } as never);
    };
    const times = blockTimes({ block }, allowances(quotas), () => now);
    const later = (ms: number) => {
      now += ms;
    };
    return { read, later, of: (number: number, client: Who = "a") => times.of(number, INDEXED, client) };
  };

  it("a block is read once, whoever asks and how many at a time; a new one again after a while", async () => {
    const { read, later, of } = world({});
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => of(100, `client ${i % 4}`)));
    expect(new Set(all)).toEqual(new Set([timeOf(100)]));
    expect(await of(100)).toBe(timeOf(100));
    await of(INDEXED - 1);
    expect(read).toEqual([100, INDEXED - 1]);
    later(60_000);
    await of(100);
    await of(INDEXED - 1);
    expect(read).toEqual([100, INDEXED - 1, INDEXED - 1]);
  });

  it("of ever other blocks a client has its share, and all clients together have theirs", async () => {
    const { read, of } = world({ "chain-reads": 60 });
    const outcomes = [];
    const clients = (number: number, last: number) => Array<string>(number).fill(`9.9.9.${last}`);
    for (const [number, client] of [...clients(4, 1), ...clients(4, 2)].entries())
      outcomes.push(
        await of(200 + number, networksOf(client)).then(
          () => "read",
          ({ code }) => code,
        ),
      );
    const refused = "rate_limited";
    expect(outcomes).toEqual(["read", "read", "read", refused, "read", "read", "read", refused]);
    expect(read).toHaveLength(6);
    expect(await of(200, networksOf("9.9.9.1"))).toBe(timeOf(200));
  });

  it("what no node has is asked for again", async () => {
    const { read, of } = world({});
    for (let i = 0; i < 2; i++) await expect(of(13)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(read).toEqual([13, 13]);
  });
});

describe("what cannot be answered", () => {
  it.each([
    ["before the first point", iso(POINTS[0]!.at - 1), 404],
    ["before the first block of the agent", 99, 404],
    ["block 0", 0, 404],
    ["the beginning of time", "0000-01-01T00:00:00Z", 404],
    ["long ago", "1066-10-14T09:00:00Z", 404],
    ["tomorrow", iso(Date.now() + 86_400_000), 400],
    ["the end of time", "9999-12-31T23:59:59Z", 400],
    ["no number", "NaN", 400],
    ["infinity", "Infinity", 400],
    ["a negative block", "-1", 400],
    ["an exponent", "1e3", 400],
    ["more than a safe integer", "9007199254740992", 400],
    ["a time without its offset", "2026-05-01T00:00:00", 400],
    ["a day that does not exist", "2026-02-30T00:00:00Z", 400],
  ])("%s", async (_, at, status) => {
    expect((await asked(at)).status).toBe(status);
  });

  it("an agent without a score, and no agent", async () => {
    expect((await asked(iso(Date.now()), 1)).status).toBe(404);
    expect((await asked(iso(Date.now()), 999)).status).toBe(404);
  });

  it("an outage of the node is not the reader's mistake", async () => {
    const { block } = api.deps.chain;
    api.deps.chain.block = async () => null;
    try {
      expect((await asked(321)).status).toBe(503);
    } finally {
      api.deps.chain.block = block;
    }
  });
});

it("a reorganisation takes its points out of the past; the correction is the last one", async () => {
  const pool = api.pool;
  expect((await asked(iso(timeOf(800)))).body.credScore).toBe(40);
  const now = new Date(timeOf(900));
  await retractCred(pool, [{ tokenId: 0, block: 700 }], now);
  expect((await asked(iso(timeOf(800)))).body).toMatchObject({ credScore: 46, until: now.toISOString() });
  expect((await asked(iso(timeOf(901)))).body).toMatchObject({ cause: "reorganisation", previousScore: 46 });
});

it("without `at` the answer is as before", async () => {
  const { body } = await api.get("/api/v2/agent/0/cred");
  expect(Object.keys(body)).toEqual([
    ...["tokenId", "name", "credScore", "tier", "tierLabel", "scale", "fullReportEndpoint", "fullReportPrice"],
    ...["computedAt", "reservations"],
  ]);
});

it("scores of months that are no longer kept are gone, and those since are told", async () => {
  const { credScore } = (await asked("2026-06-03T00:00:00Z")).body;
  await beginMonth(api.pool, new Date("2026-06-01T00:00:00Z"));
  await removeMonths(api.pool, new Date("2026-06-02T00:00:00Z"));
  await api.sql("update onchain.agent set minted_at = $1 where token_id = 0", timeOf(90) / 1000);
  const forgotten = await asked(iso(timeOf(550)));
  expect([forgotten.status, forgotten.body.code]).toEqual([410, "gone"]);
  expect(forgotten.body.error).toContain("2026-06-01T00:00:00.000Z");
  expect((await asked(iso(timeOf(80)))).status).toBe(404);
  expect((await asked("2026-06-03T00:00:00Z")).body).toMatchObject({ credScore, previousScore: null });
});
