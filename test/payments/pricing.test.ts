/** Prices that change while clients are paying. Numbers are those of README.md. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MINT_PRICE, type Paying, startPaying } from "./support/paying.ts";

let world: Paying;
let api: Awaited<ReturnType<Paying["api"]>>;
beforeAll(async () => {
  world = await startPaying();
  api = await world.api();
});
beforeEach(() => api.pool.query("truncate offchain.price_list"));
afterAll(async () => {
  await api?.close();
  await world?.stop();
});

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
