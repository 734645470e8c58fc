/** Sales on a preconfirmation or an unconfirmed block: who may buy so, and what becomes of money that does not arrive. */
import { encodeFunctionData } from "viem";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import type { Facilitator } from "../../clients/ports.ts";
import { createSigner } from "../../clients/signer.ts";
import { openWork } from "../../db/operations/service-counts.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { testLog } from "../../harness/log.ts";
import { preconfirming } from "../../harness/strict-node/preconfirming.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { refusal } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";
import { MINT_PRICE, type PaidApi, type Payer, startPaying } from "./support/paying.ts";
import { diesAt, sweepPayments } from "./support/paying-file.ts";

type Row = Awaited<ReturnType<PaidApi["payments"]>>[number] & { early_at: Date | null; block: number | null };

const world = perFile(startPaying);
const node = perFile(() => startStrictNode({ upstream: world.anvil.url, profile: [preconfirming(0)] }));
let payers: Payer[];
/** The facilitator loses its memory of the orders before, as by a restart. */
let restartFacilitator: () => void;
let api: PaidApi;
let fault: ((point: string) => void) | undefined;
const log = testLog();

beforeAll(async () => {
  payers = [];
  for (let n = 0; n < 20; n++) payers.push(await world.payer());
});
beforeEach(() => world.evm.setAutomine(false));
afterEach(async () => {
  fault = undefined;
  await world.evm.setAutomine(true);
  await world.evm.mine({ blocks: 1 });
  await api?.close();
  api = undefined as never;
});

/** An API whose node preconfirms at once. @param early USDC that may be at risk */
async function open(early: number, env: Record<string, string> = {}) {
  const { config } = world;
  const chain = chainAt(node.url, config.chain.id);
  const signer = createSigner(config.payments.facilitator.privateKey!, config.chain.id);
  let real: Facilitator;
  restartFacilitator = () => {
    real = createLocalFacilitator(chain, signer, { early: true });
  };
  restartFacilitator();
  const facilitator: Facilitator = {
    verify: (order) => real.verify(order),
    settle: (order) => real.settle(order),
  };
  api = await world.api({
    chain,
    env: { PAYMENT_EARLY_USDC: String(early), PAYMENT_CONFIRMATIONS: "1", MINT_WAIT_MS: "0", ...env },
    facilitator: () => facilitator,
    deps: { fault: (point) => fault?.(point) },
  });
  return api;
}
const nextPayer = () => payers.pop()!;
async function nextBuyer() {
  const payer = nextPayer();
  return { payer, signed: await world.authorize(payer.account) };
}
const rows = async () => (await api.payments()) as Row[];
const sweep = (confirmations = 1) =>
  sweepPayments(world, api, {
    ...{ log, config: { ...world.config, payments: { ...world.config.payments, confirmations } } },
  });
/** As if the request had gone long ago. */
const forget = () =>
  api.pool.query("update offchain.payment set updated_at = updated_at - interval '1 hour', lease_until = null");
/** Until the sender's transactions are in the node's pool. */
const isSent = (count: number) =>
  world.until("the mint is sent", async () => {
    const rows = await api.sql(
      "select count(*)::int as sent from offchain.transaction_attempt where broadcast_at is not null",
    );
    return rows[0].sent === count;
  });
const vanish = (hash: `0x${string}`) => world.evm.dropTransaction({ hash });
const minted = async () => (await api.mints()).filter(({ state }) => state === "minted").length;

describe("an API that waits for blocks", () => {
  it("sells nothing for a preconfirmation, and sells once the block is there", async () => {
    await open(0);
    const { payer, signed } = await nextBuyer();
    const pending = await api.impatiently(() => api.pay(payer, signed));
    expect(pending).toMatchObject(refusal(503, "payment_pending"));
    expect([await rows(), await api.mints()]).toMatchObject([[{ state: "settling", block: null }], []]);
    await world.evm.mine({ blocks: 1 });
    expect((await api.pay(payer, signed)).status).toBe(202);
    expect(await rows()).toMatchObject([{ state: "fulfilled", early_at: null }]);
  });
});

describe("an API that may sell early", () => {
  it("mints on a preconfirmation, to the payer itself and to a bearer, and the sweep confirms both", async () => {
    await open(10);
    const [payer, other] = [nextPayer(), nextPayer()];
    expect((await api.pay(payer)).status).toBe(202);
    // Another wallet registers with what this one has signed.
    const bearer = await world.authorize(other.account);
    expect((await api.pay(nextPayer(), bearer)).status).toBe(202);
    for (const row of await rows()) expect(row).toMatchObject({ state: "fulfilled", early_at: expect.any(Date) });
    expect((await openWork(api.pool)).early).toEqual({ openUnits: 2_000_000, lostUnits: 0 });
    await isSent(2);
    await sweep();
    expect((await rows()).every(({ early_at }) => early_at !== null)).toBe(true);
    await world.evm.mine({ blocks: 1 });
    // The settlements and the mints are in the same block.
    await world.until("both are minted", async () => (await minted()) === 2);
    await sweep(2);
    expect((await rows()).every(({ early_at }) => early_at !== null)).toBe(true);
    await sweep();
    const head = await world.evm.getBlock();
    for (const row of await rows())
      expect(row).toMatchObject({ state: "fulfilled", early_at: null, block_hash: head.hash });
    const blocks = (await api.mints()).map(({ block }) => Number(block));
    expect(blocks).toEqual([Number(head.number), Number(head.number)]);
    expect([await world.spent(payer), await world.spent(other)]).toEqual([MINT_PRICE, MINT_PRICE]);
  });

  it("mints on a block that has too few confirmations", async () => {
    await open(10, { PAYMENT_CONFIRMATIONS: "5" });
    await world.evm.setAutomine(true);
    expect((await api.pay(nextPayer())).status).toBe(202);
    expect(await rows()).toMatchObject([{ state: "fulfilled", early_at: expect.any(Date) }]);
  });

  it("never has more at risk than the operator allows, with many at once", async () => {
    await open(2);
    const many = [nextPayer(), nextPayer(), nextPayer(), nextPayer()];
    const answers = await api.impatiently(() => Promise.all(many.map((payer) => api.pay(payer))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 503, 503]);
    expect((await openWork(api.pool)).early.openUnits).toBe(2_000_000);
    expect(await api.mints()).toHaveLength(2);
  });
});

describe("a preconfirmed settlement that vanishes", () => {
  it("is a loss that the operator sees, counts against what may be at risk, and is sold for once", async () => {
    await open(1);
    const { payer, signed } = await nextBuyer();
    expect((await api.pay(payer, signed)).status).toBe(202);
    const [{ tx_hash }] = (await rows()) as [Row];
    await isSent(1);
    await vanish(tx_hash!);
    await world.evm.mine({ blocks: 1 });
    await world.until("it is minted", async () => (await minted()) === 1);
    expect(await world.spent(payer)).toBe(0n);
    // The block may still come.
    await sweep();
    expect(await rows()).toMatchObject([{ state: "fulfilled" }]);
    await world.evm.mine({ blocks: 70 });
    await sweep();
    // Whoever has the authorization may still settle it.
    expect(await rows()).toMatchObject([{ state: "fulfilled" }]);
    await api.sql("update offchain.payment set valid_before = now() - interval '3 minutes'");
    await sweep();
    expect(await rows()).toMatchObject([{ state: "lost", early_at: expect.any(Date) }]);
    expect((await openWork(api.pool)).early).toEqual({ openUnits: 0, lostUnits: 1_000_000 });
    // The same request again has what it has.
    expect((await api.pay(payer, signed)).status).toBe(201);
    expect(await api.mints()).toHaveLength(1);
    // Nothing more is sold early that day.
    expect((await api.impatiently(() => api.pay(nextPayer()))).status).toBe(503);
    await api.sql("update offchain.payment set updated_at = updated_at - interval '25 hours'");
    expect((await api.pay(nextPayer())).status).toBe(202);
  });

  it("is confirmed when its transaction comes back in a later block", async () => {
    await open(1);
    const { payer, signed } = await nextBuyer();
    expect((await api.pay(payer, signed)).status).toBe(202);
    const [{ tx_hash }] = (await rows()) as [Row];
    await vanish(tx_hash!);
    await world.evm.mine({ blocks: 3 });
    await world.evm.setAutomine(true);
    await world.frontRun({ client: world.walletOf(world.devnet.accounts[1]!.privateKey) }, signed);
    await sweep();
    expect(await rows()).toMatchObject([{ state: "fulfilled", early_at: null }]);
    expect(await world.spent(payer)).toBe(MINT_PRICE);
  });
});

describe("a process that dies", () => {
  it("after the sale was recorded leaves nothing that is minted before the money is there", async () => {
    await open(10);
    const [payer, other] = [nextPayer(), nextPayer()];
    fault = diesAt("mint.paid");
    for (const one of [payer, other]) expect((await api.pay(one)).status).toBe(500);
    fault = undefined;
    const [first, second] = (await rows()) as [Row, Row];
    expect([first.state, second.state]).toEqual(["paid", "paid"]);
    await vanish(second.tx_hash!);
    await forget();
    await sweep();
    expect(await api.mints()).toEqual([]);
    await world.evm.mine({ blocks: 12 });
    await sweep();
    await forget();
    await sweep();
    // One has its money and is minted; the other's authorization is open again.
    expect((await rows()).map(({ state, early_at }) => [state, early_at])).toEqual([
      ["fulfilled", null],
      ["settling", null],
    ]);
    expect(await api.mints()).toHaveLength(1);
  });

  it("before it was recorded sends twice, and charges and mints once", async () => {
    await open(10);
    const { payer, signed } = await nextBuyer();
    fault = diesAt("payment.settled");
    expect((await api.pay(payer, signed)).status).toBe(503);
    fault = undefined;
    restartFacilitator();
    await api.sql("update offchain.payment set lease_until = null");
    const again = await api.impatiently(() => api.pay(payer, signed));
    expect([202, 503]).toContain(again.status);
    await world.evm.mine({ blocks: 1 });
    expect([201, 202]).toContain((await api.pay(payer, signed)).status);
    await world.until("it is minted", async () => {
      await world.evm.mine({ blocks: 1 });
      return (await minted()) === 1;
    });
    await sweep();
    expect(await rows()).toMatchObject([{ state: "fulfilled", early_at: null }]);
    expect([await world.spent(payer), (await api.mints()).length]).toEqual([MINT_PRICE, 1]);
  });
});

it("a settlement that fails in its block lets the sender's next nonce pass", async () => {
  const { payer, signed } = await nextBuyer();
  const one = world.walletOf(world.devnet.accounts[2]!.privateKey);
  // Before the settlement in its block: the payer's money is gone.
  await payer.client.writeContract({
    ...{ address: world.usdc, abi: usdcAbi, functionName: "transfer", args: [world.payTo.treasury, 10_000_000n] },
    ...{ maxPriorityFeePerGas: 10_000_000_000n, maxFeePerGas: 20_000_000_000n },
  });
  const { authorization: a, signature } = signed;
  const nonce = await world.evm.getTransactionCount({ address: one.account.address });
  const call = encodeFunctionData({
    abi: usdcAbi,
    functionName: "transferWithAuthorization",
    args: [a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature],
  });
  const settlement = await one.sendTransaction({ to: world.usdc, data: call, nonce, gas: 200_000n });
  const mint = await one.sendTransaction({ to: one.account.address, nonce: nonce + 1, gas: 21_000n });
  await world.evm.mine({ blocks: 1 });
  const outcome = async (hash: `0x${string}`) => (await world.evm.getTransactionReceipt({ hash })).status;
  expect([await outcome(settlement), await outcome(mint)]).toEqual(["reverted", "success"]);
});
