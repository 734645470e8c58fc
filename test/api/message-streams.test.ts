/** Streams of message groups: what they carry, who may read them and until when, resuming, and notifications that never came. */
import { describe, expect, it } from "vitest";
import { createApi } from "../../api/app.ts";
import { startServer } from "../../api/server.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { endedPerTest } from "../support/started.ts";
import { topologyOfRun } from "../support/topology-of-run.ts";
import { apiForFile, HOST, serverForTest } from "./support/api.ts";
import { type EventReader, readEvents } from "./support/event-reader.ts";
import { GROUPS, groupsOf } from "./support/groups.ts";
import { raw } from "./support/raw.ts";
import { type Speaker, setScore } from "./support/speakers.ts";

const api = apiForFile({ env: { LIMITS: "messages=0,streams=8" } });
const { speaker, post, newGroup } = groupsOf(api);
const ended = endedPerTest();

const follow = async (path: string, headers: Record<string, string> = {}): Promise<EventReader> =>
  ended(await readEvents(`${api.url}${GROUPS}/${path}`, headers));
const started = (reader: EventReader) =>
  until("the stream has begun", () => reader.events.some(({ event }) => event === "start"));
const ids = (reader: EventReader) => reader.messages().map(({ id }) => id);

describe("a stream of a group", () => {
  it("carries each message as GET shows it, from now on", async () => {
    const { id, creator } = await newGroup();
    await post(`/${id}/send`, creator, { content: "before" });
    const reader = await follow(`${id}/stream`);
    expect(Object.fromEntries(reader.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "private, no-store, no-transform",
      "x-accel-buffering": "no",
      "x-api-version": "2.0.0",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
      vary: "Authorization, X-SIWA, Signature-Input",
    });
    for (const name of ["etag", "content-length", "content-encoding"]) expect(reader.headers.has(name)).toBe(false);
    await started(reader);
    for (const content of ["one", "two\nlines", "🤖"]) await post(`/${id}/send`, creator, { content });
    await until("three messages", () => ids(reader).length === 3);
    const { messages } = (await api.get(`${GROUPS}/${id}/messages?after=1`)).body;
    expect(reader.messages()).toEqual(messages);
    expect(reader.events.map((event) => event.id)).toEqual(["1", "2", "3", "4"]);
  });

  it("goes on after the last id, by header or query, whichever is the latest", async () => {
    const { id, creator } = await newGroup();
    for (let i = 1; i <= 5; i++) await post(`/${id}/send`, creator, { content: String(i) });
    const all = [
      [await follow(`${id}/stream?after=3`), [4, 5]],
      [await follow(`${id}/stream`, { "last-event-id": "0" }), [1, 2, 3, 4, 5]],
      [await follow(`${id}/stream?after=1`, { "last-event-id": "4" }), [5]],
      [await follow(`${id}/stream?lastEventId=3`, { "last-event-id": "" }), [4, 5]],
      // What is not there yet is not waited for.
      [await follow(`${id}/stream?after=99`), []],
      [await follow(`${id}/stream?after=2026-01-01T00:00:00Z`), [1, 2, 3, 4, 5]],
      [await follow(`${id}/stream?after=${new Date(Date.now() + 3_600_000).toISOString()}`), []],
    ] as const;
    await post(`/${id}/send`, creator, { content: "6" });
    for (const [reader, before] of all) {
      await until("the sixth", () => ids(reader).at(-1) === 6);
      expect(ids(reader)).toEqual([...before, 6]);
    }
    for (const bad of ["x", "-1", "1e3", "99999999999999999999"]) {
      const refused = await follow(`${id}/stream`, { "last-event-id": bad });
      expect([bad, refused.status, JSON.parse(await refused.text()).code]).toEqual([bad, 400, "invalid_input"]);
    }
    expect((await api.get(`${GROUPS}/${id}/stream?after=x`)).status).toBe(400);
  });

  it("tells HEAD its headers and opens nothing", async () => {
    const { status, headers, text } = await api.send("HEAD", `${GROUPS}/general/stream`);
    expect([status, headers.get("content-type"), text]).toEqual([200, "text/event-stream", ""]);
    // A client that never closes sees the end of the answer.
    const answer = await raw(api.url, `HEAD ${GROUPS}/general/stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it("comes the long way round as well", async () => {
    const { id, creator } = await newGroup();
    const reader = await follow(`%${id.charCodeAt(0).toString(16)}${id.slice(1)}/stream?after=0`);
    expect([reader.status, reader.headers.get("content-type"), reader.headers.get("x-accel-buffering")]).toEqual([
      200,
      "text/event-stream",
      "no",
    ]);
    await post(`/${id}/send`, creator, { content: "x" });
    await until("the message", () => ids(reader).length === 1);
  });

  it("heals what no notification told", async () => {
    const { id, creator } = await newGroup();
    const reader = await follow(`${id}/stream`);
    await started(reader);
    await api.sql(
      `with g as (update offchain.message_group set last_message_id = 1 where group_id = $1)
       insert into offchain.message (group_id, message_id, sender, sender_name, sender_token_id, sender_cred, content, sent_at)
       values ($1, 1, $2, 'Ada', 0, 50, 'unannounced', now())`,
      id,
      creator.address.toLowerCase(),
    );
    await until("it is there all the same", () => ids(reader).length === 1);
  });

  it("goes on when the listening connection is lost", async () => {
    const { id, creator } = await newGroup();
    const reader = await follow(`${id}/stream`);
    await started(reader);
    for (let i = 1; i <= 6; i++) {
      if (i % 2 === 0)
        await api.sql(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notifications' and datname = current_database()",
        );
      await post(`/${id}/send`, creator, { content: String(i) });
    }
    await until("all six", () => ids(reader).length === 6);
    expect(ids(reader)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("is refused when there are too many from one address", async () => {
    const open = [];
    const most = 8 * (topologyOfRun() ? 2 : 1);
    for (let i = 0; i < most; i++) open.push(await follow("general/stream"));
    expect(open.map(({ status }) => status)).toEqual(Array(most).fill(200));
    const { status, headers, body } = await api.get(`${GROUPS}/general/stream`);
    expect([status, body.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "15"]);
    open[0]!.close();
    await until("there is room again", async () => (await follow("general/stream")).status === 200);
  });
});

describe("a stream of a private group", () => {
  const privateGroup = async (minCred: number) => newGroup({ minCred, isPublic: false });
  async function member(id: string, score: number): Promise<[Speaker, EventReader]> {
    const agent = await speaker(score);
    expect((await post(`/${id}/join`, agent)).status).toBe(200);
    const reader = await follow(`${id}/stream`, { authorization: agent.authorization });
    expect(reader.status).toBe(200);
    await started(reader);
    return [agent, reader];
  }

  it("ends when the score falls below the gate, told why, and gives nothing more", async () => {
    const { id, creator } = await privateGroup(51);
    const [stays, [falls, fallen]] = [(await member(id, 51))[1], await member(id, 51)];
    await post(`/${id}/send`, creator, { content: "for both" });
    await until("both have it", () => ids(stays).length === 1 && ids(fallen).length === 1);
    await setScore(api.pool, falls.tokenId, 50);
    await post(`/${id}/send`, creator, { content: "for one" });
    await until("it has ended", () => fallen.ended());
    await until("the other has it", () => ids(stays).length === 2);
    expect(ids(fallen)).toEqual([1]);
    expect(fallen.ending()).toEqual({
      reason: "forbidden",
      error: expect.stringContaining("51"),
      required: 51,
      yours: 50,
    });
    const back = await follow(`${id}/stream`, { authorization: falls.authorization, "last-event-id": "1" });
    expect(back.status).toBe(403);
  });

  it.each([
    ["the score falls", (agent: Speaker) => setScore(api.pool, agent.tokenId, 9), { reason: "forbidden", yours: 9 }],
    [
      "the agent moves to another wallet",
      (agent: Speaker) =>
        api.pool.query("update onchain.agent set agent_address = $2 where token_id = $1", [
          agent.tokenId,
          `0x${"e".repeat(40)}`,
        ]),
      { reason: "forbidden", yours: 0 },
    ],
    ["it leaves", (agent: Speaker, id: string) => post(`/${id}/leave`, agent), { reason: "forbidden", yours: 60 }],
    [
      "the wallet revokes its credentials",
      (agent: Speaker) => api.send("POST", "/api/v2/auth/revoke", { headers: { authorization: agent.authorization } }),
      { reason: "unauthenticated" },
    ],
  ])("ends when %s, though nobody says anything", async (_, happen, ending) => {
    const { id } = await privateGroup(10);
    const [agent, reader] = await member(id, 60);
    await happen(agent, id);
    await until("it has ended", () => reader.ended());
    expect(reader.ending()).toMatchObject(ending);
  });

  it("ends with its credential", async () => {
    let now = Date.now();
    const server = await serverForTest(createApi({ ...api.deps, now: () => now }));
    const { id } = await privateGroup(10);
    const [agent] = await member(id, 60);
    const reader = await readEvents(`${server.url}${GROUPS}/${id}/stream`, { authorization: agent.authorization });
    await started(reader);
    now += 3_700_000;
    await until("it has ended", () => reader.ended());
    expect(reader.ending()).toMatchObject({ reason: "unauthenticated" });
  });

  it("needs the credential of a member", async () => {
    const { id } = await privateGroup(10);
    expect((await follow(`${id}/stream`)).status).toBe(401);
    const stranger = await agentWallet({ host: HOST }).siwa();
    expect((await follow(`${id}/stream`, { authorization: stranger })).status).toBe(403);
  });
});

it("a stopping server ends its streams with a word, and has no listener left", async () => {
  const server = await startServer(createApi(api.deps), { host: "127.0.0.1", port: 0 });
  const open = await Promise.all([1, 2, 3].map(() => readEvents(`${server.url}${GROUPS}/general/stream`)));
  for (const reader of open) await started(reader);
  await server.stop();
  for (const reader of open) {
    await until("it has ended", () => reader.ended());
    expect(reader.ending()).toMatchObject({ reason: "restarting" });
  }
  await until("nobody listens", async () => {
    const rows = await api.sql(
      "select count(*)::int as n from pg_stat_activity where application_name = 'notifications' and datname = current_database()",
    );
    return rows[0].n === 0;
  });
});
