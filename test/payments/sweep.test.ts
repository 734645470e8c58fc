/** What becomes of payments whose request is gone: finished, owed, credited, found again after a reorganisation. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Chain } from "../../clients/ports.ts";
import { unavailableError } from "../../clients/unavailable.ts";
import { owePayment } from "../../db/payments/ledger.ts";
import { revocablePayments } from "../../db/payments/payment-leases.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { testLog } from "../../harness/log.ts";
import { mintEffect } from "../../workers/transactions/intents/mint.ts";
import { plantAgents } from "../api/support/agents.ts";
import { refusal } from "../api/support/api.ts";
import { MINT_PRICE, paidBy } from "./support/paying.ts";
import { diesAt, payingForFile, silent, unwilling } from "./support/paying-file.ts";

const log = testLog();
const paying = payingForFile((world) => ({
  // A new one each time: a reorganisation takes the memory of nonces away, as a restart would.
  facilitator: () => ({
    verify: (order) => world.openFacilitator().verify(order),
    settle: (order) => {
      const real = world.openFacilitator();
      return trouble.settle ? trouble.settle(order, real) : real.settle(order);
    },
  }),
}));
const { world, api, trouble, spent, states, forget, expectLeftOpen, expectServedOnce } = paying;
beforeEach(() => api.pool.query("truncate offchain.payment cascade"));
afterEach(() => {
  api.errors.length = 0;
});

const sweep = (confirmations = 1, { chain = world.chain, aheadMs = 0 }: { chain?: Chain; aheadMs?: number } = {}) =>
  paying.sweep({
    ...{ chain, log, clock: () => new Date(Date.now() + aheadMs) },
    config: { ...world.config, payments: { ...world.config.payments, confirmations } },
  });
/** When every request has gone long ago. */
const sweepLater = async () => {
  await forget();
  return sweep();
};
/** As if nobody could bring the authorizations onto the chain any more. */
const expire = () => api.pool.query("update offchain.payment set valid_before = now() - interval '3 minutes'");
/** A buyer whose request dies when its money has moved. */
async function buyerCutOff() {
  const buyer = await world.buyer();
  trouble.fault = diesAt("mint.paid");
  expect((await api.pay(buyer.payer, buyer.signed)).status).toBe(500);
  trouble.fault = undefined;
  return buyer;
}
/** The same, and the money is owed to it. */
async function buyerWithCredit() {
  const buyer = await buyerCutOff();
  const [paid] = await api.payments();
  expect(await owePayment(api.pool, { paymentId: paid!.payment_id }, "impossible")).not.toBeNull();
  return buyer;
}

describe("the sweeper", () => {
  it("case 18: mints what was paid when its request died, and the same payment is answered with it", async () => {
    const { payer, signed } = await buyerCutOff();
    expect(await sweep()).toBe(0);
    expect(await sweepLater()).toBe(1);
    expect(await states()).toEqual(["fulfilled"]);
    const answer = await api.pay(payer, signed);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(await spent(payer)).toBe(MINT_PRICE);
    expect(await sweepLater()).toBe(0);
  });

  it("finds a settlement that nobody waited for, and finishes it", async () => {
    const { payer, signed } = await world.buyer();
    await expectLeftOpen(payer, signed);
    await world.frontRun(await world.payer(0n), signed);
    await sweepLater();
    expect(await states()).toEqual(["paid"]);
    await sweepLater();
    expect(await states()).toEqual(["fulfilled"]);
    await expectServedOnce(payer, signed);
  });

  it("lets go of an authorization that is void, and its wallet may pay anew", async () => {
    const payer = await world.payer();
    await expectLeftOpen(payer);
    trouble.settle = undefined;
    expect(await sweepLater()).toBe(0);
    expect((await api.pay(payer)).status).toBe(409);
    await expire();
    expect(await sweep()).toBe(1);
    await expectServedOnce(payer);
  });

  it("makes a credit of money that came after its refusal, and the next request uses it", async () => {
    const { payer, signed } = await world.buyer();
    trouble.settle = unwilling;
    expect(await api.pay(payer, signed)).toMatchObject({ status: 402, body: { reason: "not_settled" } });
    await world.frontRun(await world.payer(0n), signed);
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["refund_due"]);
    const answer = await api.mint(payer);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("payment-response")).not.toBeNull();
    expect(await states()).toEqual(["fulfilled"]);
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("owes what the chain refused, and takes it back when the chain did it after all", async () => {
    const payer = await world.payer();
    const stopped = await world.apiForTest({ mints: false, env: { MINT_WAIT_MS: "0" } });
    const signed = await world.authorize(payer.account);
    expect((await stopped.pay(payer, signed)).status).toBe(202);
    const [mint] = await stopped.mints();
    const intent = { intentKey: `mint:${mint.mint_id}` } as never;
    const run = (effect: "failed" | "undone") =>
      transaction(stopped.pool, (tx) =>
        effect === "failed"
          ? mintEffect.failed(tx, intent, "reverted", new Date())
          : mintEffect.undone(tx, intent, new Date()),
      );
    const state = async () => (await stopped.payments())[0]!.state;
    await run("failed");
    expect(await state()).toBe("refund_due");
    await run("undone");
    expect(await state()).toBe("fulfilled");
    await run("failed");
    // A new request of the wallet is paid by the credit: 202 again, no second charge.
    expect((await stopped.mint(payer, { body: { name: "Again" } })).status).toBe(202);
    expect(await state()).toBe("fulfilled");
    expect(await spent(payer)).toBe(MINT_PRICE);
  });

  it("owes what became impossible between the check and the commit", async () => {
    const payer = await world.payer();
    trouble.fault = diesAt("payment.paid");
    expect((await api.pay(payer)).status).toBe(503);
    trouble.fault = undefined;
    await plantAgents(api.pool, [{ tokenId: 950, agentAddress: payer.address.toLowerCase() as `0x${string}` }]);
    await sweepLater();
    await sweepLater();
    expect(await states()).toEqual(["refund_due"]);
    expect((await api.payments())[0]!.reason).toBe("already_registered");
    await api.sql("delete from onchain.agent where token_id = 950");
  });
});

describe("case 26: reorganisations", () => {
  /** Anvil sets its clock back with the blocks: on a slow machine a bearer's payment would then be settled before it was presented. */
  async function reorg(depth: number) {
    await world.evm.request({ method: "anvil_reorg", params: [depth, []] } as never);
    const { timestamp } = await world.evm.getBlock();
    const behind = Math.floor(Date.now() / 1000) - Number(timestamp);
    if (behind > 0) await world.evm.increaseTime({ seconds: behind });
  }

  it("take a payment back that has bought nothing yet: the same payment settles again", async () => {
    const { payer, signed } = await buyerCutOff();
    await reorg(1);
    expect(await spent(payer)).toBe(0n);
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["settling"]);
    expect((await api.pay(payer, signed)).status).toBe(201);
    expect([await states(), await spent(payer)]).toEqual([["fulfilled"], MINT_PRICE]);
  });

  it("that move a transfer to another block are followed, and deep transfers are final", async () => {
    const payer = await world.payer();
    const signed = await world.authorizeReport(payer.account);
    const header = paidBy(signed);
    expect(await api.get("/api/v2/agent/900/cred-report", { headers: header })).toMatchObject({ status: 200 });
    const [before] = await api.payments();
    const raw = await world.evm.request({ method: "eth_getRawTransactionByHash", params: [before!.tx_hash] } as never);
    await reorg(1);
    log.lines.length = 0;
    await sweep();
    expect(log.lines.join("")).toContain("no longer in the chain");
    await world.evm.mine({ blocks: 1 });
    await world.evm.sendRawTransaction({ serializedTransaction: raw as never });
    await world.evm.mine({ blocks: 1 });
    expect(await sweep()).toBe(1);
    const [after] = await api.payments();
    expect(after!.block_hash).not.toBe(before!.block_hash);
    await world.evm.mine({ blocks: 70 });
    expect(await sweep()).toBe(1);
    const [final] = await api.payments();
    expect([final!.state, final!.credential, final!.final_at !== null]).toEqual(["fulfilled", null, true]);
    expect(await sweep()).toBe(0);
  });

  it("that take the money of a credit away: it is spent no more, is lost, and is looked at no more", async () => {
    const { payer } = await buyerWithCredit();
    await reorg(1);
    expect((await api.mint(payer)).status).toBe(402);
    await world.evm.mine({ blocks: 70 });
    await sweep();
    // Whoever has the authorization may still settle it: then the credit is there again.
    expect(await states()).toEqual(["refund_due"]);
    await expire();
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["lost"]);
    expect((await api.mint(payer)).status).toBe(402);
    expect(await sweep()).toBe(0);
  });

  it("that take the money of a credit away leave nothing that the same request could have for it", async () => {
    const { payer, signed } = await buyerWithCredit();
    await reorg(1);
    await world.evm.mine({ blocks: 70 });
    await expire();
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["lost"]);
    const before = (await api.mints()).length;
    expect(await api.pay(payer, signed)).toMatchObject(refusal(409, "payment_already_used"));
    expect(await api.mints()).toHaveLength(before);
    expect(await states()).toEqual(["lost"]);
  });

  it("of a payment that came back by its hash leave nothing that stands in its wallet's way", async () => {
    const { payer, signed } = await world.buyer();
    trouble.settle = unwilling;
    expect(await api.pay(payer, signed)).toMatchObject({ status: 402, body: { reason: "not_settled" } });
    const { transactionHash } = await world.frontRun(payer, signed);
    trouble.fault = diesAt("mint.paid");
    const byHash = () => api.mint(payer, { headers: { "x-payment-tx": transactionHash } });
    expect((await byHash()).status).toBe(500);
    const [row] = await api.payments();
    expect(row).toMatchObject({ state: "paid", method: "transaction", credential: null });
    trouble.settle = undefined;
    trouble.fault = undefined;
    await reorg(1);
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["released"]);
    log.lines.length = 0;
    await sweepLater();
    expect(log.lines).toEqual([]);
    await expectServedOnce(payer);
  });

  it("that take the money away for good leave a lost payment for the operator", async () => {
    const payer = await world.payer();
    const signed = await world.authorizeReport(payer.account);
    const header = paidBy(signed);
    const report = await api.get("/api/v2/agent/900/cred-report", { headers: header });
    expect(report.status, report.text).toBe(200);
    await reorg(1);
    await world.evm.mine({ blocks: 70 });
    await expire();
    expect(await sweep()).toBe(1);
    expect(await states()).toEqual(["lost"]);
  });
});

describe("the end of an authorization", () => {
  const TEN_MINUTES = 600_000;
  /** A payment that its client was refused, and whose authorization is still good. */
  async function released() {
    const { payer, signed } = await world.buyer();
    trouble.settle = unwilling;
    expect((await api.pay(payer, signed)).status).toBe(402);
    return signed;
  }
  const settledByAnother = async (signed: Awaited<ReturnType<typeof released>>) =>
    world.frontRun(await world.payer(0n), signed);

  it("is the chain's time, not that of a worker whose clock is ahead: what is settled later is credited", async () => {
    const signed = await released();
    await sweep(1, { aheadMs: TEN_MINUTES });
    await settledByAnother(signed);
    await sweep();
    expect(await states()).toEqual(["refund_due"]);
  });

  it("a worker whose clock is ahead does not release what a facilitator may still settle", async () => {
    trouble.settle = silent;
    const payer = await world.payer();
    expect((await api.impatiently(() => api.pay(payer))).status).toBe(503);
    await forget();
    await sweep(1, { aheadMs: TEN_MINUTES });
    expect(await states()).toEqual(["settling"]);
  });

  const unused = { ok: true, data: `0x${"00".repeat(32)}` } as const;
  const nodes: [string, Partial<Chain>][] = [
    [
      "that has not got the block whose time tells it",
      {
        async call(_of, block) {
          if (block === undefined) return unused;
          throw unavailableError("Base");
        },
      },
    ],
    ["without the token's state", { call: async () => ({ ok: true, data: "0x" }) }],
    ["between two branches, which knows the use and not its block", { logs: async () => [] }],
  ];
  it.each(nodes)("is not taken from a node %s", async (_, calls) => {
    const signed = await released();
    await settledByAnother(signed);
    await expire();
    await sweep(1, { chain: { ...world.chain, ...calls } });
    await sweep();
    expect(await states()).toEqual(["refund_due"]);
  });
});

describe("payments that cannot be brought further", () => {
  /** Older payments by the hundred, as an outage or a stranger leaves them. */
  const plant = (count: number, columns: Record<string, string>) => {
    const all: Record<string, string> = {
      payment_id: "gen_random_uuid()",
      method: "'x402'",
      operation: "'agentMint'",
      payer: "'0x' || lpad(to_hex(n), 40, '0')",
      payee: `'${world.payTo.deployer}'`,
      chain_id: "8453",
      asset: `'${world.usdc.toLowerCase()}'`,
      amount_units: String(MINT_PRICE),
      fingerprint: "'planted ' || n",
      since_block: "1",
      created_at: "now() - interval '1 hour'",
      valid_before: "now() + interval '4 minutes'",
      ...columns,
    };
    return api.pool.query(
      `insert into offchain.payment (${Object.keys(all).join(", ")})
       select ${Object.values(all).join(", ")} from generate_series(1, ${count}) n`,
    );
  };
  const own = async (payer: { address: string }) =>
    (await api.sql("select * from offchain.payment where payer = $1", payer.address.toLowerCase()))[0];
  const AWAY = {
    method: "'mpp'",
    chain_id: "4217",
    credential: `'{"challengeId":"c","hash":"0x${"12".repeat(32)}","raw":null}'`,
  };
  const moved = { tx_hash: "'0x' || n", log_index: "0", nth: "0", block: "1", block_hash: `'0x${"ab".repeat(32)}'` };

  it("of a chain no longer configured keep no other from being final, and end after a day", async () => {
    await plant(600, { ...AWAY, ...moved, state: "'fulfilled'" });
    const payer = await world.payer();
    expect((await api.pay(payer)).status).toBe(201);
    await world.evm.mine({ blocks: 70 });
    expect(await sweep()).toBe(1);
    expect((await own(payer)).final_at).not.toBeNull();
    const planted = async () =>
      (await api.pool.query("select from offchain.payment where chain_id = 4217 and final_at is null")).rowCount;
    expect(await planted()).toBe(600);
    await api.sql("update offchain.payment set updated_at = now() - interval '25 hours'");
    await sweep();
    expect(await planted()).toBe(0);
  });

  it("are read in turn: new ones by the hundred keep no older one waiting", async () => {
    const payer = await world.payer();
    expect((await api.pay(payer)).status).toBe(201);
    const { payment_id } = await own(payer);
    await api.sql(
      "update offchain.payment set swept_at = now() - interval '10 minutes' where payment_id = $1",
      payment_id,
    );
    await plant(600, { ...moved, state: "'fulfilled'", created_at: "now()" });
    const [first] = await revocablePayments(api.pool, [8453]);
    expect(first!.paymentId).toBe(payment_id);
  });

  it("of a chain that is not configured any more stand in their wallet's way for a day at most", async () => {
    const payer = await world.payer();
    const wallet = payer.address.toLowerCase();
    await plant(1, { ...AWAY, state: "'settling'", wallet: `'${wallet}'`, unique_key: `'mint:${wallet}'` });
    expect((await api.pay(payer)).status).toBe(409);
    await api.sql("update offchain.payment set updated_at = now() - interval '25 hours'");
    await sweep();
    expect((await api.pay(payer)).status).toBe(201);
  });

  it("keep a late settlement from being owed for one more run at most", async () => {
    const signature = `0x${"12".repeat(65)}`;
    const credential = { signature, validAfter: "0", validBefore: "9999999999", resourceUrl: "https://agents.test" };
    await plant(600, {
      state: "'released'",
      credential: `('${JSON.stringify(credential)}'::jsonb || jsonb_build_object('nonce', '0x' || lpad(to_hex(n), 64, '0')))`,
    });
    const { payer, signed } = await world.buyer();
    trouble.settle = unwilling;
    expect((await api.pay(payer, signed)).status).toBe(402);
    await world.frontRun(await world.payer(0n), signed);
    await sweep();
    await sweep();
    expect((await own(payer)).state).toBe("refund_due");
  });

  it("after its end an authorization is looked for once more, however late the sweep is", async () => {
    const { payer, signed } = await world.buyer();
    trouble.settle = unwilling;
    expect((await api.pay(payer, signed)).status).toBe(402);
    await world.frontRun(await world.payer(0n), signed);
    await api.sql("update offchain.payment set valid_before = now() - interval '1 hour'");
    expect(await sweep()).toBe(1);
    expect((await own(payer)).state).toBe("refund_due");
  });
});
