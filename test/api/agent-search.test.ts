/** Finding agents: search with its filters, and many at once. */
import { getAddress } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { apiForFile, HOST, refusal } from "./support/api.ts";
import { expectValidated } from "./support/walks.ts";

const api = apiForFile();
beforeAll(async () => {
  await plantAgents(api.pool, [
    { name: "Atlas", score: 12 },
    { name: "Atlas Prime", score: 80, verified: true },
    { name: "atlás", score: 51 },
    { name: "Zephyr", score: 91, verified: true },
    { name: "100%_sure", score: 50 },
    { name: "aaa", score: 95 },
    // Not scored yet: 100 points, its age and its origin show as 40.
    { name: "No score" },
    { name: "Tie", score: 51 },
    { tokenId: 40, name: "Second", agentAddress: walletOf(1), score: 76 },
  ]);
});

type Found = { q: string; total: number; limit: number; agents: { tokenId: number; name: string }[] };
const search = async (query = "") => await api.read<Found>(`/api/v2/search${query && `?${query}`}`);
const ids = async (query: string) => (await search(query)).agents.map(({ tokenId }) => tokenId);

describe("search", () => {
  it("without words is everybody but spam, the best cred first, ties by token id", async () => {
    const { agents, ...rest } = await search();
    expect(agents.map(({ tokenId }) => tokenId)).toEqual([3, 1, 40, 2, 7, 4, 6, 0]);
    expect(rest).toEqual({ q: "", total: 8, limit: 20 });
  });

  it("answers summaries", async () => {
    const { body } = await api.get("/api/v2/agents?search=Zephyr");
    expect((await search("q=zephyr")).agents).toEqual(body.agents);
  });

  it.each([
    ["q=ATLAS", [1, 2, 0]],
    ["q=%25_", [4]],
    [`q=${encodeURIComponent("' or 1=1 --")}`, []],
    ["q=++atl%C3%A1s++", [1, 2, 0]],
    ["q=40", [40]],
    ["q=0", [4, 0]],
    [`q=${walletOf(1)}`, [1, 40]],
    [`q=${walletOf(1).slice(0, 12).toUpperCase().replace("0X", "0x")}`, [1, 40]],
    ["minCred=76", [3, 1, 40]],
    ["minCred=0&q=No", [6]],
    ["minCred=100", []],
    ["tier=preferred", [3]],
    ["tier=PRIME", [1, 40]],
    ["tier=Qualified", [2, 7]],
    ["tier=marginal", [4, 6]],
    ["tier=junk", [0]],
    ["tier=junk&minCred=26", []],
    ["tier=prime&minCred=78", [1]],
    ["verified=true", [3, 1]],
    ["verified=false&minCred=51", [40, 2, 7]],
    ["verified=true&q=atlas&tier=prime", [1]],
  ] as [string, number[]][])("%s", async (query, found) => {
    expect(await ids(query)).toEqual(found);
  });

  it("clamps the limit and says which it used; the total is of all", async () => {
    expect(await search("limit=2")).toMatchObject({ limit: 2, total: 8, agents: [{ tokenId: 3 }, { tokenId: 1 }] });
    expect(await search("limit=5000")).toMatchObject({ limit: 100, total: 8 });
  });

  it.each(["minCred=101", "minCred=-1", "minCred=1.5", "tier=gold", "verified=yes", "limit=0", "limit=ten"])(
    "%s is 400",
    async (query) => {
      expect(await api.get(`/api/v2/search?${query}`)).toMatchObject(refusal(400, "invalid_input"));
    },
  );

  it("refuses ten thousand characters, names what it ignores, and answers HEAD and 304", async () => {
    expect((await api.get(`/api/v2/search?q=${"x".repeat(10_000)}`)).status).toBe(400);
    const { headers } = await api.get("/api/v2/search?sort=name&q=a");
    expect(headers.get("x-ignored-params")).toBe("sort");
    await expectValidated(api, "/api/v2/search?q=a");
  });
});

describe("batch", () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.send("POST", "/api/v2/agents/batch", {
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it("finds token ids and addresses in the order asked, and repeats the rest as asked", async () => {
    const unknown = "0x00000000000000000000000000000000000000FF";
    const ids = [3, "0", getAddress(walletOf(1)), 1, 999, "999", unknown, "12abc", -1, 1.5, "01", "", "0x10", 3];
    const { status, body, headers } = await post({ ids });
    expect(status).toBe(200);
    expect(headers.get("x-indexed-block")).toBe("1000");
    const { found, missing, invalid } = body as never as { found: Found["agents"]; missing: []; invalid: [] };
    expect(found.map(({ tokenId }) => tokenId)).toEqual([3, 0, 1]);
    expect(found[0]).toEqual((await search("q=zephyr")).agents[0]);
    expect(missing).toEqual([999, "999", unknown]);
    expect(invalid).toEqual(["12abc", -1, 1.5, "01", "", "0x10"]);
  });

  it("takes a hundred and no more", async () => {
    const { body } = await post({ ids: Array.from({ length: 100 }, (_, i) => i) });
    expect((body as never as { found: [] }).found).toHaveLength(9);
    expect(await post({ ids: Array.from({ length: 101 }, (_, i) => i) })).toMatchObject(
      refusal(400, "invalid_input", { details: [{ path: "ids" }] }),
    );
    expect((await post({ ids: [] })).body).toEqual({ found: [], missing: [], invalid: [] });
  });

  it("takes the largest numbers for what they are", async () => {
    const { body } = await post({ ids: [2 ** 53 - 1, "9007199254740991", "9007199254740993"] });
    expect(body).toEqual({
      found: [],
      missing: [2 ** 53 - 1, "9007199254740991"],
      invalid: ["9007199254740993"],
    });
    // As a number it has lost its last digit before anybody reads it.
    expect(await post('{"ids":[9007199254740993]}')).toMatchObject(refusal(400, "invalid_input"));
  });

  it.each([
    ["no body", ""],
    ["no ids", {}],
    ["ids that are no list", { ids: 3 }],
    ["an id that is an object", { ids: [{}] }],
    ["an id that is null", { ids: [null] }],
    ["a further member", { ids: [1], extra: true }],
    ["no JSON", "{"],
  ])("refuses %s", async (_, body) => {
    expect(await post(body)).toMatchObject(refusal(400, "invalid_input"));
  });

  it("reads anew whatever the Idempotency-Key, keeps no answer, and needs nobody to sign in", async () => {
    const headers = { "idempotency-key": "batch-1" };
    const first = await post({ ids: [0] }, headers);
    const again = await post({ ids: [0] }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    const signed = await post({ ids: [0] }, { authorization: await agentWallet({ host: HOST }).siwa() });
    expect(signed.text).toBe(first.text);
    expect((await api.get("/api/v2/agents/batch")).status).toBe(405);
  });
});
