/** Wallets that are contracts of an attacker: what their code burns stops nobody, costs nobody and is bounded for each network. */
import { type Abi, encodeDeployData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import type { PaymentOrder } from "../../clients/ports.ts";
import { createSigner } from "../../clients/signer.ts";
import { readBuild } from "../../contracts/builds.ts";
import type { Address } from "../../core/agents/facts.ts";
import type { Payer } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

/** More than a hook and a mint may use, less than a verdict on a signature. */
const BEYOND_A_MINT = 2_000_000n;
const TWO_THIRDS_OF_A_BLOCK = 20_000_000n;

const { world, api } = payingForFile(() => ({ env: { LIMITS: "free-mints=0" } }));

/** A contract that burns so much gas before it takes a token, and before it accepts any signature. */
async function burner(gas: bigint) {
  const { abi, bytecode } = readBuild("GasBurner");
  const address = privateKeyToAddress(generatePrivateKey());
  const { data } = await world.evm.call({ data: encodeDeployData({ abi: abi as Abi, bytecode, args: [gas] }) });
  await world.evm.setCode({ address, bytecode: data! });
  const signature: Hex = `0x${"11".repeat(64)}1b`;
  const credential = `Bearer ${address}:${Date.now()}:${signature}`;
  return { address, credential, account: { address, signTypedData: async () => signature } };
}

/** Wallets with money, one after the other: they get it from one account. */
async function payers(count: number, units?: bigint): Promise<Payer[]> {
  const all: Payer[] = [];
  for (let n = 0; n < count; n++) all.push(await world.payer(units));
  return all;
}

describe.each(["free", "paid"] as const)("in phase %s", (phase) => {
  beforeAll(() => api.setPhase(phase));

  it("refuses twenty receivers that burn gas before a charge, and mints honest wallets beside them", async () => {
    const payer = await world.payer(100_000_000n);
    const hostile = await Promise.all(
      Array.from({ length: 20 }, (_, n) => burner(n % 2 ? BEYOND_A_MINT : TWO_THIRDS_OF_A_BLOCK)),
    );
    const honest = await payers(3);
    const before = await world.balance(payer.address);
    const mints = (await api.mints()).length;
    const [refused, minted] = await Promise.all([
      Promise.all(
        hostile.map(async ({ credential }) =>
          phase === "paid"
            ? api.pay(payer, await world.authorize(payer.account), { credential })
            : api.mint(payer, { credential }),
        ),
      ),
      Promise.all(honest.map((wallet) => (phase === "paid" ? api.pay(wallet) : api.mint(wallet)))),
    ]);
    expect(minted.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const [n, answer] of refused.entries()) {
      // What burns more than a verdict on a signature may is not even let in.
      expect(answer).toMatchObject(
        n % 2 ? { status: 409, body: { error: expect.stringMatching(/needs more than 500000 gas/) } } : { status: 401 },
      );
    }
    expect(await world.balance(payer.address)).toBe(before);
    expect((await api.mints()).length).toBe(mints + 3);
  });
});

describe("free registrations", () => {
  it("are counted by gas for each network and day, however many come at once; paid ones are not", async () => {
    const { config } = api.deps;
    Object.assign(config, { freeMintsPerClient: 6 });
    await api.sql("update offchain.transaction_outbox set free_networks = null");
    try {
      await api.setPhase("free");
      const contracts = await Promise.all(Array.from({ length: 4 }, () => burner(1_000n)));
      const keys = await payers(4, 0n);
      // Six of 500,000 gas, and each counts as a million until its block.
      const answers = await Promise.all([
        ...contracts.map(({ credential }) => api.mint(keys[0]!, { credential })),
        ...keys.map((wallet) => api.mint(wallet)),
      ]);
      const minted = answers.filter(({ status }) => status === 201).length;
      expect(minted).toBeGreaterThanOrEqual(3);
      expect(minted).toBeLessThanOrEqual(6);
      const refused = answers.find(({ status }) => status === 429)!;
      expect(refused.body).toMatchObject({ code: "rate_limited", error: expect.stringMatching(/of a network/) });
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(86_400);

      await api.setPhase("paid");
      const paid = await burner(1_000n);
      const payer = await world.payer();
      const answer = await api.pay(payer, await world.authorize(payer.account), { credential: paid.credential });
      expect(answer.status).toBe(201);
    } finally {
      Object.assign(config, { freeMintsPerClient: 0 });
    }
  });
});

describe("a receiver that passes every simulation and refuses in the block", () => {
  /** `onERC721Received` answers right where the price of gas is 0, which it is in a simulation, and reverts elsewhere. */
  const TWO_FACED = "0x3a15600957600080fd5b63150b7a0260e01b60005260206000f3";

  it("makes the service send three transactions for one payment, and no more; the money stays owed", async () => {
    await api.setPhase("paid");
    const payer = await world.payer();
    const receiver = await world.payer(0n);
    await world.evm.setCode({ address: receiver.address, bytecode: TWO_FACED });
    const honest = await world.payer();
    const address = privateKeyToAddress(world.config.sender.privateKey!);
    const sent = () => world.evm.getTransactionCount({ address });
    const before = await sent();
    const signed = await world.authorize(payer.account);
    const answers = [await api.pay(payer, signed, { credential: await receiver.siwa() })];
    for (let n = 0; n < 5; n++) answers.push(await api.mint(receiver));
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 402, 402, 402]);
    expect((await sent()) - before).toBe(3);
    const owed = await api.pool.query("select state, chain_refusals from offchain.payment where payer = $1", [
      payer.address.toLowerCase(),
    ]);
    expect(owed.rows).toEqual([{ state: "refund_due", chain_refusals: 3 }]);
    expect((await api.pay(honest)).status).toBe(201);
  });
});

describe("payers that pass every simulation and refuse in the block", () => {
  /** `isValidSignature` answers right where the price of gas is 0, which it is in a simulation, and reverts elsewhere. */
  const TWO_FACED = "0x3a15600957600080fd5b631626ba7e60e01b60005260206000f3";
  const token = { name: "USD Coin", version: "2", chainId: 8453 };

  it("make the service send a bounded number of transactions a day; wallets that pay are settled for", async () => {
    const signer = createSigner(world.config.payments.facilitator.privateKey!, 8453);
    const facilitator = createLocalFacilitator(world.chain, signer, { unprovenPerDay: 2 });
    const orderOf = async (account: Payer["account"]): Promise<PaymentOrder> => {
      const { authorization, signature } = await world.authorize(account);
      return {
        authorization: {
          ...authorization,
          from: authorization.from.toLowerCase() as Address,
          to: authorization.to.toLowerCase() as Address,
        },
        signature,
        token: { ...token, address: world.usdc.toLowerCase() as Address },
        maxTimeoutSeconds: 300,
        resourceUrl: "https://agents.test/",
      };
    };
    const { wallet: honest } = await world.contractPayer();
    const { wallet: late } = await world.contractPayer();
    expect(await facilitator.settle(await orderOf(honest.account as Payer["account"]))).toMatchObject({
      kind: "settled",
    });
    const hostile = await payers(5);
    for (const { address } of hostile) await world.evm.setCode({ address, bytecode: TWO_FACED });
    const sent = () => world.evm.getTransactionCount({ address: signer.address });
    const before = await sent();
    const orders = await Promise.all(hostile.map(({ account }) => orderOf(account)));
    const outcomes = await Promise.all(orders.map((order) => facilitator.settle(order)));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
      "refused",
      "refused",
      "refused",
      "unknown",
      "unknown",
    ]);
    expect((await sent()) - before).toBe(2);
    const limited = { kind: "refused", reason: "contract_wallet_limit" };
    expect(await facilitator.verify(await orderOf(late.account as Payer["account"]))).toEqual(limited);
    expect(await facilitator.settle(await orderOf(honest.account as Payer["account"]))).toMatchObject({
      kind: "settled",
    });
    expect(await facilitator.settle(await orderOf((await world.payer()).account))).toMatchObject({ kind: "settled" });
  });
});

describe("payers that burn gas at the facilitator", () => {
  it("are refused, and the payments of others are settled beside them", async () => {
    await api.setPhase("paid");
    const rich = await world.payer(100_000_000n);
    const hostile = await Promise.all(
      Array.from({ length: 6 }, (_, n) => burner(n % 2 ? BEYOND_A_MINT : TWO_THIRDS_OF_A_BLOCK)),
    );
    for (const { address } of hostile) await world.transfer(rich, address, 1_000_000n);
    const asking = await payers(hostile.length, 0n);
    const honest = await payers(3);
    const [refused, settled] = await Promise.all([
      Promise.all(hostile.map(async ({ account }, n) => api.pay(asking[n]!, await world.authorize(account)))),
      Promise.all(honest.map((wallet) => api.pay(wallet))),
    ]);
    expect(settled.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(refused.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402, 402]);
    for (const { address } of hostile) expect(await world.balance(address)).toBe(1_000_000n);
  });
});
