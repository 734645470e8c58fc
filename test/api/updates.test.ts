/** POST /agent/{id}/update and PUT /agent/{id}/personality: who may, what is written where, what is refused. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApi } from "../../api/app.ts";
import { WRITE_FAULT_POINTS } from "../../api/services/writing.ts";
import { plantCheckpoint, plantRows } from "../../harness/onchain.ts";
import { until } from "../../harness/until.ts";
import { forAllLater } from "../support/for-all.ts";
import { words } from "../support/words.ts";
import { plantAgents } from "./support/agents.ts";
import { answering, apiForFile, refusal, serverForTest } from "./support/api.ts";
import { decide, intentsIn, mineQueued } from "./support/play-sender.ts";
import { lower, newWallet, type Wallet } from "./support/wallets.ts";

const [owner, own, stranger] = [newWallet(), newWallet(), newWallet()];
let fault = "";
const api = apiForFile({
  deps: {
    fault: (point) => {
      if (point === fault) throw new Error("killed");
    },
  },
});
beforeEach(async () => {
  await api.sql(`truncate offchain.profile_field, offchain.profile_trait, offchain.transaction_outbox, offchain.transaction_attempt, offchain.chain_write,
       offchain.idempotency, offchain.cred, offchain.cred_history, offchain.sender_state cascade;
     truncate onchain.agent; truncate onchain.trait`);
  await plantAgents(api.pool, [{ tokenId: 0, owner: lower(owner), agentAddress: lower(own) }]);
  await plantCheckpoint(api.pool);
  await api.deps.index.refresh();
});
afterEach(() => {
  fault = "";
});

const post = async (
  body: unknown,
  { by = owner, path = "/api/v2/agent/0/update", method = "POST", headers = {} } = {},
) =>
  api.send(method, path, {
    headers: { "content-type": "application/json", authorization: await by.siwa(), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const agent = async (id = 0) => await api.read<Record<string, never>>(`/api/v2/agent/${id}`);
const onchain = "/api/v2/agent/0/update?onchain=true";
const trait = (name: string, category = "character") => ({ name, category });

it("limits changes of a profile a day for each agent and wallet", async () => {
  const { config } = api.deps;
  const rates = { ...config.rates, "updates-by-day": 2 };
  await plantAgents(api.pool, [{ tokenId: 77, owner: lower(owner), agentAddress: lower(own) }]);
  const strict = await serverForTest(createApi({ ...api.deps, config: { ...config, rates } }));
  const change = async (by: Wallet) =>
    (await strict.postAs(by, "/api/v2/agent/77/update", { narrative: { lore: crypto.randomUUID() } })).status;
  // One who may not change it takes nothing from who may.
  for (let n = 0; n < 3; n++) expect(await change(stranger)).toBe(403);
  expect([await change(owner), await change(owner), await change(owner)]).toEqual([200, 200, 429]);
  expect(await change(own)).toBe(200);
});

describe("off chain", () => {
  it("writes field by field, tells what, and the score follows at once", async () => {
    const { status, body } = await post({
      personality: { humor: "dry", riskTolerance: 0 },
      narrative: { origin: "Somerset", mission: "x" },
      traits: [trait("patient"), { name: "kind" }],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      tokenId: 0,
      updated: [
        ...words("personality.humor personality.riskTolerance narrative.origin narrative.mission trait:patient"),
        ...words("trait:kind"),
      ],
      storage: "offchain",
    });
    expect(await agent()).toMatchObject({
      personality: { humor: "dry", riskTolerance: 0, quirks: "", autonomyLevel: null },
      narrative: { origin: "Somerset", mission: "x", lore: "" },
      traits: [trait("kind", "general"), trait("patient")],
    });
    const rows = await api.sql("select traits, narrative, verify, coinbase from offchain.cred");
    expect(rows).toEqual([{ traits: 24, narrative: 50, verify: 0, coinbase: 0 }]);
    await post({ narrative: { mission: "" } });
    expect(await agent()).toMatchObject({ narrative: { origin: "Somerset", mission: "" } });
    expect(await api.sql("select narrative from offchain.cred")).toEqual([{ narrative: 25 }]);
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
  });

  it("sets the time of a trait itself: addedAt is ignored and named, other unknown fields are refused", async () => {
    const addedAt = "2020-01-01T00:00:00.000Z";
    const { status, body } = await post({
      traits: [{ name: "kind" }, { ...trait("patient"), addedAt }, { ...trait("bold"), addedAt: 5 }],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      updated: ["trait:kind", "trait:patient", "trait:bold"],
      ignored: ["traits.1.addedAt", "traits.2.addedAt"],
    });
    const traits = (await agent()).traits as never as { addedAt: string }[];
    expect(traits).toHaveLength(3);
    for (const { addedAt } of traits) expect(Date.now() - Date.parse(addedAt)).toBeLessThan(600_000);
    // What a page read of the agent it may send back.
    expect(await post({ traits })).toMatchObject({ status: 200, body: { ignored: { length: 3 } } });
    expect(await post({ traits: [{ name: "x", source: "y" }] })).toMatchObject(
      answering(400, { details: [{ path: "traits.0.source" }] }),
    );
  });

  it("PUT personality is the update of that part", async () => {
    const path = "/api/v2/agent/0/personality";
    const put = (body: unknown) => post(body, { method: "PUT", path });
    expect(await put({ personality: { quirks: "hums", autonomyLevel: 10 } })).toMatchObject(
      answering(200, { updated: ["personality.quirks", "personality.autonomyLevel"], storage: "offchain" }),
    );
    // The personality itself, without its name.
    expect(await put({ quirks: "hums", riskTolerance: 3 })).toMatchObject(
      answering(200, { updated: ["personality.quirks", "personality.riskTolerance"] }),
    );
    for (const neither of [{}, { nothing: "of it" }]) expect(await put(neither)).toMatchObject({ status: 400 });
    expect(await put({ personality: {} })).toMatchObject({ status: 400 });
    expect(await put({ personality: { quirks: "a" }, narrative: { origin: "b" } })).toMatchObject({ status: 400 });
  });

  it("lays over what the chain says, even when the chain's clock is ahead of ours", async () => {
    const ahead = Math.floor(Date.now() / 1000) + 3600;
    await api.sql(
      `update onchain.agent set narrative = '{"origin":"chain","mission":"chain","lore":"","manifesto":""}', narrative_at = $1,
         personality = '{"quirks":"chain","communicationStyle":"","values":"","humor":"chain","riskTolerance":1,"autonomyLevel":2}',
         personality_at = $2`,
      JSON.stringify({ origin: ahead, mission: ahead }),
      ahead,
    );
    await post({ narrative: { origin: "ours" }, personality: { humor: "ours" } });
    expect(await agent()).toMatchObject({
      narrative: { origin: "ours", mission: "chain" },
      personality: { humor: "ours", quirks: "chain", riskTolerance: 1 },
    });
    await post({ narrative: { origin: "again" } });
    expect(await agent()).toMatchObject({ narrative: { origin: "again" } });
  });

  it("what an owner adds on chain under a reserved word is a trait like any other", async () => {
    const words = [
      ["x-verified", "verification"],
      ["V1 OG", "badge"],
      ["coinbase-verified", "verification"],
    ];
    await plantRows(
      api.pool,
      "trait",
      words.map(([name, category], position) => ({
        tokenId: 0,
        position,
        name,
        category,
        addedAt: 1,
        txHash: "0x1",
      })),
    );
    await api.sql("update onchain.agent set trait_count = 3, framework = 'verification', name = 'x-verified'");
    await post({ personality: { values: "verification badge coinbase" } });
    expect(await agent()).toMatchObject({ verified: false, coinbaseVerified: false });
    expect(await api.sql("select traits, verify, coinbase from offchain.cred")).toEqual([
      { traits: 36, verify: 0, coinbase: 0 },
    ]);
    expect((await api.get("/api/v2/agent/0/verifications")).body).toEqual({
      reservations: [],
      tokenId: 0,
      expected: "helixa:0",
      x: null,
      github: null,
      farcaster: null,
    });
  });

  it("keeps services, skills, domains and metadata as given, replaces them whole, and scores none", async () => {
    await post({ narrative: { mission: "x" } });
    const before = await api.sql("select * from offchain.cred");
    const listing = {
      services: {
        web: "https://quill.example",
        mcp: { url: "https://quill.example/mcp", version: "2025-06-18" },
        telegram: { handle: "@quill" },
        blank: "",
        empty: { url: " " },
      },
      skills: ["drafting", " proofs ", "Drafting", ""],
      domains: ["law"],
      metadata: { acceptedPayments: ["usdc"], openToWork: true, rates: { hourly: 12.5, notes: ["a", null] } },
    };
    expect(await post(listing)).toMatchObject(
      answering(200, { updated: ["services", "skills", "domains", "metadata"], storage: "offchain" }),
    );
    const shown = {
      services: {
        web: { url: "https://quill.example" },
        mcp: { url: "https://quill.example/mcp", version: "2025-06-18" },
        telegram: { handle: "@quill" },
      },
      skills: ["Drafting", "proofs"],
      domains: ["law"],
      metadata: listing.metadata,
    };
    const { services, skills, domains, metadata } = await agent();
    expect({ services, skills, domains, metadata }).toEqual(shown);
    expect(await api.sql("select * from offchain.cred")).toMatchObject(
      before.map(({ computed_at: _, seen_block: __, ...scores }) => scores),
    );
    expect((await post({ services: { web: { url: "http://other.example/a" } }, skills: [] })).status).toBe(200);
    expect(await agent()).toMatchObject({
      ...{ services: { web: { url: "http://other.example/a" } }, skills: [] },
      ...{ domains: ["law"], metadata: listing.metadata },
    });
    expect((await post({ services: {}, metadata: {} })).status).toBe(200);
    expect(await agent()).toMatchObject({ services: {}, skills: [], domains: ["law"], metadata: {} });
    const events = await api.sql(
      "select data from offchain.event where type = 'agent.updated' order by append_id desc limit 1",
    );
    expect(events).toEqual([
      {
        data: { changed: ["services", "metadata"], storage: "offchain", removed: ["web http://other.example/a"] },
      },
    ]);
  });

  it("two at once both count", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post({
          [i % 2 ? "personality" : "narrative"]: { [i % 2 ? "humor" : "lore"]: `${i}` },
          traits: [trait(`t${i}`)],
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { traits } = await agent();
    expect(traits).toHaveLength(12);
    const rows = await api.sql("select traits from offchain.cred");
    expect(rows).toEqual([{ traits: 100 }]);
  });

  it.each(WRITE_FAULT_POINTS)("killed at %s: the retry under the same key writes once", async (point) => {
    const headers = { "idempotency-key": `killed-${point}` };
    fault = point;
    expect((await post({ traits: [trait("once")] }, { headers })).status).toBe(500);
    fault = "";
    expect(await post({ traits: [trait("once")] }, { headers })).toMatchObject({ status: 200 });
    expect((await agent()).traits).toEqual([expect.objectContaining(trait("once"))]);
    api.errors.length = 0;
  });
});

describe("who may", () => {
  it("the owner and the agent's wallet, nobody else, and no former owner", async () => {
    const body = { narrative: { lore: "mine" } };
    expect((await post(body, { by: owner })).status).toBe(200);
    expect((await post(body, { by: own })).status).toBe(200);
    expect(await post(body, { by: stranger })).toMatchObject(refusal(403, "forbidden"));
    await api.sql("update onchain.agent set owner = $1", lower(stranger));
    expect((await post(body, { by: owner })).status).toBe(403);
    expect((await post(body, { by: stranger })).status).toBe(200);
    const bare = await api.write("POST", "/api/v2/agent/0/update", body);
    expect(bare.status).toBe(401);
  });

  it("no agent, no update", async () => {
    expect(await post({ narrative: { lore: "x" } }, { path: "/api/v2/agent/99/update" })).toMatchObject(
      refusal(404, "not_found"),
    );
    for (const id of ["-1", "1e3", "0x10", "12abc", "%00"])
      expect((await post({ narrative: { lore: "x" } }, { path: `/api/v2/agent/${id}/update` })).status).toBe(400);
  });
});

describe("refusals", () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  const bad: [string, unknown, string][] = [
    ["nothing", {}, "body"],
    ["empty parts", { personality: {}, narrative: {}, traits: [] }, "body"],
    ["an unknown key", { name: "New" }, "name"],
    ["an unknown field", { personality: { mood: "x" } }, "personality.mood"],
    ["social accounts", { social: { twitter: "x" } }, "social"],
    ["a level of 11", { personality: { riskTolerance: 11 } }, "personality.riskTolerance"],
    ["a level as text", { personality: { riskTolerance: "5" } }, "personality.riskTolerance"],
    ["a text too long", { narrative: { origin: "o".repeat(513) } }, "narrative.origin"],
    ["a bidi override", { narrative: { origin: "a\u202eb" } }, "narrative.origin"],
    ["a control character", { personality: { humor: "a\u0007b" } }, "personality.humor"],
    ["nothing but null", { personality: null, narrative: { origin: null }, traits: null }, "body"],
    ["11 traits", { traits: Array.from({ length: 11 }, (_, i) => trait(`t${i}`)) }, "traits"],
    ["a trait twice", { traits: [trait("Kind"), trait("kind")] }, "traits.1.name"],
    ["a nameless trait", { traits: [trait("")] }, "traits.0.name"],
    ["a long name", { traits: [trait("n".repeat(65))] }, "traits.0.name"],
    ["a long category", { traits: [trait("n", "c".repeat(33))] }, "traits.0.category"],
    ["a service of another scheme", { services: { web: "ftp://quill.example" } }, "services.web.url"],
    ["a script as service", { services: { web: { url: "javascript:alert(1)" } } }, "services.web.url"],
    [
      "a script beside a URL",
      { services: { web: { url: "https://a.example", docs: "java\tscript:1" } } },
      "services.web.docs",
    ],
    ["credentials in a service's URL", { services: { web: "https://user:pw@quill.example" } }, "services.web.url"],
    ["a service that is a number", { services: { web: 5 } }, "services.web"],
    ["services as a list", { services: ["https://quill.example"] }, "services"],
    ["a service without a fit name", { services: { "<b>": "https://quill.example" } }, "services.<b>"],
    ["a service named constructor", { services: { constructor: "https://quill.example" } }, "services.constructor"],
    [
      "25 services",
      { services: Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`s${i}`, "https://a.example"])) },
      "services",
    ],
    [
      "more than 8 KiB of services",
      {
        services: Object.fromEntries(
          Array.from({ length: 24 }, (_, i) => [`s${i}`, { url: `https://a.example/${"x".repeat(400)}` }]),
        ),
      },
      "services",
    ],
    ["25 skills", { skills: Array.from({ length: 25 }, (_, i) => `s${i}`) }, "skills"],
    ["a skill of 65", { skills: ["fine", "s".repeat(65)] }, "skills.1"],
    ["skills as a text", { skills: "drafting" }, "skills"],
    ["a bidi override in a domain", { domains: ["a\u202eb"] }, "domains.0"],
    ["metadata as a list", { metadata: [] }, "metadata"],
    ["metadata of more than 8 KiB", { metadata: { text: "é".repeat(4096) } }, "metadata"],
    ["metadata of nine levels", { metadata: nested(9) }, `metadata${".a".repeat(8)}`],
    ["a prototype in metadata", { metadata: { a: { prototype: { x: 1 } } } }, "metadata.a.prototype"],
    ["a bidi override in metadata", { metadata: { a: ["b", "c\u202ed"] } }, "metadata.a.1"],
    ["a bidi override in a key of metadata", { metadata: { "a\u202eb": 1 } }, "metadata"],
    ["a script in metadata", { metadata: { site: " JavaScript:alert(1)" } }, "metadata.site"],
    ["payments that are no list", { metadata: { acceptedPayments: { usdc: true } } }, "metadata.acceptedPayments"],
    ["the category verification", { traits: [trait("x", "verification")] }, "traits.0.category"],
    ["the category Bаdge with a Cyrillic letter", { traits: [trait("x", "Bаdge")] }, "traits.0.category"],
    ["a full-width category", { traits: [trait("x", "ＶＥＲＩＦＩＣＡＴＩＯＮ")] }, "traits.0.category"],
    ["a name X-Verified", { traits: [trait("X-Verified")] }, "traits.0.name"],
    ["a name linked-token-symbol", { traits: [trait("Linked-Token-Symbol")] }, "traits.0.name"],
  ];
  it.each(bad)("%s is 400 and names the place", async (_, body, path) => {
    expect(await post(body)).toMatchObject(refusal(400, "invalid_input", { details: [{ path }] }));
    expect(await api.sql("select * from offchain.profile_field")).toEqual([]);
  });

  it("hostile bodies are refused, not stumbled over", async () => {
    for (const [body, status] of [
      ['{"__proto__":{"narrative":{"lore":"x"}}}', 400],
      ['{"constructor":{"prototype":{"x":1}}}', 400],
      ['{"narrative":{"lore":"a"},"narrative":{"lore":"b"}}', 400],
      ['{"narrative":{"lore":"\\ud800"}}', 400],
      ["[]", 400],
      [`{"narrative":{"lore":"${"x".repeat(262_200)}"}}`, 413],
      [`{"narrative":{"lore":"${"x".repeat(200_000)}"}}`, 400],
    ] as const)
      expect((await post(body)).status, body.slice(0, 60)).toBe(status);
  });

  it("no JSON is stumbled over, and none verifies anybody", async () => {
    const text = fc.oneof(
      fc.constantFrom("", "verification", "badge", "x-verified", "a\u202eb", "\u0000", "🤖".repeat(70), "linked-token"),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary", maxLength: 80 }),
    );
    const value = fc.oneof(text, fc.integer({ min: -2, max: 12 }), fc.double(), fc.constantFrom(null, true, [], {}));
    const part = (...keys: string[]) =>
      fc.oneof(fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] }), value);
    const body = fc.oneof(
      fc.record(
        {
          personality: part("humor", "quirks", "riskTolerance", "autonomyLevel", "mood"),
          narrative: part("origin", "lore", "manifesto", "__proto__"),
          traits: fc.oneof(
            fc.array(fc.record({ name: value, category: value }, { requiredKeys: [] }), { maxLength: 12 }),
            value,
          ),
          services: part("web", "mcp", "__proto__", "constructor"),
          skills: fc.oneof(fc.array(value, { maxLength: 4 }), value),
          metadata: part("acceptedPayments", "prototype", "a"),
          extra: value,
        },
        { requiredKeys: [] },
      ),
      fc.json(),
    );
    const authorization = await owner.siwa();
    await forAllLater([body], { seed: 4_2026, numRuns: 150 }, async (sent) => {
      const answer = await api.send("POST", "/api/v2/agent/0/update", {
        headers: { "content-type": "application/json", authorization },
        body: typeof sent === "string" ? sent : JSON.stringify(sent),
      });
      expect([200, 400, 409]).toContain(answer.status);
    });
    const rows = await api.sql("select verify, coinbase from offchain.cred");
    for (const row of rows) expect(row).toEqual({ verify: 0, coinbase: 0 });
  });

  it("the same trait again changes nothing; another category for its name is 409; 50 are enough", async () => {
    await post({ traits: [trait("kind")] });
    expect((await post({ traits: [trait("kind"), trait("new")] })).body.updated).toEqual(["trait:new"]);
    expect(await post({ traits: [trait("KIND", "mood")] })).toMatchObject(refusal(409, "conflict"));
    await plantRows(api.pool, "trait", [
      { tokenId: 0, position: 1, name: "onchain", category: "c", addedAt: 1, txHash: "0x1" },
    ]);
    expect((await post({ traits: [trait("onchain", "c")] })).body.updated).toEqual([]);
    for (let from = 3; from < 50; from += 10)
      await post({ traits: Array.from({ length: Math.min(10, 50 - from) }, (_, i) => trait(`t${from + i}`)) });
    expect((await agent()).traits).toHaveLength(50);
    expect(await post({ traits: [trait("one more")] })).toMatchObject({ status: 409 });
  });
});

describe("on chain", () => {
  const shown = { block: 1000 };

  it("keeps what is listed off chain, beside what goes there and alone", async () => {
    const listing = { services: { mcp: { url: "https://quill.example/mcp" } }, metadata: { openToWork: true } };
    const answer = post({ narrative: { lore: "long" }, ...listing }, { path: onchain });
    const { hashes } = await mineQueued(api.pool, 1);
    expect(await answer).toMatchObject(
      answering(200, { updated: ["narrative.lore", "services", "metadata"], storage: "onchain", txHashes: hashes }),
    );
    expect(await agent()).toMatchObject(listing);
    expect(await post({ skills: ["drafting"] }, { path: onchain })).toMatchObject(
      answering(200, { updated: ["skills"], storage: "offchain" }),
    );
    expect(await agent()).toMatchObject({ ...listing, skills: ["drafting"] });
  });

  it("sends what the contract needs, keeps the rest of the personality, and lists the transactions", async () => {
    await post({ personality: { quirks: "hums", riskTolerance: 3 }, traits: [trait("patient")] });
    const answer = post(
      {
        personality: { humor: "dry" },
        narrative: { lore: "long", manifesto: "" },
        traits: [trait("patient"), trait("new")],
      },
      { path: onchain },
    );
    const { intents, hashes } = await mineQueued(api.pool, 4);
    expect(intents.map(({ functionName, args }) => [functionName, ...args])).toEqual([
      [
        "setPersonality",
        0n,
        { quirks: "hums", communicationStyle: "", values: "", humor: "dry", riskTolerance: 3, autonomyLevel: 0 },
      ],
      ["setLore", 0n, "long"],
      ["addTrait", 0n, "patient", "character"],
      ["addTrait", 0n, "new", "character"],
    ]);
    expect(await answer).toMatchObject(
      answering(200, {
        updated: ["personality.humor", "narrative.lore", "narrative.manifesto", "trait:patient", "trait:new"],
        storage: "onchain",
        txHashes: hashes,
        ...shown,
      }),
    );
    // The trait lives on chain now, and is not counted twice.
    expect(await api.sql("select * from offchain.profile_trait")).toEqual([]);
  });

  it("is 202 while the chain is slow; the same request again goes on with the same transaction", async () => {
    const body = { narrative: { origin: "slow" } };
    const pending = await api.impatiently(() => post(body, { path: onchain }));
    expect(pending).toMatchObject({ status: 202, body: { status: "pending", tokenId: 0, txHashes: [] } });
    expect(pending.headers.get("retry-after")).toBe("5");
    const { hashes } = await mineQueued(api.pool, 1, { block: 1001 });
    // Mined above the index: still the same one, which no read shows yet.
    const unseen = await api.impatiently(() => post(body, { path: onchain }));
    expect(unseen).toMatchObject({ status: 202, body: { status: "pending", txHashes: hashes } });
    await api.sql`update onchain.agent set narrative =
        ${JSON.stringify({ origin: "slow", mission: "", lore: "", manifesto: "" })}, narrative_at =
        ${JSON.stringify({ origin: 1_790_000_000 })}`;
    await plantCheckpoint(api.pool, { block: 1001 });
    const shown = await post(body, { path: onchain });
    expect(shown).toMatchObject({ status: 200, body: { txHashes: hashes, block: 1001 } });
    expect(await intentsIn(api.pool, "mined")).toHaveLength(1);
  });

  it("writes A, B and A again as three transactions", async () => {
    for (const [n, origin] of ["A", "B", "A"].entries()) {
      const answer = post({ narrative: { origin } }, { path: onchain });
      await mineQueued(api.pool, 1);
      await api.sql`update onchain.agent set narrative =
          ${JSON.stringify({ origin, mission: "", lore: "", manifesto: "" })}, narrative_at =
          ${JSON.stringify({ origin: 1_790_000_000 + n })}`;
      expect((await answer).status).toBe(200);
    }
    expect((await intentsIn(api.pool, "mined")).map(({ args }) => args[1])).toEqual(["A", "B", "A"]);
    // And A once more, which the chain holds: none.
    expect(await post({ narrative: { origin: "A" } }, { path: onchain })).toMatchObject({ status: 200 });
    expect(await intentsIn(api.pool, "mined")).toHaveLength(3);
  });

  it("50 requests at once are one transaction", async () => {
    const once = () => post({ narrative: { lore: "once" } }, { path: onchain });
    const all = api.impatiently(() => Promise.all(Array.from({ length: 50 }, once)));
    await mineQueued(api.pool, 1, { block: 1005 });
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([202]));
    expect(await intentsIn(api.pool, "queued")).toEqual([]);
    expect(await intentsIn(api.pool, "mined")).toHaveLength(1);
  });

  it("what the chain refuses is 409 with the reason, and can be tried again", async () => {
    const body = { narrative: { lore: "refused" } };
    const answer = post(body, { path: onchain });
    const [first] = await until("the intent", async () => {
      const queued = await intentsIn(api.pool, "queued");
      return queued.length > 0 ? queued : undefined;
    });
    await decide(api.pool, first!.key, { failed: "the agent changed hands" });
    expect(await answer).toMatchObject(refusal(409, "conflict", { error: expect.stringContaining("changed hands") }));
    const second = post(body, { path: onchain });
    await mineQueued(api.pool, 1);
    expect((await second).status).toBe(200);
  });

  it("a trait that is mined and not indexed yet is not added a second time", async () => {
    const add = () => api.impatiently(() => post({ traits: [trait("new")] }, { path: onchain }));
    expect(await add()).toMatchObject({ status: 202, body: { txHashes: [] } });
    const { hashes } = await mineQueued(api.pool, 1, { block: 1007 });
    expect(await post({ traits: [trait("new")] })).toMatchObject({ status: 409 });
    expect(await add()).toMatchObject({ status: 202, body: { txHashes: hashes } });
    expect(await intentsIn(api.pool, "mined")).toHaveLength(1);
  });

  it("a trait on its way refuses its name in another category", async () => {
    await api.impatiently(() => post({ traits: [trait("slow")] }, { path: onchain }));
    expect(await post({ traits: [trait("slow", "other")] }, { path: onchain })).toMatchObject({ status: 409 });
    expect(await post({ traits: [trait("SLOW")] })).toMatchObject({ status: 409 });
    expect((await intentsIn(api.pool, "queued")).length).toBe(1);
  });

  it("is refused without funds", async () => {
    await api.plant("sender_state", {});
    expect(await post({ narrative: { lore: "x" } }, { path: onchain })).toMatchObject(refusal(503, "out_of_funds"));
    expect((await post({ narrative: { lore: "off chain is free" } })).status).toBe(200);
  });
});

describe("the profile with its places", () => {
  const profile = async (id = 0) => api.get(`/api/v2/agent/${id}/profile`);
  type Shown = { fields: { field: string }[] };
  const field = async (name: string) =>
    ((await profile()).body as never as Shown).fields.find((one) => one.field === name);

  it("says of each field where its value is, and what the other place has", async () => {
    await api.sql(`update onchain.agent set narrative = '{"origin":"chain","mission":"","lore":"","manifesto":""}',
         narrative_at = '{"origin":1790000000}'`);
    expect(await field("narrative.origin")).toEqual({
      ...{ field: "narrative.origin", value: "chain", from: "onchain", offchain: null },
      onchain: { value: "chain", writtenAt: "2026-09-21T14:13:20.000Z" },
    });
    await post({ narrative: { origin: "here" }, skills: ["drafting"], traits: [trait("patient")] });
    expect(await field("narrative.origin")).toMatchObject({
      ...{ value: "here", from: "offchain", onchain: { value: "chain" }, offchain: { value: "here" } },
    });
    expect(await field("skills")).toMatchObject({ value: ["drafting"], from: "offchain", onchain: null });
    expect(await field("personality.humor")).toEqual({
      ...{ field: "personality.humor", value: null, from: null, onchain: null, offchain: null },
    });
    expect((await profile()).body).toMatchObject({
      ...{ traits: [{ name: "patient", from: "offchain" }], writing: [] },
      cred: { score: expect.any(Number), raw: { narrative: 25, traits: 12 } },
    });
    expect((await profile(7)).status).toBe(404);
  });

  it("follows a write on chain until it is indexed, and tells what a write costs", async () => {
    const writing = async () => ((await profile()).body as never as { writing: object[] }).writing;
    expect((await profile()).body).toMatchObject({
      cost: {
        ...{ price: "0.00", currency: "USDC", gas: "service", funded: true, traitPrice: "0", traitsPayable: true },
        ...{ gasLeft: 6_000_000, gasMax: 6_000_000 },
      },
    });
    await api.impatiently(() => post({ narrative: { lore: "told" }, traits: [trait("slow")] }, { path: onchain }));
    expect(await writing()).toMatchObject([
      { part: "narrative.lore", state: "queued", txHash: null },
      { part: "trait:slow", state: "queued" },
    ]);
    const rows = await api.sql("select sum(gas_bound)::int as gas from offchain.transaction_outbox");
    expect((await profile()).body).toMatchObject({ cost: { gasLeft: 6_000_000 - rows[0].gas } });
    const [lore, slow] = await intentsIn(api.pool, "queued");
    await decide(api.pool, lore!.key, { block: 5_000_000 });
    await decide(api.pool, slow!.key, { failed: "the chain said no" });
    expect(await writing()).toMatchObject([
      { part: "narrative.lore", state: "mined", txHash: expect.stringMatching(/^0x/) },
      { part: "trait:slow", state: "refused" },
    ]);
    await api.sql("update offchain.transaction_outbox set block = 1 where state = 'mined'");
    expect(await writing()).toMatchObject([{ part: "trait:slow" }]);
    await api.plant("sender_state", {});
    expect((await profile()).body).toMatchObject({ cost: { funded: false } });
  });
});
