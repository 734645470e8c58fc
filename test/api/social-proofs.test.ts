/** POST /agent/{id}/verify/x, /github and /farcaster against the simulators: what proves an account, for whom, and what never does. */
import { beforeEach, describe, expect, it } from "vitest";
import { openPublicHttp } from "../../clients/public-http.ts";
import { unconfiguredProofs } from "../../clients/unavailable.ts";
import { plantRows } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { simulated, simulatedProofs } from "../clients/support/simulated.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, answering, apiForFile, apiForTest, refusal } from "./support/api.ts";
import { chainOfAccounts } from "./support/chains.ts";
import { plantTransfer } from "./support/plants.ts";
import { decide, intentsIn, mineQueued } from "./support/play-sender.ts";
import { lower, newWallet, type Wallet } from "./support/wallets.ts";

const sim = perFile(simulated);
const raw = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, origins: [sim.url], limits: PATIENT }));
const [owner, own, stranger, other] = [newWallet(), newWallet(), newWallet(), newWallet()];
const TRAIT_PRICE = 5n;

const api = apiForFile(() => ({
  env: { LIMITS: "proofs=0" },
  chain: chainOfAccounts(TRAIT_PRICE),
  deps: { proofs: simulatedProofs(sim, raw) },
}));
beforeEach(async () => {
  await api.sql(`truncate offchain.proof, offchain.allowance, offchain.transaction_outbox, offchain.transaction_attempt, offchain.idempotency, offchain.cred,
       offchain.cred_history, offchain.sender_state cascade;
     truncate onchain.agent; truncate onchain.trait`);
  await plantAgents(api.pool, [
    { tokenId: 1, owner: lower(owner), agentAddress: lower(own) },
    { tokenId: 12, owner: lower(other), agentAddress: lower(other) },
  ]);
  for (const source of ["x", "github", "farcaster"]) await sim.fail(source, { times: 0 });
  await sim.control("PUT", "x/users/Ada", { id: "100", description: "helixa:1" });
  await sim.control("PUT", "github/users/Octo-Cat", {
    id: 583231,
    gists: [{ id: "aa11", public: true, files: { "helixa-verify.txt": "1\n" } }],
  });
  await sim.control("PUT", "farcaster/users/dwr", { fid: 3, casts: [{ hash: "0xc1", text: "gm helixa:1" }] });
});

const post = async (
  platform: string,
  body: unknown,
  { by = owner as Wallet | null, id = 1, headers = {}, at = api } = {},
): Promise<Answer> =>
  at.write("POST", `/api/v2/agent/${id}/verify/${platform}`, body, {
    ...(by && { authorization: await by.siwa() }),
    ...headers,
  });
/** A request whose transaction is mined while it waits. */
const proven = async (...request: Parameters<typeof post>) =>
  (await Promise.all([post(...request), mineQueued(api.pool, 1, { prefix: "proof:" })]))[0];
const rows = async (sql: string) => await api.sql(sql);
const proofs = () =>
  rows("select token_id::int4, platform, account_id, handle, status, tx_hash from offchain.proof order by 1, 2");
const verifySignal = async (id = 1) =>
  (await rows(`select verify from offchain.cred where token_id = ${id}`))[0]?.verify ?? 0;
const verifications = async (id = 1) => (await api.get(`/api/v2/agent/${id}/verifications`)).body;
/** The indexer's part: the trait of a mined transaction. */
const indexTrait = async (tokenId: number, name: string, txHash: string, category = "verification") =>
  plantRows(api.pool, "trait", [{ tokenId, position: 9, name, category, addedAt: 1_790_000_300, txHash }]);

/** Every account shows agent 1 and agent 12. */
async function showBoth(): Promise<void> {
  await sim.control("PUT", "x/users/Ada", { id: "100", description: "helixa:1 helixa:12" });
  const casts = ["12", "1"].map((id) => ({ hash: `0xc${id}`, text: `helixa:${id}` }));
  await sim.control("PUT", "farcaster/users/dwr", { fid: 3, casts });
  const gists = ["12", "1"].map((id) => ({ id: `aa${id}`, public: true, files: { "helixa-verify.txt": id } }));
  await sim.control("PUT", "github/users/Octo-Cat", { id: 583231, gists });
}

const PLATFORMS = [
  ["x", { handle: "@ada" }, { handle: "Ada", username: "Ada" }, "100"],
  ["github", { username: "octo-cat" }, { handle: "Octo-Cat", username: "Octo-Cat" }, "583231"],
  ["farcaster", { username: "dwr" }, { handle: "dwr", username: "dwr", fid: 3 }, "3"],
] as const;

describe.each(PLATFORMS)("%s", (platform, body, shown, accountId) => {
  it("is proven: record, trait and score in one commit, told with the transaction", async () => {
    const answer = await proven(platform, body);
    expect(answer.status).toBe(200);
    const [{ tx_hash: txHash }] = await rows("select tx_hash from offchain.transaction_outbox");
    expect(answer.body).toEqual({
      success: true,
      tokenId: 1,
      platform,
      ...shown,
      trait: `${platform}-verified`,
      txHash,
      block: 1000,
      explorer: `https://basescan.org/tx/${txHash}`,
    });
    expect(await intentsIn(api.pool, "mined")).toEqual([
      {
        key: `proof:1:${platform}`,
        functionName: "addTrait",
        args: [1n, `${platform}-verified`, "verification"],
        valueWei: TRAIT_PRICE,
      },
    ]);
    expect(await proofs()).toEqual([
      { token_id: 1, platform, account_id: accountId, handle: shown.handle, status: "verified", tx_hash: txHash },
    ]);
    expect(await verifySignal()).toBe(25);
    expect((await verifications())[platform]).toMatchObject({
      ...{ handle: shown.handle, status: "verified", txHash, quote: expect.stringMatching(/1$/) },
    });
    expect(await rows("select cause from offchain.cred_history")).toEqual([{ cause: `${platform}-verified` }]);
  });

  it("counts at once, while the chain is slow: 202, and the same request tells the rest", async () => {
    const answer = await api.impatiently(() => post(platform, body));
    expect(answer).toMatchObject({ status: 202, body: { status: "pending", tokenId: 1, txHashes: [] } });
    expect(await verifySignal()).toBe(25);
    expect((await verifications())[platform]).toMatchObject({ status: "verified", txHash: null });
    expect(await proven(platform, body)).toMatchObject({ status: 200, body: { trait: `${platform}-verified` } });
    expect(await rows("select count(*)::int4 as intents from offchain.transaction_outbox")).toEqual([{ intents: 1 }]);
  });

  it("is confirmed when asked again: the same transaction, no second trait", async () => {
    const first = await proven(platform, body);
    await api.sql(
      "update offchain.proof set verified_at = now() - interval '9 d', checked_at = now() - interval '1 d'",
    );
    const again = await post(platform, body);
    expect(again).toMatchObject({ status: 200, body: { txHash: first.body.txHash } });
    await indexTrait(1, `${platform}-verified`, String(first.body.txHash));
    expect(await post(platform, body)).toMatchObject({ status: 200, body: { txHash: first.body.txHash } });
    const [{ confirmed, old }] = await rows(
      "select checked_at > now() - interval '1 min' as confirmed, verified_at < now() - interval '8 d' as old from offchain.proof",
    );
    expect([confirmed, old]).toEqual([true, true]);
    expect(await rows("select count(*)::int4 as intents from offchain.transaction_outbox")).toEqual([{ intents: 1 }]);
  });

  it("belongs to the owner and the agent's wallet, and to nobody else", async () => {
    expect(await post(platform, body, { by: null })).toMatchObject({ status: 401 });
    for (const by of [stranger, other])
      expect(await post(platform, body, { by })).toMatchObject(refusal(403, "forbidden"));
    expect(await post(platform, body, { id: 7 })).toMatchObject({ status: 404 });
    expect(await proofs()).toEqual([]);
    expect(await proven(platform, body, { by: own })).toMatchObject({ status: 200 });
  });

  it("proves one agent at a time", async () => {
    await showBoth();
    await proven(platform, body);
    const second = await post(platform, body, { id: 12, by: other });
    expect(second).toMatchObject(refusal(409, "conflict", { provesTokenId: 1 }));
    expect(await verifySignal(12)).toBe(0);
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
    await api.sql("update offchain.proof set status = 'lapsed'");
    expect(await proven(platform, body, { id: 12, by: other })).toMatchObject({ status: 200, body: { tokenId: 12 } });
    // The first agent's own trait stays, and with its account gone to another it cannot come back.
    expect(await post(platform, body)).toMatchObject({ status: 409, body: { provesTokenId: 12 } });
  });

  it("proves one agent at a time also when both ask at once", async () => {
    await showBoth();
    const answers = await api.impatiently(() =>
      Promise.all([post(platform, body), post(platform, body, { id: 12, by: other })]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(await proofs()).toHaveLength(1);
  });

  it("a lapsed proof revives, with the trait it had", async () => {
    const first = await proven(platform, body);
    await api.sql("update offchain.proof set status = 'lapsed'; truncate offchain.cred");
    expect(await post(platform, body)).toMatchObject({ status: 200, body: { txHash: first.body.txHash } });
    expect(await proofs()).toMatchObject([{ status: "verified" }]);
    expect(await verifySignal()).toBe(25);
  });

  it.each([
    ["an error", { status: 500 }],
    ["a limit", { status: 429 }],
    ["HTML", { status: 200, body: "<html>Just a moment…</html>" }],
    ["silence", { hangs: true as const }],
  ])("answers %s of the platform with 503, grants nothing, and works later", async (_what, plan) => {
    await sim.fail(platform, plan);
    const answer = await post(platform, body, { headers: { "idempotency-key": `outage-${platform}-${_what}` } });
    expect(answer).toMatchObject(refusal(503, "upstream_unavailable"));
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.text).not.toContain(sim.url);
    expect(await proofs()).toEqual([]);
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
    await sim.fail(platform, { times: 0 });
    expect(
      await proven(platform, body, { headers: { "idempotency-key": `outage-${platform}-${_what}` } }),
    ).toMatchObject({ status: 200 });
  });

  it("is refused while the service cannot pay for the trait", async () => {
    await api.plant("sender_state", {});
    expect(await post(platform, body)).toMatchObject(refusal(503, "out_of_funds"));
    expect(await proofs()).toEqual([]);
  });

  it("stands although the chain refuses the trait, which the same request tries anew", async () => {
    const [answer] = await Promise.all([post(platform, body), mineQueuedAs({ reverted: "NotTokenOwner" })]);
    expect(answer).toMatchObject(refusal(409, "conflict", { error: expect.stringContaining("NotTokenOwner") }));
    expect(await verifySignal()).toBe(25);
    expect(await proven(platform, body)).toMatchObject({ status: 200 });
    expect((await proofs())[0].tx_hash).toMatch(/^0x/);
  });
});

async function mineQueuedAs(outcome: { reverted: string }): Promise<void> {
  const { key } = await until("a queued trait", async () => (await intentsIn(api.pool, "queued", "proof:"))[0]);
  await decide(api.pool, key, outcome);
}

describe("a proof that is not there", () => {
  it.each([
    [
      "x",
      { handle: "ada" },
      () => sim.control("PUT", "x/users/Ada", { id: "100", description: "helixa:12" }),
      "helixa:1",
    ],
    ["x", { handle: "nobody" }, () => {}, "helixa:1"],
    ["x", { handle: "ada" }, () => sim.control("DELETE", "x/users/ada"), "helixa:1"],
    ["github", { username: "octo-cat", gistId: "ffff" }, () => {}, "helixa:1"],
    ["github", { username: "thief", gistUrl: "https://gist.github.com/octo-cat/aa11" }, () => {}, "helixa:1"],
    [
      "github",
      { username: "octo-cat" },
      () =>
        sim.control("PUT", "github/users/octo-cat", {
          id: 583231,
          gists: [{ id: "aa11", fork_of: { id: "b" }, files: { "helixa-verify.txt": "1" } }],
        }),
      "helixa:1",
    ],
    ["farcaster", { fid: 4 }, () => {}, "helixa:1"],
    ["farcaster", { username: "dwr", fid: 4 }, () => {}, "helixa:1"],
    [
      "farcaster",
      { username: "dwr" },
      () => sim.control("PUT", "farcaster/users/dwr", { fid: 3, casts: [] }),
      "helixa:1",
    ],
  ])("is 422 with what was expected: %s %j", async (platform, body, change, expected) => {
    await change();
    const answer = await post(platform, body, { headers: { "idempotency-key": "again" } });
    expect(answer).toMatchObject(
      refusal(422, "proof_missing", {
        expected,
        hint: expect.stringContaining(expected),
        error: expect.stringMatching(/\.$/),
      }),
    );
    expect(await proofs()).toEqual([]);
    expect(await verifySignal()).toBe(0);
  });

  it("says what stands there instead, without what hides in it, cut to a length", async () => {
    const found = async (platform: string, body: unknown) =>
      ((await post(platform, body)).body as { found?: unknown }).found;
    await sim.control("PUT", "x/users/Ada", { id: "100", description: `I am\u202e helixa:12${"!".repeat(400)}` });
    expect(await found("x", { handle: "ada" })).toBe(`I am helixa:12${"!".repeat(266)}`);
    await sim.control("PUT", "github/users/Octo-Cat", {
      id: 583231,
      gists: [{ id: "aa11", public: true, files: { "helixa-verify.txt": "7\n" } }],
    });
    expect(await found("github", { username: "octo-cat" })).toBe("7");
    await sim.control("PUT", "farcaster/users/dwr", { fid: 3, casts: [{ hash: "0xc1", text: "gm" }] });
    expect(await found("farcaster", { username: "dwr" })).toBe("gm");
    expect(await found("x", { handle: "nobody" })).toBeNull();
  });

  it("may be there a moment later, under the same Idempotency-Key", async () => {
    await sim.control("PUT", "x/users/Ada", { id: "100", description: "soon" });
    const headers = { "idempotency-key": "soon" };
    expect(await post("x", { handle: "ada" }, { headers })).toMatchObject({ status: 422 });
    await sim.control("PUT", "x/users/Ada", { id: "100", description: "helixa:1" });
    expect(await proven("x", { handle: "ada" }, { headers })).toMatchObject({ status: 200 });
  });

  it("does not take away one that stands", async () => {
    await proven("x", { handle: "ada" });
    expect(await post("x", { handle: "nobody" })).toMatchObject({ status: 422 });
    expect(await proofs()).toMatchObject([{ account_id: "100", status: "verified" }]);
  });
});

describe("a request", () => {
  it.each([
    ["x", {}],
    ["x", { handle: "not a handle" }],
    ["x", { handle: "../../2/users/1" }],
    ["x", { handle: 5 }],
    ["github", {}],
    ["github", { username: "octo/cat" }],
    ["github", { username: "octo-cat", gistId: "https://evil.example/aa11" }],
    ["github", { username: "octo-cat", gistId: "" }],
    ["farcaster", {}],
    ["farcaster", { username: "a b" }],
    ["farcaster", { fid: 0 }],
    ["farcaster", { fid: "x" }],
    ["farcaster", { fid: 1.5 }],
  ])("to %s with %j is 400", async (platform, body) =>
    expect(await post(platform, body)).toMatchObject(refusal(400, "invalid_input")),
  );

  it("may name a Farcaster account by its number alone, also as a text", async () => {
    expect(await proven("farcaster", { fid: "3" })).toMatchObject({ status: 200, body: { handle: "dwr", fid: 3 } });
  });
});

describe("the score", () => {
  it("is raised by records alone, never by what somebody calls a trait", async () => {
    await indexTrait(1, "x-verified", `0x${"9".repeat(64)}`);
    const { body } = await api.get("/api/v2/agent/1/verifications");
    expect(body).toMatchObject({ x: null });
    // The trait on chain is not given a second time, whoever gave it.
    expect(await post("x", { handle: "ada" })).toMatchObject({ status: 200, body: { txHash: `0x${"9".repeat(64)}` } });
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
    expect(await verifySignal()).toBe(25);
  });

  it("does not take a trait of that name in another category for ours", async () => {
    await indexTrait(1, "x-verified", `0x${"9".repeat(64)}`, "fun");
    expect(await proven("x", { handle: "ada" })).toMatchObject({ status: 200, body: { block: 1000 } });
  });

  it("keeps a proof through a transfer; the new owner may prove another account in its place", async () => {
    await proven("x", { handle: "ada" });
    await api.sql("update onchain.agent set owner = $1 where token_id = 1", lower(stranger));
    expect(await verifications()).toMatchObject({ x: { handle: "Ada", status: "verified" } });
    expect(await post("x", { handle: "ada" })).toMatchObject({ status: 403 });
    await sim.control("PUT", "x/users/Eve", { id: "200", description: "helixa:1" });
    expect(await post("x", { handle: "eve" }, { by: stranger })).toMatchObject(answering(200, { handle: "Eve" }));
    expect(await proofs()).toMatchObject([{ account_id: "200", status: "verified" }]);
    expect(await verifySignal()).toBe(25);
  });

  it("counts each platform", async () => {
    for (const [platform, body] of PLATFORMS) await proven(platform, body);
    expect(await verifySignal()).toBe(75);
  });
});

it("a platform nobody has given a key for is 503, with a plain sentence", async () => {
  const bare = await apiForTest({ deps: { proofs: { ...api.deps.proofs, x: unconfiguredProofs("X") } } });
  await plantAgents(bare.pool, [{ tokenId: 1, owner: lower(owner), agentAddress: lower(own) }]);
  expect(await post("x", { handle: "ada" }, { at: bare })).toMatchObject(
    refusal(503, "upstream_unavailable", { error: "This service is not set up to ask X." }),
  );
});

it("counts for the owner who had it made: of a token that is sold, until the buyer makes it again", async () => {
  const transfer = (from: string, to: string, at: number) => plantTransfer(api.pool, 1, [from, to], at, { block: at });
  const earlier = async () => (await verifications()).x as unknown as { earlierOwner: boolean };
  await api.sql("truncate offchain.proof_ownership, onchain.transfer");
  await transfer(`0x${"0".repeat(40)}`, lower(owner), 900);
  expect((await proven("x", { handle: "ada" })).status).toBe(200);
  expect(await earlier()).toMatchObject({ earlierOwner: false });
  await transfer(lower(owner), lower(other), 2_000_000_000);
  await api.sql("update onchain.agent set owner = $1 where token_id = 1", lower(other));
  expect(await earlier()).toMatchObject({ earlierOwner: true });
  expect(await verifySignal()).toBe(25);
  expect((await post("x", { handle: "ada" }, { by: other })).status).toBe(200);
  expect(await earlier()).toMatchObject({ earlierOwner: false });
  expect(
    await rows("select owner, token_transfers::int4 as transfers from offchain.proof_ownership order by 2"),
  ).toEqual([
    { owner: lower(owner), transfers: 1 },
    { owner: lower(other), transfers: 2 },
  ]);
  await api.sql("truncate onchain.transfer");
});
