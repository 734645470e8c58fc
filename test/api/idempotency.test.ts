/** Idempotency-Key: one request, one effect, one answer. */
import { generatePrivateKey } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallerRule } from "../../api/caller-types.ts";
import { endpoint } from "../../api/endpoint.ts";
import { fail } from "../../core/errors.ts";
import { forgetExpired } from "../../db/callers/idempotency.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { apiForFile, HOST, named, refusal } from "./support/api.ts";

/** Counts its effects; the body says how it ends. */
let effects = 0;
let gate: Promise<void> | undefined;
const effect = (path: string, caller: CallerRule) =>
  endpoint({
    ...named("post", path),
    guard: { caller },
    body: z
      .strictObject({ end: z.enum(["ok", "later", "refused", "proof", "broken", "away"]).default("ok") })
      .default({ end: "ok" }),
    responses: {
      201: { description: "Done", schema: z.object({ effect: z.int() }) },
      202: { description: "Later", schema: z.object({ effect: z.int() }) },
    },
    errors: ["conflict", "proof_missing", "upstream_unavailable"],
    async handler({ body }, json) {
      effects++;
      await gate;
      if (body.end === "refused") fail("conflict", "No.");
      if (body.end === "proof") fail("proof_missing", "Not yet.");
      if (body.end === "away") fail("upstream_unavailable", "Away.");
      if (body.end === "broken") throw new Error("broken on purpose");
      if (body.end === "later") return json({ effect: effects }, { status: 202, final: false });
      return json({ effect: effects }, { status: 201, headers: { location: "/there" } });
    },
  });

const api = apiForFile({ endpoints: [effect("/open", "anyone"), effect("/mine", "siwa")] }, { provoked: true });
let keys = 0;
let key: string;
beforeEach(() => {
  effects = 0;
  gate = undefined;
  key = `key-${++keys}`;
});

const post = (
  key: string,
  body: string | undefined = undefined,
  { path = "/open", ...headers }: Record<string, string> = {},
) =>
  api.send("POST", path, {
    headers: { "idempotency-key": key, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });

describe("the same key and the same request", () => {
  it("answers byte for byte what it answered first, and says so", async () => {
    const first = await post(key, "{}");
    const again = await post(key, "{}");
    expect(first.status).toBe(201);
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("location")).toBe("/there");
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(effects).toBe(1);
  });

  it("takes effect once when 50 arrive at the same time; the others replay it or are told to wait", async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const all = Promise.all(Array.from({ length: 50 }, () => post(key)));
    await until("the effect", () => effects === 1);
    open();
    const answers = await all;
    expect(effects).toBe(1);
    expect(new Set(answers.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
    for (const { status, body, headers } of answers)
      if (status === 409) {
        expect(body.code).toBe("request_in_progress");
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
    expect(await post(key)).toMatchObject({ status: 201, body: { effect: 1 } });
  });

  it("replays a refusal, with the request id of the first answer in its body", async () => {
    const first = await post(key, '{"end":"refused"}');
    const again = await post(key, '{"end":"refused"}');
    expect(first.status).toBe(409);
    expect(again).toMatchObject({ status: 409, text: first.text });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(effects).toBe(1);
  });

  it.each(["proof", "away", "later"])("runs again after %s, which another try may change", async (end) => {
    const first = await post(key, JSON.stringify({ end }));
    const again = await post(key, JSON.stringify({ end }));
    expect(again.status).toBe(first.status);
    expect(again.headers.has("idempotent-replayed")).toBe(false);
    expect(effects).toBe(2);
  });

  it("runs again after a 500", async () => {
    expect((await post(key, '{"end":"broken"}')).status).toBe(500);
    expect((await post(key, '{"end":"broken"}')).status).toBe(500);
    expect(effects).toBe(2);
    expect(api.errors.splice(0)).toHaveLength(2);
  });
});

describe("the same key and another request", () => {
  it.each([
    ["another body", (key: string) => post(key, '{"end":"ok"}')],
    ["another query", (key: string) => api.send("POST", "/open?x=1", { headers: { "idempotency-key": key } })],
  ])("is 422 for %s", async (_, other) => {
    await post(key, "{}");
    expect(await other(key)).toMatchObject(refusal(422, "idempotency_key_reused"));
    expect(effects).toBe(1);
  });

  it("belongs to the wallet: another wallet's key of the same name is another key", async () => {
    const [one, two] = [agentWallet({ host: HOST }), agentWallet({ host: HOST, privateKey: generatePrivateKey() })];
    expect((await post(key, "{}", { path: "/mine", authorization: await one.siwa() })).status).toBe(201);
    expect((await post(key, '{"end":"later"}', { path: "/mine", authorization: await two.siwa() })).status).toBe(202);
    // A fresh credential of the first wallet is still the first wallet.
    const again = await post(key, "{}", { path: "/mine", authorization: await one.siwa(Date.now() - 1000) });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("a key", () => {
  it.each([
    ["a".repeat(255), 201],
    ["a".repeat(256), 400],
    ["sp ace", 201],
    ["t\tab", 400],
    ["", 400],
    ["ü", 400],
  ])("%j → %i", async (key, status) => {
    expect((await post(key)).status).toBe(status);
  });

  it("is taken over when its process died: after the lease, by the same request only", async () => {
    const scope = "127.0.0.1";
    const finished = await post(key, "{}");
    await api.sql`update offchain.idempotency set state = 'running', status = null, body = null, lease_until = now() +
        interval '3 s' where key = ${key}`;
    const waiting = await post(key, "{}");
    expect(waiting).toMatchObject(refusal(409, "request_in_progress"));
    expect(Number(waiting.headers.get("retry-after"))).toBeLessThanOrEqual(3);
    await api.sql("update offchain.idempotency set lease_until = now() - interval '1 s' where key = $1", key);
    expect((await post(key, '{"end":"ok"}')).status).toBe(422);
    expect((await post(key, "{}")).status).toBe(finished.status);
    expect(effects).toBe(2);
    const rows = await api.sql("select state from offchain.idempotency where scope = $1 and key = $2", scope, key);
    expect(rows).toEqual([{ state: "done" }]);
  });

  it("keeps its lease while its request works, however long that takes", async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = post(key);
    await until("the claim", () => effects === 1);
    const leaseOf = async () =>
      (await api.sql("select lease_until::text as lease from offchain.idempotency where key = $1", key))[0].lease;
    const before = await leaseOf();
    await until("a renewal", async () => (await leaseOf()) > before);
    open();
    expect((await first).status).toBe(201);
  });

  it("is forgotten after a day", async () => {
    await post(key, "{}");
    await api.sql("update offchain.idempotency set created_at = now() - interval '25 h' where key = $1", key);
    expect((await post(key, '{"end":"ok"}')).status).toBe(201);
    expect(effects).toBe(2);
    await api.sql("update offchain.idempotency set created_at = now() - interval '25 h' where key = $1", key);
    expect(await forgetExpired(api.pool)).toBe(1);
  });
});
