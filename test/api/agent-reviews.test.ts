/** What the reviews of an agent are worth, as callers see it: figures, clusters, pages that reach each review once, reasons. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { recordsAt } from "../../core/agents/registration-file.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import { plantRows } from "../../harness/onchain.ts";
import { reviewFigures } from "../../workers/reviews/review-figures.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { startApi, type TestApi } from "./support/api.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const HASH = `0x${"ab".repeat(32)}` as const;
const wallet = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`;
const [OWNER, PERSON, STRANGER] = [wallet("a0"), wallet("f1"), wallet("b2")];
const FARM = Array.from({ length: 9 }, (_, i) => wallet(`c${i}`));
const PATH = "/api/v2/agent/31/reviews";

type Page = {
  adjusted: number | null;
  reviews: { client: string; index: string; weight: number; cluster: string | null; reasons: { evidence: string }[] }[];
  nextCursor: string | null;
};

let api: TestApi;
const weigh = () =>
  reviewFigures.run(
    { db: api.database.pool, clock: () => new Date(NOW), config: { attestationSchemas: [SCHEMA()] } } as never,
    {},
  );
const SCHEMA = () => api.deps.config.attestationSchemas[0]!;

const about = { registry: REGISTRY as `0x${string}`, agentId: 31n };
const said = (client: `0x${string}`, index: number, value: number, over: object = {}) => ({
  ...{ ...about, client, feedbackIndex: BigInt(index), value: BigInt(value), valueDecimals: 0, tag1: "starred" },
  ...{ tag2: "", endpoint: "", feedbackUri: "", feedbackHash: HASH, revoked: false, givenAt: NOW / 1000 - 1_000 },
  ...{ block: 13, txHash: `0x${client.slice(2)}${"0".repeat(24)}`, ...over },
});

beforeAll(async () => {
  api = await startApi({ now: () => NOW });
  const { pool } = api.database;
  await plantDirectory(pool, [
    { platform: "erc8004", agent_id: "31", token_id: 31, name: "Rated", cred_score: 20, owner_address: OWNER },
    { platform: "virtuals", agent_id: "32", name: "Of another registry", cred_score: 20 },
    { platform: "erc8004", agent_id: "33", token_id: 33, name: "Not rated", cred_score: 20, owner_address: OWNER },
  ]);
  await pool.query("update offchain.directory set registry = $1 where platform = 'erc8004'", [REGISTRY]);
  await plantRows(pool, "erc8004Agent", [
    {
      ...{ ...about, owner: OWNER, agentWallet: null, agentUri: "", registeredAt: NOW / 1000, registeredBlock: 1 },
      ...{ txHash: HASH, feedbackCount: 14, updatedBlock: 1 },
    },
  ]);
  await plantRows(pool, "attestation", [
    {
      ...{ uid: HASH, schema: SCHEMA(), attester: wallet("99"), recipient: PERSON, data: VERIFIED_ACCOUNT },
      ...{ attestedAt: 1, expiresAt: 0, revokedAt: 0, block: 1, txHash: HASH },
    },
  ]);
  await plantRows(pool, "erc8004Feedback", [
    said(PERSON, 1, 40),
    said(PERSON, 2, 1, { revoked: true }),
    said(STRANGER, 1, 60),
    said(STRANGER, 2, 340, { tag1: "responseTime" }),
    said(OWNER, 1, 100),
    ...FARM.map((one, i) => said(one, 1, 100, { txHash: HASH, givenAt: NOW / 1000 - 500 + i })),
  ]);
  for (const one of FARM)
    await pool.query("insert into offchain.reviewer_history (address, funder, funder_sent) values ($1, $2, 3)", [
      ...[one, wallet("e1")],
    ]);
});
afterEach(() => expect(api?.errors).toEqual([]));
afterAll(() => api?.close());

const pageOf = async (search = ""): Promise<Page & Record<string, unknown>> => {
  const { status, body } = await api.get(`${PATH}?platform=erc8004${search && `&${search}`}`);
  expect(status).toBe(200);
  return body as unknown as Page & Record<string, unknown>;
};

describe("the reviews of an agent", () => {
  it("are told as not known before they were weighed", async () => {
    expect(await pageOf()).toMatchObject({
      ...{ registry: REGISTRY, agentId: "31", raw: null, adjusted: null, interval: { low: 0, high: 100 } },
      ...{ inflation: null, reviewers: 0, voices: 0, clusters: [], computedAt: null, reviews: [], nextCursor: null },
    });
  });

  it("have figures with what they rest on, and each a weight with reasons", async () => {
    expect(await weigh()).toBe(1);
    const { reviews, ...figures } = await pageOf();
    expect(figures).toMatchObject({
      // (40 + 60 + 100 + 9 × 100) / 12
      ...{ rules: 2, raw: 91.7, reviewers: 12, voices: 3, computedAt: new Date(NOW).toISOString() },
      clusters: [
        {
          ...{ id: expect.stringMatching(new RegExp(FARM[0]!, "i")), reviewers: 9 },
          reasons: [
            {
              evidence: "funder",
              says: "Some of them had their first money from one account, directly or by one between, or one from the other.",
            },
            { evidence: "transaction" },
            { evidence: "burst" },
          ],
        },
      ],
    });
    // One with proof says 40; a stranger and the voice of nine have at most a twentieth of its weight.
    expect(figures.adjusted).toBeGreaterThan(40);
    expect(figures.adjusted).toBeLessThan(45);
    expect(figures.inflation).toBeCloseTo(91.7 - figures.adjusted!, 0);
    const told = reviews.map(({ client, index, weight, reasons }) => ({
      ...{ client: client.toLowerCase(), index, counts: weight > 0, why: reasons[0]!.evidence },
    }));
    expect(told.slice(0, 4)).toEqual([
      { client: PERSON, index: "1", counts: true, why: "human" },
      { client: PERSON, index: "2", counts: false, why: "taken_back" },
      { client: STRANGER, index: "1", counts: true, why: "unknown" },
      { client: STRANGER, index: "2", counts: false, why: "no_scale" },
    ]);
    expect(told.at(-1)).toEqual({ client: OWNER, index: "1", counts: false, why: "own" });
    expect(reviews[0]).toMatchObject({ weight: 1, cluster: null, value: "40", rating: 40, tags: ["starred"] });
    expect(reviews[4]).toMatchObject({
      reasons: [{ evidence: "unknown" }, { evidence: "funder" }, { evidence: "transaction" }, { evidence: "burst" }],
    });
  });

  it("have a value for each tag, and the responses of the agent before those of others", async () => {
    await plantRows(
      api.database.pool,
      "erc8004Response",
      [wallet("e5"), OWNER, ...Array.from({ length: 6 }, (_, i) => wallet(`d${i}`))].map((responder, i) => ({
        ...{ ...about, id: `r${i}`, client: PERSON, feedbackIndex: 1n, responder, responseUri: `https://${i}.example` },
        ...{ responseHash: HASH, respondedAt: NOW / 1000 - 100 + i, block: 14, txHash: HASH },
      })),
    );
    const { dimensions, adjusted, reviews } = (await pageOf()) as unknown as {
      dimensions: object[];
      adjusted: number;
      reviews: { responses: number; answers: { responder: string; own: boolean; uri: string }[] }[];
    };
    expect(dimensions).toEqual([
      { tag: "starred", reviews: 12, raw: 91.7, adjusted },
      { tag: "responseTime", reviews: 1, raw: null, adjusted: null },
    ]);
    expect(reviews[0]!.responses).toBe(8);
    expect(reviews[0]!.answers.map(({ responder, own }) => [responder.toLowerCase(), own])).toEqual([
      [OWNER, true],
      ...[wallet("e5"), wallet("d0"), wallet("d1"), wallet("d2")].map((one) => [one, false]),
    ]);
  });

  it("say of the file that each names whether it is that one, and what the payment in it proves", async () => {
    const { pool } = api.database;
    const uri = "https://files.example/review.json";
    const files = async () =>
      (await pageOf(`client=${STRANGER}`)).reviews.map((one) => {
        const { file, paid } = one as unknown as { file: object | null; paid: object | null };
        return { file, paid };
      });
    expect(await files()).toEqual([
      { file: null, paid: null },
      { file: null, paid: null },
    ]);
    await pool.query("update onchain.erc8004_feedback set feedback_uri = $1 where client = $2", [uri, STRANGER]);
    expect(await files()).toMatchObject([{ file: { state: "waiting", readAt: null }, paid: null }, {}]);
    const store = `
      insert into offchain.review_file (registry, agent_id, client, feedback_index, digest, given_at, state, why, read_at,
        proof_tx, proof_state, proof_wallet, payer, units, paid_at)
      select f.registry, f.agent_id, f.client, f.feedback_index, md5(f.feedback_uri || ' ' || f.feedback_hash || ' ' || f.given_at),
        f.given_at, $2, $3, $4, $5, case when $5::text is not null then 'paid' end, $6, $7, $8, 1000
      from onchain.erc8004_feedback f where f.client = $1`;
    await pool.query(store, [STRANGER, "matches", null, new Date(NOW), HASH, wallet("a1"), STRANGER, 1_250_000]);
    const paid = { txHash: HASH, payer: expect.stringMatching(new RegExp(STRANGER, "i")), usdc: "1.25" };
    const file = { state: "matches", says: expect.stringContaining("hash"), readAt: new Date(NOW).toISOString() };
    expect(await files()).toEqual([
      { file, paid: { ...paid, state: "used", says: expect.any(String), at: "1970-01-01T00:16:40.000Z" } },
      { file, paid: { ...paid, state: "paid", says: expect.any(String), at: "1970-01-01T00:16:40.000Z" } },
    ]);
    // What was read of another file is not told of this one.
    await pool.query("update onchain.erc8004_feedback set feedback_uri = $1 where client = $2", [`${uri}?2`, STRANGER]);
    expect(await files()).toMatchObject([{ file: { state: "waiting" }, paid: null }, {}]);
    await pool.query("delete from offchain.review_file");
    await pool.query(store, [STRANGER, "unreachable", "The server answers with status 404.", ...Array(5).fill(null)]);
    expect(await files()).toMatchObject([
      { file: { state: "unreachable", says: "The server answers with status 404." }, paid: null },
      {},
    ]);
    await pool.query("update onchain.erc8004_feedback set feedback_uri = '' where client = $1", [STRANGER]);
  });

  it("are one of each reviewer where the newest are asked for, or those of one reviewer", async () => {
    const newest = (await pageOf("newest=true&limit=100")).reviews as unknown as {
      client: string;
      index: string;
      written: number;
    }[];
    expect(newest.map(({ client }) => client)).toEqual([
      ...new Set((await pageOf("limit=100")).reviews.map(({ client }) => client)),
    ]);
    expect(newest[0]).toMatchObject({ index: "2", written: 2 });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Page = await pageOf(`newest=true&limit=5${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.reviews.map(({ client }) => client));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(newest.map(({ client }) => client));
    const first = await pageOf(`client=${PERSON}&limit=1`);
    const second = await pageOf(`client=${PERSON}&limit=1&cursor=${first.nextCursor}`);
    expect([...first.reviews, ...second.reviews].map(({ index }) => index)).toEqual(["2", "1"]);
    expect(second.nextCursor).toBeNull();
    expect((await pageOf(`client=${wallet("ee")}`)).reviews).toEqual([]);
  });

  it.each([1, 2, 3, 7])("are each reached once, in pages of %i", async (limit) => {
    const whole = (await pageOf("limit=100")).reviews.map(({ client, index }) => `${client} ${index}`);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page = await pageOf(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
      expect(page.reviews.length).toBeLessThanOrEqual(limit);
      seen.push(...page.reviews.map(({ client, index }) => `${client} ${index}`));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(whole);
    expect(whole).toHaveLength(14);
  });

  it("are none of an agent of another registry or without any, and a cursor that is none is refused", async () => {
    expect(await api.get("/api/v2/agent/32/reviews?platform=virtuals")).toMatchObject({
      ...{ status: 200, body: { registry: null, adjusted: null, reviews: [] } },
    });
    expect(await api.get("/api/v2/agent/33/reviews?platform=erc8004")).toMatchObject({
      ...{ status: 200, body: { registry: REGISTRY, adjusted: null, reviews: [], computedAt: null } },
    });
    expect((await api.get("/api/v2/agent/34/reviews?platform=erc8004")).status).toBe(404);
    for (const cursor of ["-1", "3-0x12-1", `3-${PERSON}-1`, `0-${PERSON}-0`])
      expect((await api.get(`${PATH}?platform=erc8004&cursor=${cursor}`)).status).toBe(400);
  });

  it("of a block are answered once they are weighed", async () => {
    const { pool } = api.database;
    await pool.query("update onchain.erc8004_agent set updated_block = 1000, feedback_count = 15 where agent_id = 31");
    await plantRows(pool, "erc8004Feedback", [said(wallet("b3"), 1, 10)]);
    const answer = pageOf("minBlock=1000&limit=100");
    await weigh();
    expect((await answer).reviews).toHaveLength(15);
  });

  it("of one reviewer count by its twenty newest, which divide its weight", async () => {
    const { pool } = api.database;
    await plantRows(
      pool,
      "erc8004Feedback",
      Array.from({ length: 23 }, (_, i) => said(PERSON, i + 3, 90)),
    );
    await pool.query("update onchain.erc8004_agent set updated_block = 1001, feedback_count = 38 where agent_id = 31");
    await weigh();
    const own = (await pageOf("limit=100")).reviews.filter(({ client }) => client.toLowerCase() === PERSON);
    expect(own.map(({ index, weight, reasons }) => [index, weight, reasons[0]!.evidence])).toEqual([
      ...[1, 2, 3, 4, 5].map((n) => [String(n), 0, n === 2 ? "taken_back" : "older"]),
      ...Array.from({ length: 20 }, (_, i) => [String(i + 6), 0.05, "human"]),
    ]);
  });
});

describe("the reviews of an own agent", () => {
  const [HOLDER, MINTED, OTHER] = [wallet("91"), wallet("92"), wallet("93")];
  const registered = (agentId: number, owner: `0x${string}`, agentWallet: `0x${string}` | null) => ({
    ...{ registry: REGISTRY as `0x${string}`, agentId: BigInt(agentId), owner, agentWallet, agentUri: "" },
    ...{ registeredAt: 1, registeredBlock: agentId, txHash: HASH, feedbackCount: 0, updatedBlock: 1 },
  });
  const names = (agentId: number, tokenId: number) =>
    api.database.pool.query(
      `insert into offchain.registration_file (registry, agent_id, uri, status, content, fetched_at)
       values ($1, $2, '', 'parsed', $3, now())`,
      [
        REGISTRY,
        agentId,
        { services: [{ name: "record", endpoint: recordsAt(api.deps.config.service.publicUrl) + tokenId }] },
      ],
    );
  const identityOf = async (tokenId: number) => {
    const { status, body } = await api.get(`/api/v2/agent/helixa-${tokenId}/reviews`);
    expect(status).toBe(200);
    const { registry, agentId } = body as unknown as { registry: string | null; agentId: string };
    return registry && agentId;
  };

  beforeAll(async () => {
    const { pool } = api.database;
    await plantAgents(pool, [
      { tokenId: 1, name: "Has its wallet there", agentAddress: MINTED },
      { tokenId: 2, name: "Named by its owner's file", owner: HOLDER, agentAddress: wallet("94") },
      { tokenId: 3, name: "Names a wallet of another", owner: OTHER, agentAddress: PERSON },
      { tokenId: 4, name: "Was given a registration", owner: wallet("95"), agentAddress: wallet("95") },
    ]);
    await plantDirectory(
      pool,
      [1, 2, 3, 4].map((n) => ({ platform: "helixa", agent_id: String(n), token_id: n, name: `${n}`, cred_score: 1 })),
    );
    await plantRows(pool, "erc8004Agent", [
      registered(50, MINTED, MINTED),
      registered(51, MINTED, MINTED),
      registered(52, HOLDER, HOLDER),
      registered(53, HOLDER, HOLDER),
      registered(54, PERSON, PERSON),
      registered(55, wallet("95"), null),
    ]);
    await names(53, 2);
    await names(55, 4);
  });

  it("are those of the registration that has its wallet, the oldest; of its owner's, the one whose file names it", async () => {
    expect(await identityOf(1)).toBe("50");
    expect(await identityOf(2)).toBe("53");
    await names(51, 1);
    expect(await identityOf(1)).toBe("51");
  });

  it("are none of a wallet that it only names, and none of a registration that was given to its owner", async () => {
    expect(await identityOf(3)).toBeNull();
    expect(await identityOf(4)).toBeNull();
    expect((await api.get("/api/v2/agent/helixa-5/reviews")).status).toBe(404);
  });

  it("are in its own answer and in its report as figures, and of one without a row of the directory too", async () => {
    await api.database.pool.query("update onchain.erc8004_agent set agent_wallet = $1 where agent_id = 31", [
      wallet("96"),
    ]);
    await plantAgents(api.database.pool, [{ tokenId: 6, name: "Reviewed", agentAddress: wallet("96") }]);
    const { adjusted, raw, voices } = await pageOf();
    for (const path of ["/api/v2/agent/6", "/api/v2/agent/6/report"])
      expect((await api.get(path)).body).toMatchObject({
        reviews: { registry: REGISTRY, agentId: "31", adjusted, raw, voices },
      });
    expect((await api.get("/api/v2/agent/6/reviews")).body).toMatchObject({ agentId: "31", adjusted });
    expect((await api.get("/api/v2/agent/1")).body).toMatchObject({ reviews: { agentId: "51", adjusted: null } });
    expect((await api.get("/api/v2/agent/3")).body).toMatchObject({ reviews: null });
  });
});
