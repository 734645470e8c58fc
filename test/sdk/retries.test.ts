/** When the SDK asks again, how long it waits before, and with what: a real server that counts, and a clock that does not wait. */
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../harness/patience.ts";
import { type ApiError, type ClientOptions, ConnectionError, createClient, realTime } from "../../sdk/src/index.ts";
import { failure, refusal, scriptedForFile } from "./scripted-server.ts";

const account = privateKeyToAccount(`0x${"01".repeat(32)}`);
const MINTED = { status: 201, body: { tokenId: 7, block: 9, agent: { tokenId: 7 } } };

const { server, time } = scriptedForFile();

const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: server.url, wallet: account, time, ...options });
const read = (options?: Partial<ClientOptions>) => client(options).get("/api/v2/stats");
type Failed = Error & Partial<Omit<ApiError, keyof Error> & Omit<ConnectionError, keyof Error>>;
const sent = (header: string) => server.asked.map(({ headers }) => headers[header]);

describe("Retry-After", () => {
  it.each([429, 503, 504, 409])("of a %i is waited for, in seconds, and a little more", async (status) => {
    const again = refusal(status, "any", { "retry-after": "3" });
    server.answer(again, again, { status: 200, body: { totalAgents: 5 } });
    expect(await read()).toEqual({ totalAgents: 5 });
    expect(time.waits).toEqual([3300, 3300]);
  });

  it("may be a date", async () => {
    const later = new Date(time.now() + 10_000).toUTCString();
    server.answer(refusal(503, "overloaded", { "retry-after": later }));
    await read();
    expect(time.waits).toEqual([11_000]);
  });

  it("of 0 still spreads those who come back", async () => {
    server.answer(refusal(429, "rate_limited", { "retry-after": "0" }));
    await read();
    expect(time.waits).toEqual([100]);
  });

  it("longer than the most that is waited is told, and not waited for", async () => {
    server.answer(refusal(503, "out_of_funds", { "retry-after": "61" }));
    expect(await failure(read())).toMatchObject({ code: "out_of_funds", retryAfterMs: 61_000 });
    expect(time.waits).toEqual([]);
    server.answer(refusal(503, "out_of_funds", { "retry-after": "61" }));
    await read({ retry: { maxWaitMs: 61_000 } });
    expect(time.waits).toEqual([67_100]);
  });
});

describe("a read", () => {
  it("is repeated after a gateway's trouble and a lost line, with waits that grow", async () => {
    server.answer({ status: 502, headers: { "content-type": "text/html" }, body: "bad gateway" }, "cut", {
      status: 503,
    });
    expect(await read()).toEqual({});
    expect(time.waits).toEqual([250, 500, 1000]);
  });

  it("gives up after so many attempts, with the last answer or with none", async () => {
    const behind = refusal(503, "indexer_behind", { "retry-after": "1" });
    server.answer(behind, behind, behind, behind, behind, behind);
    expect(await failure(read())).toMatchObject({ name: "ApiError", status: 503, code: "indexer_behind" });
    expect(server.asked).toHaveLength(5);
    server.answer("cut", "cut", "cut");
    const lost = await failure<Failed>(read({ retry: { attempts: 2 } }));
    expect(lost).toBeInstanceOf(ConnectionError);
    expect(server.asked).toHaveLength(7);
  });

  it("is not repeated when the service means what it says", async () => {
    const notReady = { status: 503, headers: { "x-request-id": "r-1" }, body: { ready: false } };
    server.answer(notReady);
    const error = await failure<Failed>(client().get("/ready"));
    expect(error).toMatchObject({ status: 503, code: "unexpected_answer", body: { ready: false }, requestId: "r-1" });
    for (const [status, code] of [
      [400, "invalid_input"],
      [404, "not_found"],
      [500, "internal"],
    ] as const) {
      server.answer(refusal(status, code));
      expect(await failure(read())).toMatchObject({ status, code });
    }
    expect(server.asked).toHaveLength(4);
    expect(time.waits).toEqual([]);
  });

  it("waits no longer than its signal allows", async () => {
    server.answer(refusal(503, "timeout", { "retry-after": "30" }));
    const stop = new AbortController();
    const stopping = {
      ...realTime,
      sleep: (ms: number, signal?: AbortSignal) => {
        queueMicrotask(() => stop.abort(new Error("enough")));
        return realTime.sleep(ms, signal);
      },
    };
    const asking = client({ time: stopping }).get("/api/v2/stats", { signal: stop.signal });
    expect((await failure<Failed>(asking)).message).toBe("enough");
    expect(server.asked).toHaveLength(1);
  });

  it("is given up on when nothing comes", async () => {
    server.answer(() => {});
    const error = await failure<Failed>(read({ retry: { timeoutMs: NEVER, attempts: 1 } }));
    expect(error).toMatchObject({ name: "ConnectionError", message: expect.stringContaining(`within ${NEVER} ms`) });
  });
});

describe("a write", () => {
  it("of a wallet has a key of its own, and is repeated with the same", async () => {
    server.answer("cut", refusal(503, "timeout", { "retry-after": "1" }), MINTED, MINTED);
    await client().post("/api/v2/mint", { body: { name: "Ada" } });
    const keys = sent("idempotency-key");
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(sent("authorization")).size).toBe(1);
    expect(server.asked.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"Ada"}'));
    await client().post("/api/v2/mint", { body: { name: "Ada" } });
    expect(sent("idempotency-key").at(-1)).not.toBe(keys[0]);
  });

  it("keeps the key it was given", async () => {
    server.answer("cut", MINTED);
    const header = { "Idempotency-Key": "mine" };
    await client().post("/api/v2/mint", { body: { name: "Ada" }, params: { header } });
    expect(sent("idempotency-key")).toEqual(["mine", "mine"]);
  });

  it("without a key is sent once", async () => {
    const receipt = { body: { payload: "{}", signature: "0x" } };
    server.answer("cut");
    expect(await failure(client().post("/api/v2/cred-report/verify-receipt", receipt))).toBeInstanceOf(ConnectionError);
    server.answer(refusal(503, "timeout", { "retry-after": "1" }));
    const refused = await failure<Failed>(client().post("/api/v2/cred-report/verify-receipt", receipt));
    expect(refused).toMatchObject({ code: "timeout", retryAfterMs: 1000 });
    expect(sent("idempotency-key")).toEqual([undefined, undefined]);
  });
});

describe("a payment", () => {
  /** Pays a 402 as the protocols' clients do: the same request again, with a new payment. */
  const paying = () => {
    let signed = 0;
    const pay: ClientOptions["pay"] = (fetch) => async (input, init) => {
      const asked = await fetch(input as string, init);
      if (asked.status !== 402) return asked;
      return fetch(input as string, { ...init, headers: { ...init?.headers, "payment-signature": `p${++signed}` } });
    };
    return { pay, signed: () => signed };
  };
  const report = (options: Partial<ClientOptions>) =>
    client(options).get("/api/v2/agent/{ref}/cred-report", { params: { path: { ref: "7" } } });
  const asksMoney = refusal(402, "payment_required");
  const notKnown = refusal(503, "payment_pending", { "retry-after": "5" });

  it("that is not known yet is sent again, never a new one", async () => {
    const { pay, signed } = paying();
    server.answer(asksMoney, notKnown, "cut", notKnown, { status: 200, body: { reportId: "r" } });
    expect(await report({ pay })).toMatchObject({ reportId: "r" });
    expect(sent("payment-signature")).toEqual([undefined, "p1", "p1", "p1", "p1"]);
    expect(signed()).toBe(1);
  });

  it("makes a write repeatable that has no key", async () => {
    const { pay, signed } = paying();
    server.answer(asksMoney, "cut", { status: 200, body: { valid: true } });
    const receipt = { body: { payload: "{}", signature: "0x" } };
    await client({ pay }).post("/api/v2/cred-report/verify-receipt", receipt);
    expect(signed()).toBe(1);
    expect(server.asked.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(receipt.body)));
  });

  it("is told with what failed, so that it can be sent once more", async () => {
    const { pay } = paying();
    server.answer(asksMoney, notKnown);
    const unknown = await failure<Failed>(report({ pay, retry: { attempts: 1 } }));
    expect(unknown).toMatchObject({ code: "payment_pending", payment: { "payment-signature": "p1" } });
    server.answer(asksMoney, "cut");
    const lost = await failure<Failed>(report({ pay, retry: { attempts: 1 } }));
    expect(lost).toMatchObject({ name: "ConnectionError", payment: { "payment-signature": "p2" } });
    server.answer(asksMoney);
    expect(await failure(report({}))).toMatchObject({ code: "payment_required", payment: null });
  });
});

describe("a credential", () => {
  const mint = (of: ReturnType<typeof client>) => of.post("/api/v2/mint", { body: { name: "Ada" } });

  it("is signed once and renewed before it expires", async () => {
    const one = client();
    await mint(one);
    await time.sleep(49 * 60_000);
    await mint(one);
    await time.sleep(2 * 60_000);
    await mint(one);
    const [first, second, third] = sent("authorization");
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(third).toBe(`Bearer ${await one.credential()}`);
  });

  it("that was refused is signed anew, once", async () => {
    const one = client();
    await mint(one);
    await time.sleep(1);
    server.answer(refusal(401, "unauthenticated"), MINTED);
    await mint(one);
    const [first, refused, renewed] = sent("authorization");
    expect(refused).toBe(first);
    expect(renewed).not.toBe(first);
    expect(sent("idempotency-key")[1]).toBe(sent("idempotency-key")[2]);
    await time.sleep(1);
    server.answer(refusal(401, "unauthenticated"), refusal(401, "unauthenticated"), MINTED);
    expect(await failure(mint(one))).toMatchObject({ status: 401, code: "unauthenticated" });
    expect(server.asked).toHaveLength(5);
    // One signed for this very request would be refused again.
    server.answer(refusal(401, "unauthenticated"), MINTED);
    expect(await failure(mint(client()))).toMatchObject({ status: 401 });
    expect(server.asked).toHaveLength(6);
  });

  it("goes only where an operation takes one, and never over the caller's own", async () => {
    const key = { apiKey: "k-1", accessToken: () => "token" };
    const all = client(key);
    await all.get("/api/v2/stats");
    await all.post("/api/v2/agent/{ref}/session-outcome", {
      params: { path: { ref: "7" } },
      body: { outcome: "success" },
    });
    await all.get("/api/v2/principals/human/me");
    await all.post("/api/v2/human/{id}/link-agent", { params: { path: { id: "x" } }, body: { agentTokenId: 7 } });
    await all.post("/api/v2/auth/revoke", { headers: { "x-siwa": "mine" } });
    await client().get("/api/v2/principals/human/me");
    await createClient({ baseUrl: server.url }).post("/api/v2/auth/revoke");
    const siwa = await all.credential();
    expect(server.asked.map(({ headers: h }) => [h.authorization, h["x-siwa"], h["x-api-key"]])).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined, "k-1"],
      ["Bearer token", undefined, undefined],
      ["Bearer token", siwa, undefined],
      [undefined, "mine", undefined],
      [`Bearer ${siwa}`, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });
});
