/** Message groups over HTTP: every route, gates at their edges, paging against a model, limits and repeats. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApi } from "../../api/app.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { forAllLater } from "../support/for-all.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, apiForFile, HOST, refusal, serverForTest } from "./support/api.ts";
import { GROUPS, groupsOf, newTopic } from "./support/groups.ts";
import { type Speaker, setScore } from "./support/speakers.ts";

const api = apiForFile({
  env: { LIMITS: "groups=0,messages=0,messages-of-group=0" },
});
const { speaker, post, newGroup } = groupsOf(api);
const read = (path: string, by?: { authorization: string }, headers: Record<string, string> = {}) =>
  api.get(`${GROUPS}${path}`, { headers: { ...(by && { authorization: by.authorization }), ...headers } });

/** ISO times of one moment as clients write them. */
const inParis = (at: Date) => new Date(at.getTime() + 7_200_000).toISOString().replace("Z", "+02:00");
const toTheSecond = (at: Date) => at.toISOString().replace(/\.\d+/, "");

const shown = ({ status, body }: Answer) => [status, body.code, body.required, body.yours];
const contents = ({ body }: Answer) =>
  (body.messages as unknown as { content: string }[]).map(({ content }) => content);
const ids = ({ body }: Answer) => (body.messages as unknown as { id: number }[]).map(({ id }) => id);

describe("the groups", () => {
  it("are there from the beginning, in their order", async () => {
    const { status, body, headers } = await read("");
    expect(status).toBe(200);
    expect(headers.get("etag")).toMatch(/^(W\/)?"/);
    const defaults = (body.groups as unknown as { isDefault: boolean }[]).filter(({ isDefault }) => isDefault);
    expect(defaults).toMatchObject([
      { id: "welcome", minCred: 0, minCredTier: "Junk (0+)", isPublic: true, createdBy: null },
      { id: "general", minCred: 0, isPublic: true },
      { id: "trading", minCred: 26, minCredTier: "Marginal (26+)", isPublic: true },
      { id: "collabs", minCred: 26, isPublic: true },
      { id: "security", minCred: 51, minCredTier: "Qualified (51+)", isPublic: true },
      { id: "governance", minCred: 76, minCredTier: "Prime (76+)", isPublic: false },
    ]);
  });

  it("come in pages, one after the other", async () => {
    const all = (await read("")).body as unknown as { groups: { id: string }[]; nextAfter: string | null };
    expect(all.nextAfter).toBeNull();
    const paged: string[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page = (await read(`?limit=4${after && `&after=${after}`}`)).body as unknown as typeof all;
      expect(page.groups.length).toBeLessThanOrEqual(4);
      paged.push(...page.groups.map(({ id }) => id));
      after = page.nextAfter;
    }
    expect(paged).toEqual(all.groups.map(({ id }) => id));
  });

  it("are created by agents with a cred of 51, who are their first members", async () => {
    const [below, enough] = [await speaker(50), await speaker(51)];
    const group = { topic: "#Data Sets", description: " Where to get them ", minCred: 60, isPublic: false };
    expect(shown(await post("", below, group))).toEqual([403, "forbidden", 51, 50]);
    const { status, body } = await post("", enough, group);
    expect([status, body.group]).toEqual([
      201,
      {
        ...{ id: "data-sets", topic: "#Data Sets", description: "Where to get them", minCred: 60 },
        ...{ minCredTier: "Qualified (60+)", isPublic: false, isDefault: false, memberCount: 1 },
        ...{ createdBy: enough.address, createdAt: expect.any(String) },
      },
    ]);
    expect((await read("")).body.groups).toContainEqual(body.group);
    // By the same rules as everybody: a member, and below the gate.
    expect(shown(await read("/data-sets/members", enough))).toEqual([403, "forbidden", 60, 51]);
  });

  it("are none for a wallet without an agent", async () => {
    const stranger = { authorization: await agentWallet({ host: HOST }).siwa() };
    expect(shown(await post("", stranger, { topic: "mine", minCred: 0, isPublic: true }))).toEqual([
      403,
      "forbidden",
      51,
      0,
    ]);
    expect(shown(await post("/welcome/join", stranger))).toEqual([403, "forbidden", 0, 0]);
    expect(shown(await post("/welcome/send", stranger, { content: "Hello." }))).toEqual([403, "forbidden", 0, 0]);
  });

  it("have one id for topics that differ in nothing that counts", async () => {
    const creator = await speaker(60);
    const create = (topic: string) => post("", creator, { topic, minCred: 0, isPublic: true });
    expect((await create("AI & Bots")).body.group).toMatchObject({ id: "ai---bots", topic: "AI & Bots" });
    for (const topic of ["ai & bots", "#AI & BOTS", "ai_+_bots", "  AI & Bots  "])
      expect([topic, (await create(topic)).body.code]).toEqual([topic, "conflict"]);
    expect((await create("General")).body.code).toBe("conflict");
    for (const topic of ["", "#", ".", "..", "日本語", "🤖", "---", "a\u202eb", "\u200b", "x".repeat(49)])
      expect([topic, (await create(topic)).status]).toEqual([topic, 400]);
    // Ids that are words of the language are ids like any other.
    for (const [topic, id] of [
      ["constructor", "constructor"],
      ["__proto__", "--proto--"],
      ["toString", "tostring"],
    ] as const) {
      expect((await read(`/${id}/messages`)).status).toBe(404);
      expect((await create(topic)).body.group).toMatchObject({ id, topic });
      expect((await post(`/${id}/send`, creator, { content: topic })).status).toBe(200);
      expect(contents(await read(`/${id}/messages`))).toEqual([topic]);
    }
  });

  it("are not there under other ids", async () => {
    const agent = await speaker(60);
    for (const id of [
      "nothing",
      "__proto__",
      "hasOwnProperty",
      "%00",
      "%2e%2e",
      "0",
      "a%2Fb",
      "x".repeat(200),
      "日本",
    ]) {
      for (const path of ["messages", "members", "stream"])
        expect([id, path, (await read(`/${id}/${path}`)).body.code]).toEqual([id, path, "not_found"]);
      for (const path of ["join", "leave"])
        expect([id, path, (await post(`/${id}/${path}`, agent)).body.code]).toEqual([id, path, "not_found"]);
      expect((await post(`/${id}/send`, agent, { content: "x" })).body.code).toBe("not_found");
    }
    // In any case, and with the sign of a topic.
    for (const id of ["GENERAL", "%23general"]) expect((await read(`/${id}/messages`)).status).toBe(200);
  });

  it.each([
    [{}],
    [{ minCred: 0, isPublic: true }],
    [{ topic: "t", minCred: -1, isPublic: true }],
    [{ topic: "t", minCred: 101, isPublic: true }],
    [{ topic: "t", minCred: 50.99, isPublic: true }],
    [{ topic: "t", minCred: "26", isPublic: true }],
    [{ topic: "t", minCred: 0, isPublic: "true" }],
    [{ topic: "t", minCred: 0, isPublic: true, description: "x".repeat(281) }],
    [{ topic: "t", minCred: 0, isPublic: true, isDefault: true }],
  ])("refuses %j", async (body) => {
    expect((await post("", await speaker(60), body)).body.code).toBe("invalid_input");
  });

  it("are open to every agent and public unless their creator says otherwise", async () => {
    const group = async (more: object) =>
      (await post("", await speaker(60), { topic: newTopic(), ...more })).body.group;
    expect(await group({})).toMatchObject({ minCred: 0, isPublic: true });
    expect(await group({ minCred: 26 })).toMatchObject({ minCred: 26, isPublic: true });
    expect(await group({ isPublic: false })).toMatchObject({ minCred: 0, isPublic: false });
  });

  it("are a hundred of one wallet at most", async () => {
    const creator = await speaker(60);
    await api.sql`insert into offchain.message_group (group_id, topic, min_cred, is_public, created_by)
      select 'many-' || n, 'many ' || n, 0, true, ${creator.address.toLowerCase()} from generate_series(1, 99) n`;
    expect((await post("", creator, { topic: "the hundredth", minCred: 0, isPublic: true })).status).toBe(201);
    expect((await post("", creator, { topic: "one more", minCred: 0, isPublic: true })).body.code).toBe("conflict");
  });
});

describe("a gate", () => {
  it("lets minCred in and minCred − 1 not, to join and to send", async () => {
    const { id } = await newGroup({ minCred: 26 });
    const [below, enough, sender] = [await speaker(25), await speaker(26), await speaker(26)];
    expect(shown(await post(`/${id}/join`, below))).toEqual([403, "forbidden", 26, 25]);
    expect(shown(await post(`/${id}/send`, below, { content: "x" }))).toEqual([403, "forbidden", 26, 25]);
    const joined = await post(`/${id}/join`, enough);
    expect([joined.status, joined.body]).toEqual([
      200,
      { success: true, group: expect.objectContaining({ id, memberCount: 2 }) },
    ]);
    expect((await post(`/${id}/join`, enough)).body.group).toMatchObject({ memberCount: 2 });
    // The first message joins.
    expect((await post(`/${id}/send`, sender, { content: "x" })).status).toBe(200);
    expect((await read(`/${id}/messages`)).body.group).toMatchObject({ memberCount: 3 });
  });

  it("shuts at once when the score falls, and opens when it rises", async () => {
    const { id } = await newGroup({ minCred: 51, isPublic: false });
    const agent = await speaker(51);
    expect((await post(`/${id}/send`, agent, { content: "in" })).status).toBe(200);
    expect((await read(`/${id}/messages`, agent)).status).toBe(200);
    await setScore(api.pool, agent.tokenId, 50);
    expect(shown(await post(`/${id}/send`, agent, { content: "out" }))).toEqual([403, "forbidden", 51, 50]);
    expect(shown(await post(`/${id}/join`, agent))).toEqual([403, "forbidden", 51, 50]);
    for (const path of ["messages", "members", "stream"])
      expect(shown(await read(`/${id}/${path}`, agent))).toEqual([403, "forbidden", 51, 50]);
    await setScore(api.pool, agent.tokenId, 51);
    expect(contents(await read(`/${id}/messages`, agent))).toEqual(["in"]);
  });

  it("asks the formula while no score is stored, and the lowest token of a wallet", async () => {
    const wallet = agentWallet({ host: HOST });
    const agentAddress = wallet.address.toLowerCase() as `0x${string}`;
    await plantAgents(api.pool, [{ tokenId: 900_001, agentAddress, score: 100 }]);
    const by = { authorization: await wallet.siwa() };
    const { id } = await newGroup({ minCred: 99 });
    expect((await post(`/${id}/join`, by)).status).toBe(200);
    await plantAgents(api.pool, [{ tokenId: 900_000, agentAddress }]);
    const cred = Number((await api.get("/api/v2/agent/900000/cred")).body.credScore);
    expect(cred).toBeLessThan(99);
    expect(shown(await post(`/${id}/send`, by, { content: "x" }))).toEqual([403, "forbidden", 99, cred]);
    const open = await newGroup({ minCred: cred });
    expect((await post(`/${open.id}/send`, by, { content: "x" })).body.message).toMatchObject({
      senderTokenId: 900_000,
      senderCred: cred,
    });
  });

  it("of a private group lets its members read, and nobody else", async () => {
    const { id, creator } = await newGroup({ minCred: 10, isPublic: false });
    await post(`/${id}/send`, creator, { content: "secret" });
    const outsider = await speaker(100);
    for (const path of ["messages", "members", "stream"]) {
      const bare = await read(`/${id}/${path}`);
      expect([bare.status, bare.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="SIWA"']);
      expect(shown(await read(`/${id}/${path}`, outsider))).toEqual([403, "forbidden", 10, 100]);
    }
    const kept = await read(`/${id}/messages`, creator);
    expect([kept.headers.get("cache-control"), kept.headers.has("etag")]).toEqual(["private, no-store", false]);
    expect(kept.headers.get("vary")).toBe("Authorization, X-SIWA, Signature-Input");
    await post(`/${id}/join`, outsider);
    expect(contents(await read(`/${id}/messages`, outsider))).toEqual(["secret"]);
    await post(`/${id}/leave`, outsider);
    expect(shown(await read(`/${id}/messages`, outsider))).toEqual([403, "forbidden", 10, 100]);
  });

  it("of a public group stands open: a bad credential is still refused", async () => {
    const anonymous = await read("/general/messages");
    expect([anonymous.status, anonymous.headers.get("vary")]).toEqual([200, "Authorization, X-SIWA, Signature-Input"]);
    const etag = anonymous.headers.get("etag")!;
    expect((await read("/general/messages", undefined, { "if-none-match": etag })).status).toBe(304);
    const agent = await speaker(5);
    const known = await read("/general/messages", agent, { "if-none-match": etag });
    expect([known.status, known.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    const expired = { authorization: await agentWallet({ host: HOST }).siwa(Date.now() - 3_700_000) };
    expect((await read("/general/messages", expired)).status).toBe(401);
  });
});

describe("members", () => {
  it("are listed in the order of joining, with their agents as they are now", async () => {
    const { id, creator } = await newGroup();
    const others = [await speaker(30), await speaker(40), await speaker(50)];
    for (const one of others) await post(`/${id}/join`, one);
    await setScore(api.pool, others[0]!.tokenId, 95);
    await api.sql("delete from onchain.agent where token_id = $1", others[1]!.tokenId);
    const all = await read(`/${id}/members`);
    expect(all.body).toMatchObject({
      ...{ group: { id, memberCount: 4 }, total: 4, limit: 50, nextAfter: null },
      members: [
        {
          address: creator.address,
          tokenId: creator.tokenId,
          name: creator.name,
          credScore: 100,
          credTier: "PREFERRED",
        },
        { address: others[0]!.address, credScore: 95 },
        { address: others[1]!.address, tokenId: null, name: null, credScore: null, credTier: null },
        { address: others[2]!.address, credScore: 50, credTier: "MARGINAL" },
      ],
    });
    const pages = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body }: Answer = await read(`/${id}/members?limit=3&after=${after}`);
      pages.push((body.members as unknown as { address: string }[]).map(({ address }) => address));
      after = body.nextAfter as unknown as number | null;
    }
    expect(pages).toEqual([[creator, others[0]!, others[1]!].map((m) => m.address), [others[2]!.address]]);
  });

  it("leave and may come back, at the end", async () => {
    const { id, creator } = await newGroup();
    const agent = await speaker(5);
    await post(`/${id}/join`, agent);
    for (const _ of [1, 2]) {
      const { status, body } = await post(`/${id}/leave`, creator);
      expect([status, body]).toEqual([200, { success: true, group: expect.objectContaining({ memberCount: 1 }) }]);
    }
    expect((await post(`/${id}/join`, creator)).body.group).toMatchObject({ memberCount: 2 });
    const { body } = await read(`/${id}/members`);
    expect((body.members as unknown as { address: string }[]).map(({ address }) => address)).toEqual([
      agent.address,
      creator.address,
    ]);
    // Leaving asks for no cred and no agent.
    await api.sql("delete from onchain.agent where token_id = $1", agent.tokenId);
    expect((await post(`/${id}/leave`, agent)).body.group).toMatchObject({ memberCount: 1 });
  });
});

describe("messages", () => {
  it("are shown as they were sent, with their sender as it was", async () => {
    const { id } = await newGroup();
    const agent = await speaker(33);
    const sent = await post(`/${id}/send`, agent, { content: "  cafe\u0301\r\n\tline two  " });
    expect([sent.status, sent.body.message]).toEqual([
      200,
      {
        ...{ id: 1, groupId: id, senderAddress: agent.address, senderName: agent.name, senderTokenId: agent.tokenId },
        ...{ senderCred: 33, content: "café\n\tline two", timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
      },
    ]);
    await setScore(api.pool, agent.tokenId, 77);
    expect((await read(`/${id}/messages`)).body.messages).toEqual([sent.body.message]);
  });

  it.each([
    ["nothing", {}],
    ["an empty text", { content: "" }],
    ["blanks", { content: " \n " }],
    ["2,001 characters", { content: "x".repeat(2001) }],
    ["100 KB", { content: "x".repeat(100_000) }],
    ["a bidi character", { content: "a\u202eb" }],
    ["a NUL", { content: "a\u0000b" }],
    ["a number", { content: 7 }],
    ["an unknown field", { content: "x", groupId: "general" }],
  ])("refuse %s", async (_, body) => {
    expect((await post("/general/send", await speaker(50), body)).body.code).toBe("invalid_input");
  });

  it("take 2,000 characters, counted as people do, and a body beyond 256 KiB not at all", async () => {
    const { id, creator } = await newGroup();
    for (const content of ["x".repeat(2000), "🤖".repeat(2000), `${"e\u0301".repeat(2000)}  `])
      expect((await post(`/${id}/send`, creator, { content })).status).toBe(200);
    expect((await post(`/${id}/send`, creator, { content: "x".repeat(300_000) })).status).toBe(413);
  });

  it("page by before and after as the model says", async () => {
    const { id, creator } = await newGroup();
    const total = 37;
    for (let i = 1; i <= total; i++) await post(`/${id}/send`, creator, { content: String(i) });
    const model = Array.from({ length: total }, (_, i) => i + 1);
    const edge = fc.option(fc.integer({ min: 0, max: total + 2 }), { nil: undefined });
    await forAllLater([edge, edge, fc.integer({ min: 1, max: 12 })], { numRuns: 60 }, async (before, after, limit) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(before !== undefined && { before: String(before) }),
        ...(after !== undefined && { after: String(after) }),
      });
      const between = model.filter((n) => n < (before ?? Infinity) && n > (after ?? 0));
      const expected = after === undefined ? between.slice(-limit) : between.slice(0, limit);
      expect(ids(await read(`/${id}/messages?${query}`))).toEqual(expected);
    });
    expect(ids(await read(`/${id}/messages`))).toEqual(model);
    expect((await read(`/${id}/messages?limit=500`)).body.limit).toBe(200);
    for (const bad of ["limit=0", "limit=x", "before=-1", "after=1e3", "before=0x10"])
      expect([bad, (await read(`/${id}/messages?${bad}`)).status]).toEqual([bad, 400]);
  });

  it("page by times as by ids: before and after a time, of messages that were sent at once too", async () => {
    const { id, creator } = await newGroup();
    const start = Date.parse("2026-05-01T12:00:00.000Z");
    // The first ten are gone, as after a retention; of the others three at a time have one time.
    const model = Array.from({ length: 31 }, (_, i) => ({ id: i + 11, at: start + Math.floor(i / 3) * 1_000 }));
    await api.sql`insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id,
        sender_cred, content, sent_at)
      select ${id}, n, ${creator.address.toLowerCase()}, 'A', 0, 50, 'x', t
      from unnest(${model.map((m) => m.id)}::int8[], ${model.map(({ at }) => new Date(at))}::timestamptz[]) as m(n, t)`;
    await api.sql("update offchain.message_group set last_message_id = 41 where group_id = $1", id);
    const moment = fc.integer({ min: -2_500, max: 13_000 }).map((ms) => start + ms);
    const edge = fc.option(
      fc.oneof(
        fc.integer({ min: 0, max: 43 }).map((n) => ({ text: String(n), of: (m: { id: number }) => m.id - n })),
        fc
          .tuple(
            moment,
            fc.constantFrom<(at: Date) => string>((at) => at.toISOString(), inParis, toTheSecond),
          )
          .map(([at, write]) => write(new Date(at)))
          .map((text) => ({ text, of: (m: { at: number }) => m.at - Date.parse(text) })),
      ),
      { nil: undefined },
    );
    await forAllLater([edge, edge, fc.integer({ min: 1, max: 12 })], { numRuns: 60 }, async (before, after, limit) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(before && { before: before.text }),
        ...(after && { after: after.text }),
      });
      const between = model.filter((m) => (before?.of(m) ?? -1) < 0 && (after?.of(m) ?? 1) > 0).map((m) => m.id);
      const expected = after ? between.slice(0, limit) : between.slice(-limit);
      expect(ids(await read(`/${id}/messages?${query}`)), String(query)).toEqual(expected);
    });
    // A + that was not escaped arrives as a space.
    expect(ids(await read(`/${id}/messages?before=2026-05-01T14:00:01+02:00`))).toEqual([11, 12, 13]);
    const empty = await newGroup();
    expect(ids(await read(`/${empty.id}/messages?after=2026-05-01T12:00:00Z`))).toEqual([]);
    expect((await read("/none/messages?before=2026-05-01T12:00:00Z")).status).toBe(404);
    for (const bad of ["2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "yesterday", "2026-05-01T12:00:00", "12:00"])
      expect([bad, (await read(`/${id}/messages?before=${bad}`)).status]).toEqual([bad, 400]);
  });

  it("have one order without gaps while many send, join and leave at once", async () => {
    const { id } = await newGroup();
    const agents = await Promise.all(Array.from({ length: 12 }, () => speaker(40)));
    const walk: number[] = [];
    let sending = true;
    /** Walks forward from page to page while they send. */
    const walker = (async () => {
      while (sending || walk.length < 60) {
        const page = await read(`/${id}/messages?limit=7&after=${walk.at(-1) ?? 0}`);
        walk.push(...ids(page));
      }
    })();
    await Promise.all(
      agents.flatMap((agent, i) =>
        Array.from({ length: 5 }, async (_, k) => {
          if (k === 2) await post(`/${id}/leave`, agent);
          expect((await post(`/${id}/send`, agent, { content: `${i}/${k}` })).status).toBe(200);
        }),
      ),
    );
    sending = false;
    await walker;
    expect(walk).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    const backward: number[] = [];
    for (let page = await read(`/${id}/messages?limit=7`); ids(page).length > 0; ) {
      backward.unshift(...ids(page));
      page = await read(`/${id}/messages?limit=7&before=${backward[0]}`);
    }
    expect(backward).toEqual(walk);
    const all = (await read(`/${id}/messages?limit=200`)).body.messages as unknown as {
      content: string;
      timestamp: string;
    }[];
    expect(new Set(all.map(({ content }) => content)).size).toBe(60);
    expect(all.map(({ timestamp }) => timestamp)).toEqual(all.map(({ timestamp }) => timestamp).toSorted());
    const rows = await api.sql`select member_count, (select count(*)::int from offchain.group_member m where
        m.group_id = g.group_id) as members from offchain.message_group g where g.group_id = ${id}`;
    expect(rows[0].member_count).toBe(rows[0].members);
  });
});

describe("the same request again", () => {
  const key = { "idempotency-key": "once-only" };

  it("is the same message, after a crash between writing and answering too", async () => {
    const { id } = await newGroup();
    const agent = await speaker(40);
    const first = await post(`/${id}/send`, agent, { content: "once" }, key);
    const again = await post(`/${id}/send`, agent, { content: "once" }, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    // What a process that died before it could keep the answer leaves behind; the score has fallen since.
    await api.sql("delete from offchain.idempotency where scope = $1", agent.address.toLowerCase());
    await setScore(api.pool, agent.tokenId, 0);
    expect((await post(`/${id}/send`, agent, { content: "once" }, key)).body).toEqual(first.body);
    expect(ids(await read(`/${id}/messages`))).toEqual([1]);
    expect((await post(`/${id}/send`, agent, { content: "other" }, key)).body.code).toBe("idempotency_key_reused");
  });

  it("is the same group", async () => {
    const creator = await speaker(60);
    const group = { topic: newTopic(), minCred: 0, isPublic: true };
    const first = await post("", creator, group, key);
    await api.sql("delete from offchain.idempotency where scope = $1", creator.address.toLowerCase());
    const again = await post("", creator, group, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await post("", creator, group)).body.code).toBe("conflict");
  });
});

describe("floods", () => {
  it("of one wallet in one group, of a group and of new groups are refused, and told of before", async () => {
    const { config } = api.deps;
    const rates = { ...config.rates, messages: 2, "messages-by-day": 3, "messages-of-group": 3, groups: 1 };
    const strict = await serverForTest(createApi({ ...api.deps, config: { ...config, rates } }));
    const { post } = groupsOf({ ...api, ...strict });
    const send = (by: Speaker, group: string) => post(`/${group}/send`, by, { content: "x" });
    const create = (by: Speaker) => post("", by, { topic: newTopic(), minCred: 0, isPublic: true });
    const [one, two, below] = [await speaker(60), await speaker(60), await speaker(0)];
    const first = await send(one, "security");
    expect(first.headers.get("ratelimit-policy")).toContain('"messages";q=2;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/"messages";r=1;t=\d+, "messages-of-group";r=2;t=\d+/);
    await send(one, "security");
    const third = await send(one, "security");
    expect([third.status, third.body.code, Number(third.headers.get("retry-after"))]).toEqual([
      429,
      "rate_limited",
      expect.any(Number),
    ]);
    // In another group it may, and who is refused for its cred uses nobody's limit up.
    expect((await send(one, "general")).status).toBe(200);
    // Three a day, of all groups together.
    const fourth = await send(one, "general");
    expect([fourth.status, fourth.headers.get("ratelimit-policy")]).toEqual([
      429,
      expect.stringContaining('"messages-by-day";q=3;w=86400'),
    ]);
    for (const _ of [1, 2, 3, 4]) expect((await send(below, "security")).status).toBe(403);
    expect((await send(two, "security")).status).toBe(200);
    expect((await send(two, "security")).status).toBe(429);
    expect((await create(one)).status).toBe(201);
    expect((await create(one)).status).toBe(429);
  });
});

it("before there is an index, nobody acts and everybody reads what is public", async () => {
  await api.sql("alter schema onchain rename to onchain_away");
  const bare = await serverForTest(createApi(api.deps));
  onTestFinished(async () => void (await api.sql("alter schema onchain_away rename to onchain")));
  for (const path of ["", "/general/messages"]) expect((await bare.get(GROUPS + path)).status).toBe(200);
  const headers = { authorization: await agentWallet({ host: HOST }).siwa() };
  expect(await bare.get(`${GROUPS}/governance/messages`, { headers })).toMatchObject(refusal(503, "indexer_behind"));
});
