/** Payments by transaction hash: what a mined transfer pays for, for whom, and once. Numbers are those of README.md. */
import { encodeFunctionData, type Hex, keccak256 } from "viem";
import { describe, expect, it } from "vitest";
import { multicall3Abi } from "../../abis/multicall3.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { fail } from "../../core/errors.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { refusal } from "../api/support/api.ts";
import { perTest } from "../support/started.ts";
import { contractWalletAbi, MINT_PRICE, type Payer, REPORT_PRICE, transferOf, unbase64 } from "./support/paying.ts";
import { payingForFile } from "./support/paying-file.ts";

const { world, api } = payingForFile();
const payer = perTest(() => world.payer());

const REPORT = "/api/v2/agent/900/cred-report";
const show = (payer: Payer, hash: Hex, header = "x-payment-tx", more: { body?: object } = {}) =>
  api.mint(payer, { headers: { [header]: hash }, ...more });
const paid = async (payer: Payer, units = MINT_PRICE, to: Hex = world.payTo.deployer) =>
  (await world.transfer(payer, to, units)).transactionHash;
/** Sends a transaction and waits for its block. @returns its hash */
async function send({ client }: Pick<Payer, "client">, call: { to: Hex; data?: Hex; value?: bigint; gas?: bigint }) {
  const hash = await client.sendTransaction(call);
  await world.evm.waitForTransactionReceipt({ hash });
  return hash;
}
const refused = (reason: string) => ({ status: 402, body: { code: "payment_required", reason } });

describe("case 32: a transaction's hash", () => {
  it.each(["payment-signature", "x-payment", "x-payment-tx", "x-payment-txhash", "x-payment-proof"])(
    "pays a mint in %s, once, in any case of its letters",
    async (header) => {
      const hash = await paid(payer);
      const upper: Hex = `0x${hash.slice(2).toUpperCase()}`;
      const answer = await show(payer, upper, header);
      expect(answer.status).toBe(201);
      expect(unbase64(answer.headers.get("payment-response"))).toMatchObject({ success: true, transaction: hash });
      expect((await show(payer, hash)).status).toBe(201);
      expect(await show(payer, hash, header, { body: { name: "Else" } })).toMatchObject({ status: 409 });
      expect(await world.balance(payer.address)).toBe(10_000_000n - MINT_PRICE);
    },
  );

  it("in several headers is fine when it is the same", async () => {
    const hash = await paid(payer);
    const answer = await api.mint(payer, {
      headers: { "x-payment-tx": hash, "x-payment-proof": hash.toUpperCase().replace("0X", "0x") },
    });
    expect(answer.status).toBe(201);
  });

  it("that nobody knows is refused for now", async () => {
    const answer = await show(await world.payer(), `0x${"ab".repeat(32)}`);
    expect(answer).toMatchObject(refused("transaction_not_found"));
    expect(answer.headers.get("retry-after")).not.toBeNull();
  });

  const wrong: [string, string, (payer: Payer) => Promise<Hex>][] = [
    ["a transfer of less", "no_matching_transfer", (payer) => paid(payer, MINT_PRICE - 1n)],
    ["a transfer of more", "no_matching_transfer", (payer) => paid(payer, MINT_PRICE + 1n)],
    ["a transfer to the treasury", "no_matching_transfer", (payer) => paid(payer, MINT_PRICE, world.payTo.treasury)],
    ["somebody else's transfer", "no_matching_transfer", async () => paid(await world.payer())],
    [
      "an approval",
      "no_matching_transfer",
      async (payer) => {
        const { transactionHash } = await world.callToken(payer, "approve", [world.payTo.deployer, MINT_PRICE]);
        return transactionHash;
      },
    ],
    ["ETH", "no_matching_transfer", (payer) => send(payer, { to: world.payTo.deployer, value: MINT_PRICE })],
    [
      "a transfer of another token",
      "no_matching_transfer",
      async (payer) => {
        const treasury = { client: world.walletOf(world.devnet.keys.treasury) };
        const token = world.devnet.contracts.serviceToken;
        await send(treasury, { to: token, data: transferOf(payer.address, MINT_PRICE) });
        return send(payer, { to: token, data: transferOf(world.payTo.deployer, MINT_PRICE) });
      },
    ],
    [
      "a transaction that failed",
      "transaction_failed",
      (payer) => send(payer, { to: world.usdc, data: transferOf(world.payTo.deployer, 99_000_000n), gas: 200_000n }),
    ],
  ];
  it.each(wrong)("of %s is refused as %s", async (_what, reason, make) => {
    expect(await show(payer, await make(payer))).toMatchObject(refused(reason));
    expect((await api.mints()).filter(({ wallet }) => wallet === payer.address.toLowerCase())).toEqual([]);
  });

  it("of a transfer by somebody else's hand counts for whom the money came from", async () => {
    const spender = await world.payer(0n);
    await world.callToken(payer, "approve", [spender.address, MINT_PRICE]);
    const moved = await world.callToken(spender, "transferFrom", [payer.address, world.payTo.deployer, MINT_PRICE]);
    const hash = moved.transactionHash;
    expect(await show(spender, hash)).toMatchObject(refused("no_matching_transfer"));
    expect((await show(payer, hash)).status).toBe(201);
  });

  it("of an x402 settlement is no second payment", async () => {
    const answer = await api.pay(payer);
    expect(answer.status).toBe(201);
    const { transaction } = unbase64(answer.headers.get("payment-response"));
    const again = await show(payer, transaction, "x-payment-tx", { body: { name: "Else" } });
    expect(again).toMatchObject({ status: 409 });
    // Of an authorization that the payer had settled by itself and presents both ways, neither.
    const second = await world.payer();
    const signed = await world.authorize(second.account);
    const { transactionHash } = await world.frontRun(second, signed);
    expect((await show(second, transactionHash)).status).toBe(201);
    expect((await api.pay(await world.payer(0n), signed)).status).toBe(409);
  });

  it("pays on one route only", async () => {
    const hash = await paid(payer);
    expect((await show(payer, hash)).status).toBe(201);
    const headers = { "x-payment-tx": hash, authorization: await payer.siwa() };
    expect(await api.get(REPORT, { headers })).toMatchObject(refused("no_matching_transfer"));
  });

  it("with two transfers in it pays twice, not three times", async () => {
    // Each authorization makes one transfer; a batch contract would do the same in one transaction.
    const transfer = (units: bigint) => ({
      target: world.usdc,
      allowFailure: false,
      callData: encodeFunctionData({
        abi: usdcAbi,
        functionName: "transferFrom",
        args: [payer.address, world.payTo.treasury, units],
      }),
    });
    const multicall = world.devnet.contracts.multicall3;
    await world.callToken(payer, "approve", [multicall, 2n * REPORT_PRICE]);
    const hash = await payer.client.writeContract({
      address: multicall,
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [[transfer(REPORT_PRICE), transfer(REPORT_PRICE)]],
    });
    await world.evm.waitForTransactionReceipt({ hash });
    const headers = { "x-payment-tx": hash, authorization: await payer.siwa() };
    const read = (query: string) => api.get(`${REPORT}?${query}`, { headers });
    expect((await read("a=1")).status).toBe(200);
    expect((await read("a=2")).status).toBe(200);
    expect(await read("a=3")).toMatchObject(refusal(409, "payment_already_used"));
  });

  it("waits for confirmations, and too old it pays nothing", async () => {
    const careful = await world.api({ env: { PAYMENT_CONFIRMATIONS: "3" } });
    const hash = await paid(payer);
    const mint = () => careful.mint(payer, { headers: { "x-payment-tx": hash } });
    expect(await mint()).toMatchObject(refused("transaction_not_confirmed"));
    await world.evm.mine({ blocks: 2 });
    expect((await mint()).status).toBe(201);
    await careful.close();

    const late = await world.payer();
    const old = await paid(late);
    const later = await world.apiForTest({ now: () => Date.now() + 3_700_000 });
    const credential = await late.siwa(Date.now() + 3_700_000);
    expect(await later.mint(late, { headers: { "x-payment-tx": old }, credential })).toMatchObject(
      refused("transaction_too_old"),
    );
  });

  it("is not taken while the chain cannot be asked: 503, never 402", async () => {
    const receipt = async () => fail("upstream_unavailable", "The chain cannot be reached at the moment.");
    const other = await world.apiForTest({ chain: { ...world.chain, receipt }, mints: false });
    expect(
      (await other.mint(await world.payer(0n), { headers: { "x-payment-tx": `0x${"ab".repeat(32)}` } })).status,
    ).toBe(503);
  });

  it("of a transaction that still waits is refused for now, and pays once it is mined", async () => {
    await world.evm.setAutomine(false);
    try {
      const data = transferOf(world.payTo.deployer, MINT_PRICE);
      const hash = await payer.client.sendTransaction({ to: world.usdc, data });
      expect(await show(payer, hash)).toMatchObject(refused("transaction_not_found"));
      await world.evm.mine({ blocks: 1 });
      await world.evm.setAutomine(true);
      expect((await show(payer, hash)).status).toBe(201);
    } finally {
      await world.evm.setAutomine(true);
    }
  });

  it("that made the money it sends is nobody's payment", async () => {
    const payer = await world.payer(0n);
    const operator = { client: world.walletOf(devnetCast().operator) };
    const { transactionHash } = await world.callToken(operator, "mint", [world.payTo.deployer, MINT_PRICE]);
    expect(await show(payer, transactionHash)).toMatchObject(refused("no_matching_transfer"));
  });

  it("mined before the service began to be paid pays nothing", async () => {
    const begun = new Date(Date.now() + 60_000).toISOString();
    const young = await world.apiForTest({ env: { PAYMENTS_SINCE: begun }, mints: false });
    const answer = await young.mint(payer, { headers: { "x-payment-tx": await paid(payer) } });
    expect(answer).toMatchObject(refused("transaction_too_old"));
  });

  it("made for another chain is not one of this", async () => {
    const data = transferOf(world.payTo.deployer, MINT_PRICE);
    const fees = { gas: 200_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const raw = await payer.account.signTransaction({
      ...{ type: "eip1559", chainId: 84532, nonce: 0, to: world.usdc, data, ...fees },
    } as never);
    await expect(world.evm.sendRawTransaction({ serializedTransaction: raw })).rejects.toThrow();
    expect(await show(payer, keccak256(raw))).toMatchObject(refused("transaction_not_found"));
  });

  it("of a contract wallet counts for the wallet, whoever sent the transaction", async () => {
    const { wallet, owner } = await world.contractPayer();
    const data = transferOf(world.payTo.deployer, MINT_PRICE);
    const hash = await owner.client.writeContract({
      address: wallet.address,
      abi: contractWalletAbi,
      functionName: "execute",
      args: [world.usdc, 0n, data],
    });
    await world.evm.waitForTransactionReceipt({ hash });
    expect(await show(owner, hash)).toMatchObject(refused("no_matching_transfer"));
    const answer = await api.mint(owner, { credential: await wallet.siwa(), headers: { "x-payment-tx": hash } });
    expect(answer).toMatchObject({ status: 201, body: { agent: null } });
    expect(unbase64(answer.headers.get("payment-response")).payer).toBe(wallet.address.toLowerCase());
  });

  it("reorganised away is not there any more", async () => {
    const hash = await paid(payer);
    await world.evm.request({ method: "anvil_reorg", params: [1, []] } as never);
    expect(await show(payer, hash)).toMatchObject(refused("transaction_not_found"));
  });
});

describe("a reorganisation that puts a payment elsewhere in its block", () => {
  it("makes no second payment of it", async () => {
    const [payer, stranger] = [await world.payer(), await world.payer()];
    const raw = (hash: Hex) => world.evm.request({ method: "eth_getRawTransactionByHash", params: [hash] } as never);
    const first = await raw(await paid(stranger, 1n, payer.address));
    const hash = await paid(payer, REPORT_PRICE, world.payTo.treasury);
    const headers = { "x-payment-tx": hash, authorization: await payer.siwa() };
    const read = (query: string) => api.get(`${REPORT}?${query}`, { headers });
    const bought = await read("b=1");
    expect(bought.status).toBe(200);
    const placeOf = async () => (await world.evm.getTransactionReceipt({ hash })).logs.map(({ logIndex }) => logIndex);
    const before = await placeOf();
    // Both in one block, the stranger's first.
    await world.evm.request({
      method: "anvil_reorg",
      params: [2, [first, await raw(hash)].map((transaction) => [transaction, 1])],
    } as never);
    expect(await placeOf()).not.toEqual(before);
    expect(await read("b=2")).toMatchObject(refusal(409, "payment_already_used"));
    expect((await read("b=1")).text).toBe(bought.text);
    const rows = await api.sql("select state from offchain.payment where tx_hash = $1", hash);
    expect(rows).toEqual([{ state: "fulfilled" }]);
  });
});

describe("case 33: a hash for the cred report", () => {
  it("counts only for the wallet that signed in and paid", async () => {
    const thief = await world.payer(0n);
    const hash = await paid(payer, REPORT_PRICE, world.payTo.treasury);
    const read = (headers: Record<string, string>) =>
      api.get(REPORT, { headers: { "x-payment-tx": hash, ...headers } });
    expect(await read({})).toMatchObject(refused("payer_unknown"));
    expect(await read({ authorization: await thief.siwa() })).toMatchObject(refused("no_matching_transfer"));
    const answer = await read({ authorization: await payer.siwa() });
    expect(answer.status).toBe(200);
    expect((await read({ authorization: await payer.siwa() })).text).toBe(answer.text);
    expect(await read({ authorization: await thief.siwa() })).toMatchObject({ status: 402 });
  });
});
