/** Registration with a Solana key that is paid for: real clients, one token and one charge for a key whatever happens, and the receiver that was signed. */
import { describe, expect, it } from "vitest";
import type { Hex } from "../../core/agents/facts.ts";
import { OG_WALLETS } from "../../core/agents/og-wallets.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { type SolanaWallet, solanaWallet } from "../../harness/solana-wallet.ts";
import { until } from "../../harness/until.ts";
import { mintEffect } from "../../workers/transactions/intents/mint.ts";
import { refusal } from "../api/support/api.ts";
import { MINT_PRICE, type PaidApi, type Payer, paidBy, unbase64 } from "./support/paying.ts";
import { diesAt, payingForFile, silent, troubled } from "./support/paying-file.ts";

const { world, api, trouble, spent, sweep, recovers } = payingForFile();
const PATH = "/api/v2/register/solana";
/** A registration of the key, signed. @param bound goes into the signed text */
async function signed(key: SolanaWallet, more: object = {}, bound?: string, at: PaidApi = api) {
  const query = new URLSearchParams({ address: key.address, ...(bound && { evmAddress: bound }) });
  const { body } = await at.get(`/api/v2/auth/solana/challenge?${query}`);
  const { message, nonce } = body as unknown as { message: string; nonce: string };
  return { name: "Sol", solanaAddress: key.address, nonce, signature: await key.signText(message), ...more };
}
const post = (body: object, headers: Record<string, string> = {}, at: PaidApi = api) =>
  at.write("POST", PATH, body, headers);
const payment = async (payer: Payer) => paidBy(await world.authorize(payer.account));
const mintsOf = async (key: SolanaWallet, at: PaidApi = api) =>
  (await at.mints()).filter((mint) => mint.solana_address === key.address);
const registered = (key: SolanaWallet, receiver: Hex) => ({
  status: 201,
  body: { mintOrigin: "API", solanaAddress: key.address, evmAddress: receiver },
});

describe("a real x402 client", () => {
  it.each([1, 2] as const)("of version %i pays, and the identity is the payer's", async (version) => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const response = await world.payingFetch(payer.account, version)(`${api.url}${PATH}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(await signed(key)),
    });
    expect(response.status).toBe(201);
    const body = (await response.json()) as { tokenId: number };
    expect(body).toMatchObject(registered(key, payer.address).body);
    expect(unbase64(response.headers.get("payment-response"))).toMatchObject({
      success: true,
      payer: expect.any(String),
    });
    expect(await world.ownerOf(body.tokenId)).toBe(payer.address);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("may pay for another receiver, and the signed one stands against every other", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const receiver = (await world.payer(0n)).address;
    const request = await signed(key, {}, receiver);
    const stolen = await post({ ...request, evmAddress: payer.address }, await payment(payer));
    expect(stolen).toMatchObject(refusal(401, "unauthenticated"));
    const answer = await post(request, await payment(payer));
    expect(answer).toMatchObject(registered(key, receiver));
    expect(await world.ownerOf(Number(answer.body.tokenId))).toBe(receiver);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });
});

describe("a transaction's hash", () => {
  it("pays for whoever signs in as its payer, and only then", async () => {
    const [key, payer, thief] = [await solanaWallet(), await world.payer(), await world.payer(0n)];
    const { transactionHash } = await world.transfer(payer, world.payTo.deployer, MINT_PRICE);
    const request = await signed(key);
    const paid = { "x-payment-tx": transactionHash };
    expect(await post(request, paid)).toMatchObject({ status: 400, body: { details: [{ path: "evmAddress" }] } });
    expect(await post(request, { ...paid, authorization: await thief.siwa() })).toMatchObject({ status: 402 });
    expect(await post(request, { ...paid, authorization: await payer.siwa() })).toMatchObject(
      registered(key, payer.address),
    );
    expect(await mintsOf(key)).toHaveLength(1);
  });
});

describe("what is refused costs nothing", () => {
  it("a bad signature, a used challenge, a registered key, another receiver, bad input", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const stranger = await solanaWallet();
    const request = await signed(key);
    const forged = { ...request, signature: await stranger.signText("anything") };
    expect((await post(forged, await payment(payer))).status).toBe(401);
    expect((await post({ ...request, name: "" }, await payment(payer))).status).toBe(400);
    expect(await spent(payer)).toBe(0n);
    expect(await post(request, await payment(payer))).toMatchObject({ status: 201 });
    expect((await post({ ...request, name: "Else" }, await payment(payer))).status).toBe(401);
    expect(await post(await signed(key), await payment(payer))).toMatchObject(refusal(409, "already_registered"));
    expect((await post(await signed(key))).status).toBe(409);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("a receiver that is a contract and takes no tokens", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const request = await signed(key, { evmAddress: world.usdc });
    expect(await post(request, await payment(payer))).toMatchObject(refusal(409, "conflict"));
    expect([await spent(payer), await mintsOf(key)]).toEqual([0n, []]);
  });

  it("is told with the terms while nothing is paid, and first where something is", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const request = await signed(key);
    const unknown = { ...request, nonce: "0".repeat(32) };
    expect(await post(unknown)).toMatchObject({ status: 402, body: { problem: { code: "unauthenticated" } } });
    expect((await post(unknown, await payment(payer))).status).toBe(401);
    const asked = await post(request);
    expect(asked).toMatchObject({ status: 402, body: { price: "1.00", accepts: [{ network: "base" }] } });
    expect(asked.body).not.toHaveProperty("problem");
    const { accepts, resource } = unbase64(asked.headers.get("payment-required"));
    expect(accepts[0].payTo.toLowerCase()).toBe(world.payTo.deployer);
    expect(resource.url).toBe(`https://agents.test${PATH}`);
    trouble.ahead = 300_000;
    expect(await post(request)).toMatchObject({ status: 402, body: { problem: { code: "unauthenticated" } } });
    expect((await post(request, await payment(payer))).status).toBe(401);
    expect(await spent(payer)).toBe(0n);
  });

  it("a V1 wallet's free registration is not to be had by naming it", async () => {
    const request = await signed(await solanaWallet(), { evmAddress: OG_WALLETS[4]!.wallet });
    expect((await post(request)).status).toBe(402);
  });
});

describe("one key", () => {
  it("asked for by 20 at once, each with its own payment, is one token and one charge", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer(30_000_000n)];
    const requests = await Promise.all(
      Array.from({ length: 20 }, async () => ({ body: await signed(key), headers: await payment(payer) })),
    );
    const answers = await Promise.all(requests.map(({ body, headers }) => post(body, headers)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await mintsOf(key)).toHaveLength(1);
    expect(await spent(payer, 30_000_000n)).toBe(MINT_PRICE);
  });

  it("asked for in 20 copies of one request and payment is one token, told to those who wait", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const [body, headers] = [await signed(key), await payment(payer)];
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, headers)));
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.body.tokenId)).size).toBe(1);
    const late = await post(body, headers);
    expect([late.status, late.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(late.headers.get("payment-response")).not.toBeNull();
    expect([await spent(payer), (await mintsOf(key)).length]).toEqual([MINT_PRICE, 1]);
  });

  it("whose payment hangs is served later with the same payment, though its challenge has ended by then", async () => {
    const hasty = await world.apiForTest(troubled(world, trouble, { env: { PAYMENT_WAIT_MS: "0" } }));
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const [body, headers] = [await signed(key, {}, undefined, hasty), await payment(payer)];
    const ask = (sent = body, paid = headers) => post(sent, paid, hasty);
    trouble.settle = silent;
    expect(await ask()).toMatchObject(refusal(503, "payment_pending"));
    trouble.settle = undefined;
    // What was signed is this request's: nobody registers anything else with it.
    expect((await ask({ ...body, name: "Else" }, await payment(payer))).status).toBe(401);
    trouble.ahead = 301_000;
    await until("the payment is settled", async () => (await ask()).status === 201);
    expect(await ask()).toMatchObject(registered(key, payer.address));
    expect([await spent(payer), (await mintsOf(key, hasty)).length]).toEqual([MINT_PRICE, 1]);
  });

  it("that was paid for is registered although its request died, by the sweeper", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const [body, headers] = [await signed(key), await payment(payer)];
    trouble.fault = diesAt("mint.paid");
    expect((await post(body, headers)).status).toBe(500);
    recovers();
    await api.sql(
      "update offchain.payment set updated_at = updated_at - interval '1 hour', lease_until = null where state = 'paid'",
    );
    expect(await sweep()).toBe(1);
    const answer = await post(body, headers);
    expect(answer).toMatchObject(registered(key, payer.address));
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
    expect([await spent(payer), (await mintsOf(key)).length]).toEqual([MINT_PRICE, 1]);
  });

  it("that the chain refused is registered later for the credit of the wallet that paid", async () => {
    const stopped = await world.apiForTest({ mints: false, env: { MINT_WAIT_MS: "0" } });
    const [key, payer, other] = [await solanaWallet(), await world.payer(), await world.payer()];
    const ask = async (headers: Record<string, string>) =>
      post(await signed(key, {}, undefined, stopped), headers, stopped);
    expect((await ask(await payment(payer))).status).toBe(202);
    const [{ mint_id: mintId }] = await stopped.mints();
    await transaction(stopped.pool, (tx) =>
      mintEffect.failed(tx, { intentKey: `mint:${mintId}` } as never, "the contract is paused", new Date()),
    );
    expect((await ask({})).status).toBe(402);
    expect((await ask({ authorization: await other.siwa() })).status).toBe(402);
    expect((await ask({ authorization: "Bearer nonsense" })).status).toBe(401);
    expect((await ask({ authorization: await payer.siwa() })).status).toBe(202);
    const [, second] = await stopped.mints();
    expect(second).toMatchObject({ state: "pending", recipient: payer.address.toLowerCase() });
    expect([await spent(payer), await spent(other)]).toEqual([MINT_PRICE, 0n]);
  });

  it("whose block is reorganised away is registered again, once, for the same receiver", async () => {
    const [key, payer] = [await solanaWallet(), await world.payer()];
    const { transactionHash } = await world.transfer(payer, world.payTo.deployer, MINT_PRICE);
    // The payment is to stay in the chain.
    await world.evm.mine({ blocks: 5 });
    const headers = { "x-payment-tx": transactionHash, authorization: await payer.siwa() };
    const first = await post(await signed(key), headers);
    expect(first.status).toBe(201);
    const { txHash, block } = first.body as unknown as { txHash: Hex; block: number };
    const depth = Number(await world.evm.getBlockNumber()) - block + 1;
    await world.evm.request({ method: "anvil_reorg", params: [depth, []] } as never);
    const again = await world.until("it is mined again", async () => {
      await world.evm.mine({ blocks: 1 });
      const [mint] = await mintsOf(key);
      const receipt = await world.evm.getTransactionReceipt({ hash: txHash }).catch(() => null);
      return mint?.state === "minted" && receipt ? mint : undefined;
    });
    expect(await world.ownerOf(Number(again.token_id))).toBe(payer.address);
    expect(await mintsOf(key)).toHaveLength(1);
  });
});
