/** POST /mint and GET /mint/{mintId}: the order of checks, retries, slow chains. The worker's part is played by the test. */
import { beforeEach, describe, expect, it } from "vitest";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { standardPrices } from "../../core/payments/prices.ts";
import { ensureReferralCodes } from "../../db/agents/referral-codes.ts";
import { failMint } from "../../db/mints/mints.ts";
import { setPrices } from "../../db/payments/price-list.ts";
import { until } from "../../harness/until.ts";
import { perTest } from "../support/started.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, answering, apiForFile, apiForTest, HOST, refusal, type TestApi } from "./support/api.ts";
import { mineRegistration } from "./support/plants.ts";
import { lower, newWallet, type Wallet } from "./support/wallets.ts";

let block = 0;
const api = apiForFile();
beforeEach(async () => {
  await api.sql(
    "truncate offchain.mint, offchain.transaction_outbox, offchain.transaction_attempt, offchain.idempotency, offchain.referral_code cascade",
  );
  await api.sql("truncate onchain.agent; delete from offchain.sender_state");
});

const wallet = perTest(newWallet);
const post = async (wallet: Wallet | null, body: unknown, headers: Record<string, string> = {}, at: TestApi = api) =>
  at.write("POST", "/api/v2/mint", body, { ...(wallet && { authorization: await wallet.siwa() }), ...headers });
const mints = async () => await api.sql("select * from offchain.mint order by created_at");
const intents = async () => await api.sql("select * from offchain.transaction_outbox");

/** Plays worker and indexer for the next pending registration. */
const mineNext = async (options?: Parameters<typeof mineRegistration>[1]) => {
  block = await mineRegistration(api.pool, options);
};
const minted = async (answer: Promise<Answer>, options?: Parameters<typeof mineNext>[0]) =>
  (await Promise.all([answer, mineNext(options)]))[0];

describe("the order of checks", () => {
  it("starts with the wallet: a bare probe is 401, whatever it sends, and leaves nothing behind", async () => {
    for (const body of [undefined, {}, { name: "" }, "x".repeat(300_000)])
      expect(await post(null, body, { "idempotency-key": "probe" })).toMatchObject(refusal(401, "unauthenticated"));
    const rows = await api.sql("select * from offchain.idempotency");
    expect(rows).toEqual([]);
  });

  it("then the request: a bad one is 400 and claims no key", async () => {
    expect(await post(newWallet(), { name: "" }, { "idempotency-key": "bad" })).toMatchObject({ status: 400 });
    expect(await mints()).toEqual([]);
    expect(await api.sql("select * from offchain.idempotency")).toEqual([]);
  });

  it("then whether it is possible: an unknown referral code is 400", async () => {
    expect(await post(newWallet(), { name: "A", referralCode: "nobody-0000" })).toMatchObject(
      answering(400, { details: [{ path: "referralCode" }] }),
    );
    expect(await mints()).toEqual([]);
  });

  it("then the price: in the paid phase nothing is minted without payment", async () => {
    const paid = await apiForTest({ env: { PRICING_PHASE: "paid" } });
    expect(await post(newWallet(), { name: "A" }, {}, paid)).toMatchObject(
      refusal(402, "payment_required", { price: "1.00" }),
    );
    expect(await paid.sql("select * from offchain.mint")).toEqual([]);
  });

  it("then the payees: a price set at run time sells nothing where none are configured", async () => {
    const unpaid = await apiForTest({ env: { PAY_TO_DEPLOYER: "", PAY_TO_TREASURY: "" } });
    await setPrices(unpaid.pool, standardPrices("paid"));
    expect(await post(newWallet(), { name: "A" }, {}, unpaid)).toMatchObject(refusal(503, "upstream_unavailable"));
    expect(await unpaid.sql("select * from offchain.mint")).toEqual([]);
  });

  it("is 503 out_of_funds before anything happens, and what was accepted before is still answered", async () => {
    const known = newWallet();
    const request = { name: "Known" };
    const key = { "idempotency-key": "known" };
    const first = await minted(post(known, request, key));
    await api.plant("sender_state", {});
    const refused = await post(newWallet(), { name: "Late" });
    expect(refused).toMatchObject(refusal(503, "out_of_funds"));
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await mints()).toHaveLength(1);
    expect(await post(known, request, key)).toMatchObject({ status: 201, text: first.text });
  });
});

describe("the body", () => {
  const good: [string, object, object][] = [
    ["a name of 1", { name: "x" }, { name: "x", framework: "custom", soulbound: false }],
    ["a name of 64 code points", { name: "🤖".repeat(64) }, { name: "🤖".repeat(64) }],
    ["white space around the name", { name: "  Ada  " }, { name: "Ada" }],
    ["a decomposed name", { name: "Cafe\u0301" }, { name: "Café" }],
    ["a framework in capitals", { name: "A", framework: "LangChain" }, { framework: "langchain" }],
    ["an alias of a framework", { name: "A", framework: "ElizaOS" }, { framework: "eliza" }],
    ["soulbound", { name: "A", soulbound: true }, { soulbound: true }],
    [
      "levels 0 and 10",
      { name: "A", personality: { riskTolerance: 0, autonomyLevel: 10 } },
      { personality: { riskTolerance: 0, autonomyLevel: 10 } },
    ],
    [
      "services, skills, domains and metadata",
      {
        name: "A",
        services: { web: "https://quill.example", mcp: { url: "https://quill.example/mcp" } },
        skills: ["drafting"],
        domains: [],
        metadata: { acceptedPayments: "usdc" },
      },
      {
        listing: {
          services: { web: { url: "https://quill.example" }, mcp: { url: "https://quill.example/mcp" } },
          skills: ["drafting"],
          domains: [],
          metadata: { acceptedPayments: ["usdc"] },
        },
      },
    ],
    ["none of them", { name: "A" }, { listing: null }],
    [
      "empty optional texts",
      { name: "A", framework: "", referralCode: " ", personality: { humor: "" }, narrative: { origin: "" } },
      { framework: "custom", referral_code: null },
    ],
    [
      "null for what is optional",
      {
        ...{ name: "A", framework: null, soulbound: null, narrative: null, referralCode: null, services: null },
        personality: { humor: null, riskTolerance: null, quirks: "hums" },
      },
      { framework: "custom", referral_code: null, listing: null },
    ],
    ["long texts at their limits", { name: "A", narrative: { origin: "o".repeat(512), lore: "l".repeat(1024) } }, {}],
  ];
  it.each(good)("with %s is accepted", async (_, body, stored) => {
    expect((await minted(post(newWallet(), body))).status).toBe(201);
    expect((await mints())[0]).toMatchObject(stored);
  });

  const bad: [string, unknown, string][] = [
    ["no name", {}, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a blank name", { name: " \u3000 " }, "name"],
    ["a name of 65", { name: "x".repeat(65) }, "name"],
    ["a name of 65 code points", { name: "🤖".repeat(65) }, "name"],
    ["a number as name", { name: 5 }, "name"],
    ["a line break in the name", { name: "a\nb" }, "name"],
    ["a bidi override", { name: "a\u202eb" }, "name"],
    ["a zero-width space", { name: "a\u200bb" }, "name"],
    ["an unknown framework", { name: "A", framework: "cobol" }, "framework"],
    ["soulbound as text", { name: "A", soulbound: "true" }, "soulbound"],
    ["soulbound as number", { name: "A", soulbound: 1 }, "soulbound"],
    ["level 11", { name: "A", personality: { riskTolerance: 11 } }, "personality.riskTolerance"],
    ["level -1", { name: "A", personality: { riskTolerance: -1 } }, "personality.riskTolerance"],
    ["level 1.5", { name: "A", personality: { autonomyLevel: 1.5 } }, "personality.autonomyLevel"],
    ["an unknown key", { name: "A", admin: true }, "admin"],
    ["a service that is no web address", { name: "A", services: { web: "quill.example" } }, "services.web.url"],
    ["an unknown key inside", { name: "A", narrative: { plot: "" } }, "narrative.plot"],
    ["quirks of 257", { name: "A", personality: { quirks: "q".repeat(257) } }, "personality.quirks"],
    ["a mission of 513", { name: "A", narrative: { mission: "m".repeat(513) } }, "narrative.mission"],
    ["a manifesto of 1025", { name: "A", narrative: { manifesto: "m".repeat(1025) } }, "narrative.manifesto"],
    ["null for its name", { name: null }, "name"],
    ["a list", ["A"], "body"],
    ["a malformed referral code", { name: "A", referralCode: "../x" }, "referralCode"],
  ];
  it.each(bad)("with %s is 400 and names the place", async (_, body, path) => {
    expect(await post(newWallet(), body)).toMatchObject(refusal(400, "invalid_input", { details: [{ path }] }));
    expect(await mints()).toEqual([]);
  });
});

describe("a registration", () => {
  it("is 201 with everything the agent needs, and the agent in full", async () => {
    await plantAgents(api.pool, [{ tokenId: 3, name: "Referrer" }]);
    await ensureReferralCodes(api.pool, [
      { tokenId: 3, name: "Referrer", agentAddress: "0x0000000000000000000000000000000000000003" },
    ]);
    const code = (await api.sql("select code from offchain.referral_code"))[0].code;
    const { status, body, headers } = await minted(
      post(wallet, { name: "Ada", framework: "eliza", referralCode: code.toUpperCase() }),
    );
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.has("etag")).toBe(false);
    expect(body).toMatchObject({
      success: true,
      tokenId: 7,
      txHash: `0x${"c".repeat(64)}`,
      block,
      mintOrigin: "AGENT_SIWA",
      explorer: "https://basescan.org/token/0x2e3B541C59D38b84E3Bc54e977200230A204Fe60?a=7",
      canonical8004: { status: "manual_required", registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432" },
      yourReferralCode: expect.stringMatching(/^ada-[a-z0-9]{4}$/),
      yourReferralLink: expect.stringMatching(/^https:\/\/agents\.test\/mint\?ref=ada-/),
      agent: { tokenId: 7, name: "Ada", agentAddress: wallet.address, framework: "eliza" },
      og: null,
      referral: { code, referrerTokenId: 3, referrerPoints: 50, minterPoints: 25 },
    });
    expect(await intents()).toMatchObject([{ intent_key: `mint:${(await mints())[0].mint_id}`, state: "queued" }]);
  });

  it("by the code of a V1 wallet without an agent has points for the newcomer alone", async () => {
    const { body } = await minted(post(newWallet(), { name: "Ada", referralCode: "BENDR" }));
    expect(body).toMatchObject({
      referral: { code: "bendr", referrerTokenId: null, referrerPoints: 0, minterPoints: 25 },
    });
  });

  it("of a V1 wallet tells what it is granted", async () => {
    const [veteran] = OG_WALLETS;
    const answer = post(newWallet(), { name: "Veteran" });
    const row = await until("the mint", async () => (await mints())[0]);
    // Nobody here has a V1 wallet's key.
    await api.sql("update offchain.mint set wallet = $2 where mint_id = $1", row.mint_id, veteran!.wallet);
    await mineNext();
    expect((await answer).body).toMatchObject({ og: { v1Name: veteran!.v1Name, bonusPoints: 200, trait: "V1 OG" } });
  });

  it("is 202 while reads do not show its agent, and its state has none", async () => {
    const answer = api.impatiently(() => post(newWallet(), { name: "Early" }));
    await mineNext({ indexed: false });
    const { status, body } = await answer;
    expect(status).toBe(202);
    const { mintId } = body as unknown as { mintId: string };
    expect((await api.get(`/api/v2/mint/${mintId}`)).body).toMatchObject({ status: "minted", agent: null });
  });

  it("that takes long is 202 with a place to ask, and the retry gets the 201", async () => {
    const key = { "idempotency-key": "slow" };
    const pending = await api.impatiently(() => post(wallet, { name: "Slow" }, key));
    expect(pending).toMatchObject({ status: 202, body: { status: "pending" } });
    const { mintId, statusUrl } = pending.body as unknown as { mintId: string; statusUrl: string };
    expect(statusUrl).toBe(`https://${HOST}/api/v2/mint/${mintId}`);
    const path = `/api/v2/mint/${mintId}`;
    expect((await api.get(path)).body).toEqual(pending.body);
    await mineNext();
    expect((await api.get(path)).body).toMatchObject({ status: "minted", mintId, tokenId: 7, agent: { name: "Slow" } });
    expect((await api.get(path)).headers.get("cache-control")).toBe("no-store");
    const again = await post(wallet, { name: "Slow" }, key);
    expect(again).toMatchObject({ status: 201, body: { tokenId: 7 } });
    const third = await post(wallet, { name: "Slow" }, key);
    expect(third).toMatchObject({ status: 201, text: again.text });
    expect(third.headers.get("idempotent-replayed")).toBe("true");
    expect(await mints()).toHaveLength(1);
  });

  it("that the chain refuses is 409 with its reason; a new attempt may succeed", async () => {
    const answer = post(wallet, { name: "Refused" });
    const row = await until("the mint", async () => (await mints())[0]);
    await failMint(api.pool, row.mint_id, "the contract is paused", new Date());
    expect(await answer).toMatchObject(refusal(409, "conflict", { error: expect.stringContaining("paused") }));
    expect((await api.get(`/api/v2/mint/${row.mint_id}`)).body).toMatchObject({
      status: "failed",
      reason: "the contract is paused",
    });
    expect((await minted(post(wallet, { name: "Refused" }, { "idempotency-key": "second" }))).status).toBe(201);
  });

  it.each([
    ["not-a-uuid", 400],
    ["0b0e2c2e-4b1f-4f0e-9a52-2f6a3f1f5d11", 404],
    ["0B0E2C2E-4B1F-4F0E-9A52-2F6A3F1F5D11", 404],
    ["%00", 400],
  ])("GET /mint/%s is %i", async (mintId, status) =>
    expect((await api.get(`/api/v2/mint/${mintId}`)).status).toBe(status),
  );
});

describe("the same request again", () => {
  it("byte for byte, without a key, gets the same registration", async () => {
    const authorization = await wallet.siwa();
    const first = await minted(post(null, { name: "Twin" }, { authorization }));
    const again = await post(null, { name: "Twin" }, { authorization });
    expect(again).toMatchObject(answering(201, { tokenId: 7, txHash: (first.body as { txHash?: string }).txHash }));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(first.headers.has("idempotent-replayed")).toBe(false);
  });

  it("with a fresh credential is 409 already_registered and names the token", async () => {
    await minted(post(wallet, { name: "Once" }));
    const other = await post(wallet, { name: "Once" }, { authorization: await wallet.siwa(Date.now() - 1_000) });
    expect(other).toMatchObject(refusal(409, "already_registered", { tokenId: 7 }));
  });

  it("is 409 for a wallet that registered elsewhere: by the contract itself", async () => {
    await plantAgents(api.pool, [{ tokenId: 0, agentAddress: lower(wallet) }]);
    expect(await post(wallet, { name: "Again" })).toMatchObject(refusal(409, "already_registered", { tokenId: 0 }));
  });

  it("a wallet that only owns a bought token may register", async () => {
    await plantAgents(api.pool, [{ tokenId: 1, owner: lower(wallet) }]);
    expect((await minted(post(wallet, { name: "Buyer" }))).status).toBe(201);
  });

  it("50 at once, without a key, are one mint", async () => {
    const authorization = await wallet.siwa();
    const all = Promise.all(Array.from({ length: 50 }, () => post(null, { name: "Crowd" }, { authorization })));
    await mineNext();
    const answers = await all;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.tokenId))).toEqual(new Set([7]));
    expect(await mints()).toHaveLength(1);
    expect(await intents()).toHaveLength(1);
  });

  it("50 at once, each with its own credential, are one mint and 49 refusals", async () => {
    const now = Date.now();
    const credentials = await Promise.all(Array.from({ length: 50 }, (_, i) => wallet.siwa(now - i)));
    const all = Promise.all(credentials.map((authorization) => post(null, { name: "Crowd" }, { authorization })));
    await mineNext();
    const statuses = (await all).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(49).fill(409)]);
    expect(await mints()).toHaveLength(1);
  });

  it("after a crash finds what the first attempt did, under the same key", async () => {
    const key = { "idempotency-key": "crashed" };
    await api.impatiently(() => post(wallet, { name: "Crash" }, key));
    await mineNext();
    // What a process killed between minting and answering leaves: the mint, and a running key without an owner.
    await api.sql("delete from offchain.idempotency");
    const first = await post(wallet, { name: "Crash" }, key);
    await api.sql(
      "update offchain.idempotency set state = 'running', body = null, status = null, lease_until = now() - interval '1 s'",
    );
    const again = await post(wallet, { name: "Crash" }, key);
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(await mints()).toHaveLength(1);
  });
});
