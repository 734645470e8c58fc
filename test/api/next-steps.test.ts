/** A refusal names the next step that works and costs nothing: each hint is followed, as somebody would who reads it. */
import { beforeAll, describe, expect, it } from "vitest";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { plantAgents } from "./support/agents.ts";
import { type Answer, apiForFile, HOST } from "./support/api.ts";
import { plantSpeaker } from "./support/speakers.ts";

const GROUPS = "/api/v2/messages/groups";

const wallet = agentWallet({ host: HOST });
const lower = (address: string) => address.toLowerCase() as `0x${string}`;
const api = apiForFile();
beforeAll(() =>
  plantAgents(api.pool, [{ tokenId: 7, name: "Grace Hopper", agentAddress: lower(wallet.address), score: 60 }]),
);

const send = (method: string, path: string, authorization?: string, body?: object) =>
  api.send(method, path, jsonRequest(method, body, { authorization }));
const hintOf = ({ body }: Answer): string => String((body as { hint?: string }).hint);

/** Makes every call of a hint that reads or joins, with a name where it has a place for one. @returns the bodies */
async function follow(refused: Answer, authorization?: string): Promise<object[]> {
  const calls = [
    ...hintOf(refused)
      .replaceAll(/<[^>]+>/g, "Grace")
      .matchAll(/(GET|POST) (\/\S+?)(?=[.,;]?(?:\s|$))/g),
  ];
  const free = calls.filter(([, method, path]) => method === "GET" || path!.endsWith("/join"));
  expect([hintOf(refused), free.length]).not.toEqual([hintOf(refused), 0]);
  const bodies: object[] = [];
  for (const [, method, path] of free) {
    const answer = await send(method!, path!, authorization);
    expect([path, answer.status]).toEqual([path, 200]);
    bodies.push(answer.body);
  }
  return bodies;
}

describe("a refused credential", () => {
  const CREDENTIALS: Record<string, () => Promise<string | undefined>> = {
    "that is absent": async () => undefined,
    "that is none": async () => "Bearer hello",
    "whose signature has no 0x": async () => (await wallet.siwa()).replace(/:0x/, ":"),
    "that has expired": () => wallet.siwa(Date.now() - 4_000_000),
    "for another host": () => wallet.siwa(Date.now(), "other.example"),
    "of a human for an agent's operation": () => wallet.siwe(),
  };
  it.each(Object.entries(CREDENTIALS))("%s: the text that the hint leads to signs in", async (_, credential) => {
    const path = "/api/v2/agent/7/crossreg";
    const refused = await send("POST", path, await credential());
    expect(refused.status).toBe(401);
    expect(hintOf(refused)).toMatch(/GET \/api\/v2 .*auth\.agent\.message|Sign a new one/);
    const [discovery] = (await follow({ ...refused, body: { hint: "GET /api/v2" } as never })) as [
      { auth: { agent: { message: string } } },
    ];
    const timestamp = String(Date.now());
    const message = discovery.auth.agent.message.replace("{address}", wallet.address).replace("{timestamp}", timestamp);
    const signature = await wallet.account.signMessage({ message });
    expect((await send("POST", path, `Bearer ${wallet.address}:${timestamp}:${signature}`)).status).toBe(200);
  });

  it("whose signature has no 0x is told that", async () => {
    const refused = await send("POST", "/api/v2/agent/7/crossreg", (await wallet.siwa()).replace(/:0x/, ":"));
    expect(refused.body.error).toMatch(/0x/);
  });
});

describe("something that is not there", () => {
  const signedIn = async (method: string, path: string, body?: object) => send(method, path, await wallet.siwa(), body);
  it.each([
    ["an agent by its name", () => api.get("/api/v2/agent/Grace%20Hopper"), "Grace Hopper"],
    ["an agent by its name, in a write", () => signedIn("POST", "/api/v2/agent/Grace/crossreg"), "Grace Hopper"],
    ["an agent by a number", () => api.get("/api/v2/agent/4711"), "Grace Hopper"],
    ["an agent by a wallet", () => api.get(`/api/v2/agent/0x${"9".repeat(40)}/cred`), "Grace Hopper"],
    ["an agent of the directory", () => api.get("/api/terminal/agent/nothing-of-that-name"), ""],
    ["a human", () => api.get("/api/v2/human/4711"), ""],
    ["an organization", () => api.get("/api/v2/org/nothing"), ""],
    ["a group", () => api.get(`${GROUPS}/nothing/messages`), "welcome"],
    ["a webhook", () => signedIn("GET", `/api/v2/webhooks/wh_${"0".repeat(32)}`), ""],
  ] as const)("%s: a free call finds what there is", async (_, ask, found) => {
    const refused = await ask();
    expect([400, 404]).toContain(refused.status);
    expect(JSON.stringify(await follow(refused, await wallet.siwa()))).toContain(found);
  });
});

describe("a right that is missing", () => {
  const speaker = (score: number) => plantSpeaker(api.pool, HOST, score);

  it("cred below a group's gate: what raises it is free to read", async () => {
    const { authorization } = await speaker(3);
    const refused = await send("POST", `${GROUPS}/security/join`, authorization);
    expect(refused).toMatchObject({ status: 403, body: { required: 51, yours: 3 } });
    expect(hintOf(refused)).toContain("/cred/advice");
    expect(await follow(refused)).toMatchObject([{ steps: expect.any(Array) }]);
  });

  it("a wallet without an agent: prices, and what everybody reads", async () => {
    const refused = await send("POST", `${GROUPS}/welcome/send`, await agentWallet({ host: HOST }).siwa(), {
      content: "x",
    });
    expect(refused.status).toBe(403);
    expect(await follow(refused)).toMatchObject([{ agentMint: expect.any(String) }, { groups: expect.any(Array) }]);
  });

  it("a private group that was not joined: joining it opens it", async () => {
    const founder = await speaker(100);
    const made = await send("POST", GROUPS, founder.authorization, { topic: "quiet", minCred: 10, isPublic: false });
    expect(made.status).toBe(201);
    const { authorization } = await speaker(20);
    const read = () => send("GET", `${GROUPS}/quiet/messages`, authorization);
    const refused = await read();
    expect(refused.status).toBe(403);
    await follow(refused, authorization);
    expect((await read()).status).toBe(200);
  });

  it("a topic that is taken: its group can be joined", async () => {
    const founder = await speaker(100);
    const taken = { topic: "Taken", minCred: 0, isPublic: true };
    expect((await send("POST", GROUPS, founder.authorization, taken)).status).toBe(201);
    const other = await speaker(90);
    const refused = await send("POST", GROUPS, other.authorization, taken);
    expect(refused.status).toBe(409);
    expect(await follow(refused, other.authorization)).toMatchObject([{ group: { id: "taken" } }]);
  });

  it("a wallet that is registered: its agent", async () => {
    const refused = await send("POST", "/api/v2/mint", await wallet.siwa(), { name: "Again" });
    expect(refused).toMatchObject({ status: 409, body: { tokenId: 7 } });
    expect(await follow(refused)).toMatchObject([{ tokenId: 7, name: "Grace Hopper" }]);
  });

  it("another's agent: the wallets that may change it are named", async () => {
    const { authorization } = await speaker(50);
    const refused = await send("POST", "/api/v2/agent/7/crossreg", authorization);
    expect(refused.status).toBe(403);
    expect(hintOf(refused)).toContain(wallet.address);
  });

  it("a referral code that is none: without it the registration goes on", async () => {
    const fresh = agentWallet({ host: HOST });
    const refused = await send("POST", "/api/v2/mint", await fresh.siwa(), { name: "New", referralCode: "none-0000" });
    expect(refused.status).toBe(400);
    expect(hintOf(refused)).toMatch(/^Leave referralCode out/);
    const pending = await api.impatiently(async () =>
      send("POST", "/api/v2/mint", await fresh.siwa(), { name: "New" }),
    );
    expect(pending.status).toBe(202);
  });
});
