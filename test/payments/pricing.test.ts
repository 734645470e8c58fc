/** Prices that change while clients are paying. Numbers are those of README.md. */
import { beforeEach, describe, expect, it } from "vitest";
import { humanUpdateText } from "../../core/callers/signed-texts.ts";
import { plantAgents } from "../api/support/agents.ts";
import { answering, refusal } from "../api/support/api.ts";
import { MINT_PRICE, type Payer, paidBy } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api, spent } = payingForFile();
beforeEach(() => api.pool.query("truncate offchain.price_list"));

const backdate = (minutes: number) =>
  api.pool.query(`update offchain.price_list set since = since - interval '${minutes} minutes'`);

describe("prices", () => {
  it("case 27: in the free phase payment headers are not even read; the phase turns at run time", async () => {
    await api.setPhase("free");
    const payer = await world.payer();
    const answer = await api.mint(payer, { headers: { "payment-signature": "%%% not a payment" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("payment-response")).toBeNull();
    expect(await world.balance(payer.address)).toBe(10_000_000n);
    await api.setPhase("paid");
    expect((await api.mint(await world.payer())).status).toBe(402);
  });

  it("what is shown follows what is asked, without a restart", async () => {
    await api.setPhase("paid", { credReport: 250_000n });
    await world.until("the new price is shown", async () => {
      const { body } = await api.get("/api/v2/pricing");
      return body.credReport === "0.25" && body.phase === "paid";
    });
    expect((await api.get("/api/v2")).body).toMatchObject({
      pricing: { credReport: "0.25", agentMint: "1.00" },
      payments: {
        methods: expect.arrayContaining([expect.objectContaining({ protocol: "x402", status: "available" })]),
      },
    });
  });

  it("case 28: a price of 0 is no 402", async () => {
    await api.setPhase("paid", { agentMint: 0n });
    expect((await api.mint(await world.payer(0n))).status).toBe(201);
  });

  it("case 29: a quote is honoured within its window, up and down, and not after it", async () => {
    await api.setPhase("paid", { agentMint: 2_000_000n });
    const early = await world.payer();
    const signed = await world.authorize(early.account, { value: MINT_PRICE });
    expect((await api.pay(early, signed)).status).toBe(201);
    expect(await world.balance(early.address)).toBe(10_000_000n - MINT_PRICE);

    await backdate(60);
    const late = await world.payer();
    const answer = await api.pay(late, await world.authorize(late.account, { value: MINT_PRICE }));
    expect(answer).toMatchObject({ status: 402, body: { reason: "wrong_amount", price: "2.00" } });
    expect(await world.balance(late.address)).toBe(10_000_000n);
    expect((await api.pay(late, await world.authorize(late.account, { value: 2_000_000n }))).status).toBe(201);
  });
});

describe("an update that has a price", () => {
  const UPDATE_PRICE = 1_000_000n;
  const CONTENT = { narrative: { mission: "to be paid for" } };
  let nextId = 500;
  beforeEach(() => api.setPhase("paid", { update: UPDATE_PRICE }));

  /** An agent of the index, owned by the wallet it names. */
  async function agentOf({ address }: Payer, at = api): Promise<number> {
    const wallet = address.toLowerCase() as `0x${string}`;
    const tokenId = nextId++;
    await plantAgents(at.pool, [{ tokenId, agentAddress: wallet, owner: wallet, traits: [["calm", "temperament"]] }]);
    return tokenId;
  }
  type Asked = { path?: string; method?: string; body?: object; paid?: boolean; at?: typeof api; signIn?: boolean };
  /** A request as `by` signs it, and pays for it where it is to. */
  async function change(by: Payer, tokenId: number, asked: Asked = {}) {
    const { path = "update", method = "POST", body = CONTENT, paid = false, at = api, signIn = true } = asked;
    const signed = paid && (await world.authorize(by.account, { value: UPDATE_PRICE }));
    const headers = {
      "content-type": "application/json",
      ...(signIn && { authorization: await by.siwa() }),
      ...(signed && paidBy(signed)),
    };
    const again = () => at.send(method, `/api/v2/agent/${tokenId}/${path}`, { headers, body: JSON.stringify(body) });
    return { answer: await again(), again };
  }
  const missionOf = async (tokenId: number) =>
    ((await api.get(`/api/v2/agent/${tokenId}`)).body.narrative as never as { mission: string } | null)?.mission;

  it("is asked for, paid to the deployer, and charged once however often it is repeated", async () => {
    const payer = await world.payer();
    const tokenId = await agentOf(payer);
    expect((await change(payer, tokenId, { signIn: false })).answer).toMatchObject(
      answering(401, { price: "1.00", x402Version: 1 }),
    );
    const { answer: asked } = await change(payer, tokenId);
    expect(asked).toMatchObject(refusal(402, "payment_required", { price: "1.00" }));
    expect((asked.body.accepts as never as { payTo: string }[])[0]!.payTo.toLowerCase()).toBe(world.payTo.deployer);
    expect(await missionOf(tokenId)).toBeUndefined();

    const before = await world.balance(world.payTo.deployer);
    const { answer, again } = await change(payer, tokenId, { paid: true });
    expect(answer).toMatchObject({ status: 200, body: { updated: ["narrative.mission"], storage: "offchain" } });
    expect(answer.headers.get("payment-response")).not.toBeNull();
    expect(await missionOf(tokenId)).toBe(CONTENT.narrative.mission);
    expect((await again()).headers.get("idempotent-replayed")).toBe("true");
    expect(await spent(payer)).toBe(UPDATE_PRICE);
    expect((await world.balance(world.payTo.deployer)) - before).toBe(UPDATE_PRICE);
    expect((await api.payments()).at(-1)).toMatchObject({ state: "fulfilled" });
  });

  it("is refused before it is charged", async () => {
    const [owner, stranger] = [await world.payer(), await world.payer()];
    const tokenId = await agentOf(owner);
    const known = (await api.payments()).length;
    const traits = [{ name: "calm", category: "another" }];
    expect((await change(stranger, tokenId, { paid: true })).answer.status).toBe(403);
    expect((await change(owner, tokenId, { paid: true, body: { traits } })).answer.status).toBe(409);
    expect((await change(owner, tokenId, { paid: true, body: {} })).answer.status).toBe(400);
    expect([await spent(owner), await spent(stranger)]).toEqual([0n, 0n]);
    expect(await api.payments()).toHaveLength(known);
  });

  it("costs the same as a personality or by a signed text, whose repetition is free", async () => {
    const payer = await world.payer();
    const tokenId = await agentOf(payer);
    const personality = { path: "personality", method: "PUT", body: { personality: { humor: "dry" } } };
    expect((await change(payer, tokenId, personality)).answer.status).toBe(402);
    expect((await change(payer, tokenId, { ...personality, paid: true })).answer.status).toBe(200);
    expect(await spent(payer)).toBe(UPDATE_PRICE);

    const message = humanUpdateText("Helixa", tokenId, Date.now());
    const body = { ...CONTENT, message, signature: await payer.account.signMessage({ message }) };
    const human = { path: "human-update", body, signIn: false };
    expect((await change(payer, tokenId, human)).answer.status).toBe(402);
    const { answer, again } = await change(payer, tokenId, { ...human, paid: true });
    expect(answer.status).toBe(200);
    expect((await again()).status).toBe(200);
    expect((await change(payer, tokenId, { ...human, paid: true })).answer.status).toBe(200);
    expect(await spent(payer)).toBe(2n * UPDATE_PRICE);
  });

  it("of which the chain refuses a part is a credit", async () => {
    const quiet = await world.apiForTest({ mints: false, env: { MINT_WAIT_MS: "0" } });
    await quiet.setPhase("paid", { update: UPDATE_PRICE });
    const payer = await world.payer();
    const tokenId = await agentOf(payer, quiet);
    const onchain = { path: "update?onchain=true", paid: true, at: quiet };
    expect((await change(payer, tokenId, onchain)).answer.status).toBe(202);
    expect(await quiet.payments()).toMatchObject([{ state: "fulfilled" }]);
    // Sold before the transaction is signed.
    const buyer = `0x${"b0".repeat(20)}`;
    await quiet.sql("update onchain.agent set owner = $2, agent_address = $2 where token_id = $1", tokenId, buyer);
    quiet.startSender();
    await world.until("the payment is a credit", async () => (await quiet.payments())[0]!.state === "refund_due");
    const other = await agentOf(payer, quiet);
    expect((await change(payer, other, { at: quiet })).answer.status).toBe(200);
    expect(await quiet.payments()).toMatchObject([{ state: "fulfilled", reason: null }]);
    expect(await spent(payer)).toBe(UPDATE_PRICE);
  });

  it("is told of wherever the service tells what it costs, and nowhere while it costs nothing", async () => {
    const places = async () => {
      const mcp = await api.write("POST", "/mcp", {
        ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      });
      const discovery = await api.read<{
        payments: { methods: { status: string; endpoints: string[] }[] };
      }>("/api/v2");
      const payable = discovery.payments.methods.find(({ status }) => status === "available")!.endpoints;
      return {
        pricing: (await api.get("/api/v2/pricing")).body.update,
        discovery: payable.includes("/api/v2/agent/{ref}/update"),
        registration: payable.includes("/api/v2/mint"),
        llms: /\/update\].*1\.00 USDC/.test((await api.get("/llms.txt")).text),
        mcp: mcp.text.includes("A change of an agent's profile costs 1.00 USDC"),
        a2a: (await api.get("/.well-known/agent-card.json")).text.includes(
          "A change of an agent's profile costs 1.00 USDC",
        ),
      };
    };
    const told = { pricing: "1.00", discovery: true, registration: true, llms: true, mcp: true, a2a: true };
    await world.until("the price is shown", async () => (await places()).pricing === "1.00");
    expect(await places()).toEqual(told);
    await api.setPhase("paid");
    await world.until("the price is shown", async () => (await places()).pricing === "0.00");
    expect(await places()).toEqual({
      ...{ pricing: "0.00", discovery: false, registration: true, llms: false, mcp: false, a2a: false },
    });
    expect(api.document.paths["/api/v2/agent/{ref}/update"]!.post!.responses).toHaveProperty("402");
  });
});
