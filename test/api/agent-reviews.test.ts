/** What the reviews of an agent are worth, as callers see it: figures, clusters, pages that reach each review once, reasons. */
import { beforeAll, describe, expect, it } from "vitest";
import { recordsAt } from "../../core/links.ts";
import { plantCheckpoint, plantRows } from "../../harness/onchain.ts";
import { reviewStats } from "../../workers/reviews/review-stats.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";
import { wallet } from "./support/evidence.ts";
import { plantAttestation } from "./support/plants.ts";
import { itHasPages, pagesAt, walked } from "./support/walks.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const HASH = `0x${"ab".repeat(32)}` as const;
const [OWNER, PERSON, STRANGER] = [wallet("a0"), wallet("f1"), wallet("b2")];
const FARM = Array.from({ length: 9 }, (_, i) => wallet(`c${i}`));
const PATH = "/api/v2/agent/31/reviews";

type Page = {
  adjusted: number | null;
  reviews: { client: string; index: string; weight: number; cluster: string | null; reasons: { evidence: string }[] }[];
  nextCursor: string | null;
};

const recompute = () =>
  reviewStats.run({ db: api.pool, clock: () => new Date(NOW), config: api.deps.config } as never, {});

const about = { registry: REGISTRY as `0x${string}`, agentId: 31n };
const said = (client: `0x${string}`, index: number, value: number, over: object = {}) => ({
  ...{ ...about, client, feedbackIndex: BigInt(index), value: BigInt(value), valueDecimals: 0, tag1: "starred" },
  ...{ tag2: "", endpoint: "", feedbackUri: "", feedbackHash: HASH, revoked: false, givenAt: NOW / 1000 - 1_000 },
  ...{ block: 13, txHash: `0x${client.slice(2)}${"0".repeat(24)}`, ...over },
});

const api = apiForFile({ now: () => NOW });
beforeAll(async () => {
  await plantDirectory(api.pool, [
    { platform: "erc8004", agent_id: "31", token_id: 31, name: "Rated", cred_score: 20, owner_address: OWNER },
    { platform: "virtuals", agent_id: "32", name: "Of another registry", cred_score: 20 },
    { platform: "erc8004", agent_id: "33", token_id: 33, name: "Not rated", cred_score: 20, owner_address: OWNER },
  ]);
  await api.sql("update offchain.directory set registry = $1 where platform = 'erc8004'", REGISTRY);
  await plantRows(api.pool, "erc8004Agent", [
    {
      ...{ ...about, owner: OWNER, agentWallet: null, agentUri: "", registeredAt: NOW / 1000, registeredBlock: 1 },
      ...{ txHash: HASH, feedbackCount: 14, updatedBlock: 1 },
    },
  ]);
  await plantAttestation(api.pool, PERSON);
  await plantRows(api.pool, "erc8004Feedback", [
    said(PERSON, 1, 40),
    said(PERSON, 2, 1, { revoked: true }),
    said(STRANGER, 1, 60),
    said(STRANGER, 2, 340, { tag1: "responseTime" }),
    said(OWNER, 1, 100),
    ...FARM.map((one, i) => said(one, 1, 100, { txHash: HASH, givenAt: NOW / 1000 - 500 + i })),
  ]);
  for (const address of FARM) await api.plant("reviewer_history", { address, funder: wallet("e1"), funder_sent: 3 });
});

const pageOf = pagesAt<Page>(api, `${PATH}?platform=erc8004`);

describe("the reviews of an agent", () => {
  it("are told as not known before they were weighed", async () => {
    expect(await pageOf()).toMatchObject({
      ...{ registry: REGISTRY, agentId: "31", raw: null, adjusted: null, interval: { low: 0, high: 100 } },
      ...{ inflation: null, reviewers: 0, voices: 0, clusters: [], computedAt: null, reviews: [], nextCursor: null },
    });
  });

  it("have figures with what they rest on, and each a weight with reasons", async () => {
    expect(await recompute()).toBe(1);
    const { reviews, ...figures } = await pageOf();
    expect(figures).toMatchObject({
      // (40 + 60 + 100 + 9 × 100) / 12
      ...{ rules: 3, raw: 91.7, reviewers: 12, voices: 3, computedAt: new Date(NOW).toISOString() },
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
      api.pool,
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
    await api.sql("update onchain.erc8004_feedback set feedback_uri = $1 where client = $2", uri, STRANGER);
    expect(await files()).toMatchObject([{ file: { state: "waiting", readAt: null }, paid: null }, {}]);
    const store = `
      insert into offchain.review_file (registry, agent_id, client, feedback_index, digest, given_at, state, why, read_at,
        proof_tx, proof_state, proof_wallet, payer, units, paid_at)
      select f.registry, f.agent_id, f.client, f.feedback_index, md5(f.feedback_uri || ' ' || f.feedback_hash || ' ' || f.given_at),
        f.given_at, $2, $3, $4, $5, case when $5::text is not null then 'paid' end, $6, $7, $8, 1000
      from onchain.erc8004_feedback f where f.client = $1`;
    await api.sql(store, STRANGER, "matches", null, new Date(NOW), HASH, wallet("a1"), STRANGER, 1_250_000);
    const paid = { txHash: HASH, payer: expect.stringMatching(new RegExp(STRANGER, "i")), usdc: "1.25" };
    const file = { state: "matches", says: expect.stringContaining("hash"), readAt: new Date(NOW).toISOString() };
    expect(await files()).toEqual([
      { file, paid: { ...paid, state: "used", says: expect.any(String), at: "1970-01-01T00:16:40.000Z" } },
      { file, paid: { ...paid, state: "paid", says: expect.any(String), at: "1970-01-01T00:16:40.000Z" } },
    ]);
    // What was read of another file is not told of this one.
    await api.sql("update onchain.erc8004_feedback set feedback_uri = $1 where client = $2", `${uri}?2`, STRANGER);
    expect(await files()).toMatchObject([{ file: { state: "waiting" }, paid: null }, {}]);
    await api.sql("delete from offchain.review_file");
    await api.sql(store, STRANGER, "unreachable", "The server answers with status 404.", ...Array(5).fill(null));
    expect(await files()).toMatchObject([
      { file: { state: "unreachable", says: "The server answers with status 404." }, paid: null },
      {},
    ]);
    await api.sql("update onchain.erc8004_feedback set feedback_uri = '' where client = $1", STRANGER);
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
    const seen = await walked(
      (cursor) => pageOf(`newest=true&limit=5${cursor}`),
      ({ reviews }) => reviews,
    );
    expect(seen.map(({ client }) => client)).toEqual(newest.map(({ client }) => client));
    const first = await pageOf(`client=${PERSON}&limit=1`);
    const second = await pageOf(`client=${PERSON}&limit=1&cursor=${first.nextCursor}`);
    expect([...first.reviews, ...second.reviews].map(({ index }) => index)).toEqual(["2", "1"]);
    expect(second.nextCursor).toBeNull();
    expect((await pageOf(`client=${wallet("ee")}`)).reviews).toEqual([]);
  });

  itHasPages<Page>(api, `${PATH}?platform=erc8004`, {
    idsOf: ({ reviews }) => reviews.map(({ client, index }) => `${client} ${index}`),
    ...{ limits: [1, 2, 3, 7], many: 14 },
    cursors: ["-1", "3-0x12-1-1", `3-${PERSON}-31-1`, `0-${PERSON}-31-0`, `0-${PERSON}-1`],
  });

  it("are none of an agent of another registry or without any", async () => {
    expect(await api.get("/api/v2/agent/32/reviews?platform=virtuals")).toMatchObject({
      ...{ status: 200, body: { registry: null, adjusted: null, reviews: [] } },
    });
    expect(await api.get("/api/v2/agent/33/reviews?platform=erc8004")).toMatchObject({
      ...{ status: 200, body: { registry: REGISTRY, adjusted: null, reviews: [], computedAt: null } },
    });
    expect((await api.get("/api/v2/agent/34/reviews?platform=erc8004")).status).toBe(404);
  });

  it("of a block are answered once they are weighed", async () => {
    await api.sql("update onchain.erc8004_agent set updated_block = 1000, feedback_count = 15 where agent_id = 31");
    await plantRows(api.pool, "erc8004Feedback", [said(wallet("b3"), 1, 10)]);
    const answer = pageOf("minBlock=1000&limit=100");
    await recompute();
    expect((await answer).reviews).toHaveLength(15);
  });

  it("of one reviewer count by its twenty newest, which divide its weight", async () => {
    await plantRows(
      api.pool,
      "erc8004Feedback",
      Array.from({ length: 23 }, (_, i) => said(PERSON, i + 3, 90)),
    );
    await api.sql("update onchain.erc8004_agent set updated_block = 1001, feedback_count = 38 where agent_id = 31");
    await recompute();
    const own = (await pageOf("limit=100")).reviews.filter(({ client }) => client.toLowerCase() === PERSON);
    expect(own.map(({ index, weight, reasons }) => [index, weight, reasons[0]!.evidence])).toEqual([
      ...[1, 2, 3, 4, 5].map((n) => [String(n), 0, n === 2 ? "taken_back" : "older"]),
      ...Array.from({ length: 20 }, (_, i) => [String(i + 6), 0.05, "human"]),
    ]);
  });
});

describe("the reviews of an own agent", () => {
  const [HOLDER, MINTED, OTHER] = [wallet("91"), wallet("92"), wallet("93")];
  const [GIVEN, SELLER] = [wallet("98"), wallet("9a")];
  const registered = (agentId: number, owner: `0x${string}`, agentWallet: `0x${string}` | null) => ({
    ...{ registry: REGISTRY as `0x${string}`, agentId: BigInt(agentId), owner, agentWallet, agentUri: "" },
    ...{ registeredAt: 1, registeredBlock: agentId, txHash: HASH, feedbackCount: 0, updatedBlock: 1 },
  });
  const names = (agentId: number, tokenId: number) =>
    api.pool.query(
      `insert into offchain.registration_file (registry, agent_id, uri, status, content, fetched_at)
       values ($1, $2, '', 'parsed', $3, now()) on conflict (registry, agent_id) do update set content = excluded.content`,
      [
        REGISTRY,
        agentId,
        { services: [{ name: "record", endpoint: recordsAt(api.deps.config.service.publicUrl) + tokenId }] },
      ],
    );
  type Body = Page & { agentId: string; registrations: string[]; raw: number | null };
  const bodyOf = (tokenId: number, search = "") =>
    pagesAt<Body>(api, `/api/v2/agent/helixa-${tokenId}/reviews?limit=100`)(search);
  const registrationsOf = async (tokenId: number) => {
    await recompute();
    return (await bodyOf(tokenId)).registrations;
  };
  const update = (set: string, ...ids: number[]) =>
    api.pool.query(`update onchain.erc8004_agent set ${set} where agent_id = any($1)`, [ids]);
  const follow = (block: number) => plantCheckpoint(api.pool, { block: block + 10, finalized: block });
  let at = 2_000;

  beforeAll(async () => {
    await plantAgents(api.pool, [
      { tokenId: 1, name: "Has its wallet there", owner: MINTED, agentAddress: MINTED },
      { tokenId: 2, name: "Named by its owner's file", owner: HOLDER, agentAddress: wallet("94") },
      { tokenId: 3, name: "Names a wallet of another", owner: OTHER, agentAddress: PERSON },
      { tokenId: 4, name: "Was given a registration", owner: wallet("95"), agentAddress: wallet("95") },
      { tokenId: 7, name: "Was given to a wallet", owner: GIVEN, agentAddress: GIVEN, mintedTo: OTHER },
      { tokenId: 8, name: "Has the same wallet by its own act", owner: GIVEN, agentAddress: GIVEN },
      { tokenId: 9, name: "Was sold", owner: OTHER, agentAddress: SELLER, mintedTo: SELLER, verified: true },
    ]);
    await plantDirectory(
      api.pool,
      [1, 2, 3, 4].map((n) => ({ platform: "helixa", agent_id: String(n), token_id: n, name: `${n}`, cred_score: 1 })),
    );
    await plantRows(api.pool, "erc8004Agent", [
      registered(50, MINTED, MINTED),
      registered(51, MINTED, MINTED),
      registered(52, HOLDER, HOLDER),
      registered(53, HOLDER, HOLDER),
      registered(54, PERSON, PERSON),
      registered(55, wallet("95"), null),
      registered(56, GIVEN, GIVEN),
      registered(57, SELLER, SELLER),
    ]);
    await names(53, 2);
    await names(55, 4);
    await names(57, 9);
  });

  it("are those of all registrations that have its wallet, and of its owner's that name it", async () => {
    expect(await registrationsOf(1)).toEqual(["50", "51"]);
    expect(await registrationsOf(2)).toEqual(["53"]);
  });

  it("are none of a wallet that it only names, and none of a registration that was given to its owner", async () => {
    expect(await registrationsOf(3)).toEqual([]);
    expect(await registrationsOf(4)).toEqual([]);
    expect((await api.get("/api/v2/agent/helixa-5/reviews")).status).toBe(404);
  });

  it("are not taken by an agent that its wallet was given, nor planted on an agent by who sold it", async () => {
    expect([await registrationsOf(7), await registrationsOf(8), await registrationsOf(9)]).toEqual([[], ["56"], []]);
  });

  it("are in its own answer and in its report as figures, and of one without a row of the directory too", async () => {
    await update(`agent_wallet = '${wallet("96")}'`, 31);
    await plantAgents(api.pool, [{ tokenId: 6, name: "Reviewed", owner: wallet("96"), agentAddress: wallet("96") }]);
    await recompute();
    const { adjusted, raw, voices } = await pageOf();
    for (const path of ["/api/v2/agent/6", "/api/v2/agent/6/report"])
      expect((await api.get(path)).body).toMatchObject({
        reviews: { registry: REGISTRY, agentId: "31", registrations: ["31"], adjusted, raw, voices },
      });
    expect((await api.get("/api/v2/agent/6/reviews")).body).toMatchObject({ agentId: "31", adjusted });
    expect((await api.get("/api/v2/agent/1")).body).toMatchObject({ reviews: { agentId: "50", adjusted: null } });
    expect((await api.get("/api/v2/agent/3")).body).toMatchObject({ reviews: null });
  });

  it("stay its reviews, whatever its holder does: bad ones of one registration, good ones of the next", async () => {
    const of = (agentId: number) => ({ agentId: BigInt(agentId) });
    await plantRows(api.pool, "erc8004Feedback", [
      ...[1, 2, 3].map((n) => said(PERSON, n, 0, of(50))),
      said(STRANGER, 1, 20, of(50)),
      said(OTHER, 1, 100, of(51)),
    ]);
    for (const address of [PERSON, STRANGER])
      await api.plant("reviewer_history", { address, sent: 8, funder: wallet("e1"), funder_sent: 3 });
    await update("feedback_count = 4", 50);
    await update("feedback_count = 1", 51);
    await follow(at);
    await recompute();
    const before = await bodyOf(1);
    expect(before.reviews).toHaveLength(5);
    expect(before.adjusted).toBeLessThan(6);
    const { body } = await api.get("/api/v2/agent/1");
    expect(body).toMatchObject({
      reviews: { registrations: ["50", "51"], adjusted: before.adjusted, raw: before.raw },
    });
    // One registration has its own.
    expect((await api.get("/api/v2/agent/erc8004-51/reviews")).status).toBe(404);

    const acts: [string, () => Promise<unknown>][] = [
      ["unsets the wallet", () => update("agent_wallet = null", 50)],
      ["sends the registration to a critic", () => update(`owner = '${PERSON}', agent_wallet = null`, 50)],
      ["sends it to the critics' first payer", () => update(`owner = '${wallet("e1")}', agent_wallet = null`, 50, 51)],
      ["names the agent in the file of the next", () => names(51, 1)],
      ["names another agent in it", () => names(50, 2)],
      ["sets another wallet", () => update(`agent_wallet = '${HOLDER}', owner = '${HOLDER}'`, 50)],
      ["gives the agent away", () => api.sql("update onchain.agent set owner = $1 where token_id = 1", OTHER)],
      ["gives it a wallet", () => api.sql("update onchain.agent set agent_address = $1 where token_id = 1", OTHER)],
    ];
    for (const [act, does] of acts) {
      await does();
      // A transfer is in the index as the registry's event.
      if (act.startsWith("sends"))
        await plantRows(
          api.pool,
          "transfer",
          [50, 51].map((n) => ({
            ...{ id: `${act} ${n}`, contract: REGISTRY as `0x${string}`, tokenId: BigInt(n), from: MINTED, to: PERSON },
            ...{ transferredAt: NOW / 1000, block: 1, txHash: HASH },
          })),
        );
      at += 100;
      await follow(at);
      await update(`updated_block = ${at}`, 50, 51);
      await recompute();
      const after = await bodyOf(1);
      const counting = ({ reviews }: Page) => reviews.map(({ client, weight }) => [client, weight > 0]);
      expect([act, after.registrations, counting(after)]).toEqual([act, ["50", "51"], counting(before)]);
      expect([act, after.adjusted]).toEqual([act, before.adjusted]);
    }
    expect((await bodyOf(2)).registrations).toEqual(["53"]);
  });

  it.each(["", "&newest=true", `&client=${PERSON}`])("of several registrations come once each (%s)", async (of) => {
    const keysOf = ({ reviews }: Page) =>
      reviews.map((one) => `${(one as unknown as { agentId: string }).agentId} ${one.client} ${one.index}`);
    await plantRows(api.pool, "erc8004Feedback", [
      ...(of === "" ? [said(PERSON, 1, 30, { agentId: 51n }), said(STRANGER, 7, 30, { agentId: 51n })] : []),
    ]);
    const whole = keysOf(await bodyOf(1, of));
    expect(new Set(whole).size).toBe(whole.length);
    const read = async (search: string) => await api.read<Page>(`/api/v2/agent/helixa-1/reviews?${search}`);
    for (const limit of [1, 2, 3])
      expect(await walked((cursor) => read(`limit=${limit}${of}${cursor}`), keysOf)).toEqual(whole);
    expect(whole.length).toBe({ "": 7, "&newest=true": 3 }[of] ?? 4);
  });

  it("lose a registration that a reorganisation takes back, and none that was final", async () => {
    at += 100;
    await follow(at);
    await plantAgents(api.pool, [{ tokenId: 10, name: "Seen", owner: wallet("97"), agentAddress: wallet("97") }]);
    await plantRows(api.pool, "erc8004Agent", [registered(60, wallet("97"), wallet("97"))]);
    expect(await registrationsOf(10)).toEqual(["60"]);
    await update("agent_wallet = null", 60);
    expect(await registrationsOf(10)).toEqual([]);
    await update(`agent_wallet = '${wallet("97")}'`, 60);
    expect(await registrationsOf(10)).toEqual(["60"]);
    await follow(at + 20);
    await update("agent_wallet = null", 60);
    expect(await registrationsOf(10)).toEqual(["60"]);
    await api.sql("delete from onchain.erc8004_agent where agent_id = 60");
    expect(await registrationsOf(10)).toEqual([]);
  });
});
