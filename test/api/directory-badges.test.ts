/** Badges of the directory's rows, and what the canonical registry knows of one agent: only what is known, about whom it is known. */
import { beforeAll, describe, expect, it } from "vitest";
import { checksum } from "../../core/addresses.ts";
import { storeRanks } from "../../db/directory/daily-ranks.ts";
import { plantRows } from "../../harness/onchain.ts";
import { randomAgents } from "../support/agents.ts";
import { plantDirectory } from "../support/directory.ts";
import { plantAgents } from "../support/plant-agents.ts";
import { apiForFile, refusal } from "./support/api.ts";
import { plantProof } from "./support/plants.ts";

const NOW = Date.UTC(2026, 10, 21, 5);
const ago = (days: number) => new Date(NOW - days * 86_400_000).toISOString();
const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
const CLIENTS = [`0x${"c1".repeat(20)}`, `0x${"c2".repeat(20)}`] as const;
const HASH = `0x${"ab".repeat(32)}` as const;

/** Ids of the directory by platform and agent id. */
const ids: Record<string, number> = {};
const api = apiForFile({ now: () => NOW });
beforeAll(async () => {
  const agents = randomAgents(1, new Date(NOW), 7);
  const { facts } = agents[0]!;
  facts.proofs = [];
  await plantAgents(api.pool, agents);
  for (const [platform, status] of Object.entries({ x: "verified", github: "lapsed", farcaster: "stale" }))
    await plantProof(api.pool, 0, platform, { status, at: ago(0.5) });
  await api.sql`insert into offchain.cred_history (token_id, score, cause, block, at)
    values (0, 20, 'agent.minted', 1, ${ago(30)}), (0, 35, 'age', 2, ${ago(8)}),
      (0, 61, 'agent.verified', 3, ${ago(1)})`;
  await plantDirectory(api.pool, [
    { platform: "helixa", agent_id: "0", token_id: 0, name: "Atlas", cred_score: 61, wallet_proven: true },
    { platform: "erc8004", agent_id: "0", token_id: 0, name: "Atlas 8004", cred_score: 49, x402_supported: true },
    { platform: "erc8004", agent_id: "no number", name: "Odd", cred_score: 3 },
    { platform: "virtuals", agent_id: "0", name: "Luna", cred_score: 30, traded_at: ago(2), used_at: ago(3) },
  ]);
  const services = ["a2a", "MCP", "email"].map((name) => ({ name, endpoint: "https://a", version: null }));
  await api.sql`update offchain.directory set registry = ${REGISTRY}, services = ${JSON.stringify(services)}
    where platform = 'erc8004'`;
  for (const row of await api.sql("select id, platform, agent_id from offchain.directory"))
    ids[`${row.platform}:${row.agent_id}`] = Number(row.id);
  const about = { registry: REGISTRY as `0x${string}`, agentId: 0n };
  await plantRows(api.pool, "erc8004Agent", [
    {
      ...about,
      owner: CLIENTS[0],
      agentWallet: null,
      agentUri: "ipfs://file",
      registeredAt: NOW / 1000 - 86_400,
      registeredBlock: 12,
      txHash: HASH,
      feedbackCount: 2,
      updatedBlock: 12,
    },
  ]);
  const said = (client: `0x${string}`, feedbackIndex: bigint, value: bigint, revoked: boolean) => ({
    ...about,
    ...{ client, feedbackIndex, value, revoked, valueDecimals: 2, tag1: "starred", tag2: "", endpoint: "" },
    ...{ feedbackUri: "", feedbackHash: HASH, givenAt: NOW / 1000 - Number(feedbackIndex), block: 13, txHash: HASH },
  });
  await plantRows(api.pool, "erc8004Feedback", [
    said(CLIENTS[0], 1n, 8750n, false),
    said(CLIENTS[0], 2n, -50n, false),
    said(CLIENTS[1], 3n, 100n, true),
  ]);
  await plantRows(api.pool, "erc8004Response", [
    {
      id: "r1",
      ...about,
      ...{ client: CLIENTS[0], feedbackIndex: 1n, responder: CLIENTS[1], responseUri: "", responseHash: HASH },
      ...{ respondedAt: 1, block: 14, txHash: HASH },
    },
  ]);
});

const badges = async (...keys: string[]) => {
  const { status, body } = await api.get(`/api/terminal/badges?ids=${keys.map((key) => ids[key] ?? key).join(",")}`);
  expect(status).toBe(200);
  return (body as never as { marks: Record<string, unknown>[] }).marks;
};

describe("badges", () => {
  it("of an own agent: proofs that stand, its score's way, the change within a week", async () => {
    const [badge] = await badges("helixa:0");
    expect(badge).toMatchObject({
      verifications: { siwa: true, x: true, github: false, farcaster: true, coinbase: false },
      feedback: null,
      framework: expect.any(String),
      soulbound: expect.any(Boolean),
      change_7d: 26,
      points: [
        { at: ago(30), score: 20 },
        { at: ago(8), score: 35 },
        { at: ago(1), score: 61 },
      ],
    });
    expect(Date.parse(String(badge!.active_at))).toBeGreaterThanOrEqual(Date.parse(ago(0.5)));
  });

  it("of foreign agents: what their registry knows, and nothing of an own agent with the same number", async () => {
    const nothing = { x: false, github: false, farcaster: false, coinbase: false };
    expect(await badges("virtuals:0", "erc8004:0", "erc8004:no number", "999999")).toEqual([
      {
        id: ids["virtuals:0"],
        verifications: { siwa: false, ...nothing },
        protocols: [],
        feedback: null,
        reviews: null,
        framework: null,
        soulbound: null,
        health: null,
        active_at: ago(2),
        change_7d: null,
        rank_7d_ago: null,
        points: [],
      },
      expect.objectContaining({
        verifications: { siwa: false, ...nothing },
        protocols: ["MCP", "A2A", "x402"],
        feedback: { count: 2, reviewers: 1 },
        points: [],
      }),
      expect.objectContaining({ id: ids["erc8004:no number"], feedback: null }),
    ]);
  });

  it("of an own agent: the feedback of every registration that it ever had, and what it is worth", async () => {
    await api.sql`insert into offchain.agent_registration (token_id, mint_tx, registry, agent_id, wallet, block)
      select token_id, mint_tx, ${REGISTRY}, 0, agent_address, 1 from onchain.agent where token_id = 0`;
    await api.sql(
      `insert into offchain.review_figures (registry, agent_id, reviewers, raw, adjusted, low, high, inflation, voices, computed_at)
       values ('helixa', 0, 2, 80, 70, 55, 85, 10, 1, $1), ($2, 0, 2, 80, 70, 55, 85, 10, 1, $1)`,
      ago(1),
      REGISTRY,
    );
    const [own, there] = await badges("helixa:0", "erc8004:0");
    expect(own).toMatchObject({
      feedback: { count: 2, reviewers: 1 },
      reviews: { adjusted: 70, reviewers: 2, voices: 1 },
    });
    expect(own!.reviews).toEqual(there!.reviews);
    const { body } = await api.get("/api/terminal/agent/0/offers?platform=helixa");
    expect(body.reviews).toEqual(own!.reviews);
    await api.sql("truncate offchain.agent_registration, offchain.review_figures");
  });

  it("tell whether endpoints answer, once they were checked", async () => {
    await api.sql(
      `insert into offchain.offer_source (directory_id, kind, url, host, trust, status, answered_at, checked_at, next_try_at)
       values ($1, 'mcp', 'https://a.example/mcp', 'a.example', 0, 'read', $2, $2, $2)`,
      ids["virtuals:0"],
      ago(0.01),
    );
    const [badge] = await badges("virtuals:0");
    expect(badge!.health).toEqual({ value: 1, says: expect.any(String), named: true });
    await api.sql("delete from offchain.offer_source");
  });

  it("tell the place of a week ago, whatever happened to the place since", async () => {
    const day = (days: number) => storeRanks(api.pool, new Date(Date.parse(ago(days))));
    const ranks = async () => {
      const all = await badges("helixa:0", "erc8004:0", "virtuals:0", "erc8004:no number");
      return all.map((badge) => badge.rank_7d_ago);
    };
    expect(await ranks()).toEqual([null, null, null, null]);
    expect(await day(8)).toBe(4);
    await api.sql("update offchain.directory set cred_score = 90 where id = $1", ids["virtuals:0"]);
    expect(await day(7)).toBe(4);
    expect(await day(7)).toBe(0);
    await api.sql("update offchain.directory set cred_score = 30 where id = $1", ids["virtuals:0"]);
    expect(await day(0)).toBe(4);
    expect(await ranks()).toEqual([2, 3, 1, 4]);
    // Eight days ago is compared with nothing any more.
    const kept = await api.pool.query("select count(distinct day)::int as days from offchain.directory_rank");
    expect(kept.rows[0].days).toBe(2);
    await api.sql("truncate offchain.directory_rank");
  });

  it.each(["", "ids=", "ids=0", "ids=1,x", `ids=${Array(101).fill(1).join(",")}`])("refuses %s", async (query) =>
    expect(await api.get(`/api/terminal/marks?${query}`)).toMatchObject(refusal(400, "invalid_input")),
  );
});

describe("one agent", () => {
  it("is looked for among those of a platform", async () => {
    const named = async (query: string) => (await api.get(`/api/terminal/agent/0${query}`)).body?.name;
    expect(await named("")).toBe("Atlas");
    expect(await named("?platform=erc8004")).toBe("Atlas 8004");
    expect(await named("?platform=VIRTUALS")).toBe("Luna");
    expect(await api.get("/api/terminal/agent/0?platform=agentverse")).toMatchObject({ status: 404 });
    expect(await api.get("/api/terminal/agent/0?platform=elsewhere")).toMatchObject({ status: 400 });
  });

  it("of the canonical registry has its registration, with feedback to the last digit", async () => {
    const { body } = await api.get("/api/terminal/agent/0?platform=erc8004");
    expect(body.erc8004).toMatchObject({
      agent_uri: "ipfs://file",
      registered_block: 12,
      file: { status: "waiting", fetched_at: null, defects: [], warnings: [] },
      feedback_count: 2,
      reviewers: 1,
      feedback: [
        { value: "87.5", tags: ["starred"], uri: null, revoked: false, responses: 1 },
        { value: "-0.5", revoked: false, responses: 0 },
        { value: "1", revoked: true, responses: 0 },
      ],
    });
    expect((await api.get("/api/terminal/agent/0")).body.erc8004).toBeNull();
  });

  it("of the canonical registry has its validations, newest first, with their answers", async () => {
    const validator: `0x${string}` = `0x${"ab".repeat(20)}`;
    await api.sql(
      `insert into onchain.erc8004_validation (request_hash, registry, agent_id, validator, request_uri, requested_at, block,
         tx_hash, response, response_uri, response_hash, tag, responded_at)
       select '0x' || n, registry, agent_id, $1, repeat('u', n * 1000), 1800000000 + n, 20, '0xcc',
         case when n = 1 then 90 end, case when n = 1 then 'ipfs://proof' end, case when n = 1 then '0xdd' end,
         case when n = 1 then 'zk' end, case when n = 1 then 1800000100 end
       from onchain.erc8004_agent, generate_series(0, 21) n where agent_id = 0`,
      validator,
    );
    const { body } = await api.get("/api/terminal/agent/0?platform=erc8004");
    const { validation_count, validations } = body.erc8004 as unknown as {
      validation_count: number;
      validations: { request_hash: string; request_uri: string | null; validator: string; answer: object | null }[];
    };
    expect(validation_count).toBe(22);
    expect(validations.map(({ request_hash }) => request_hash)).toEqual(
      Array.from({ length: 20 }, (_, n) => `0x${21 - n}`),
    );
    expect(validations[0]!.request_uri).toHaveLength(2_000);
    expect(validations[0]).toMatchObject({ validator: checksum(validator), answer: null });
    await api.sql("delete from onchain.erc8004_validation where request_hash <> '0x1'");
    const { body: one } = await api.get("/api/terminal/agent/0?platform=erc8004");
    expect(one.erc8004).toMatchObject({
      validation_count: 1,
      validations: [
        {
          request_hash: "0x1",
          requested_at: new Date(1_800_000_001_000).toISOString(),
          answer: {
            response: 90,
            tag: "zk",
            uri: "ipfs://proof",
            hash: "0xdd",
            answered_at: new Date(1_800_000_100_000).toISOString(),
          },
        },
      ],
    });
    await api.sql("truncate onchain.erc8004_validation");
  });

  it("of the canonical registry has what is wrong with its file: a code, a sentence, and how to mend it", async () => {
    await api.sql(`insert into offchain.registration_file (registry, agent_id, uri, status, errors, warnings, fetched_at, failures)
       select registry, agent_id, agent_uri, 'unreachable', array['unreachable: The server does not answer.'],
         array['missing: image', 'An old sentence.'], now(), 1 from onchain.erc8004_agent where agent_id = 0`);
    const { body } = await api.get("/api/terminal/agent/0?platform=erc8004");
    expect((body.erc8004 as unknown as { file: object }).file).toMatchObject({
      defects: [
        { code: "unreachable", says: "The server does not answer.", mend: expect.stringMatching(/^Serve the file/) },
        { code: "missing", says: "image is missing.", mend: expect.stringMatching(/^Give the file/) },
        { code: "other", says: "An old sentence.", mend: null },
      ],
      warnings: ["The server does not answer.", "image is missing.", "An old sentence."],
    });
  });
});
