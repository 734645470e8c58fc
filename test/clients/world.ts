/** The running stack that clients are run against, in the paid phase, and wallets for them. */
import assert from "node:assert/strict";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import * as x402 from "@x402/fetch";
import type { Browser } from "playwright-core";
import { createPublicClient, createWalletClient, type Hex, http, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { Actions } from "viem/tempo";
import { usdcAbi } from "../../abis/usdc.ts";
import { giveUsdce, openTempo, TEMPO } from "../../devnet/tempo.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { startBrowser } from "../web/browser.ts";
import { type Purchase, type ReceiptHeader, register, type Task, x402Fetch } from "./pay.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;
/** A wallet, and what it pays with. */
export type Purse = { privateKey: Hex; address: Hex; money: "usdc" | "usdce" | "none" };

/** What both cost together, millionths of a dollar. */
const MINT_AND_REPORT = 1_010_000n;
const PURSE = 5_000_000n;

export async function startWorld() {
  const stack = await startStack({ env: { PRICING_PHASE: "paid", BLOCK_TIME: "0.25" } });
  const { devnet } = stack;
  const { apiUrl, rpcUrl, tempoRpcUrl, contracts } = devnet;
  const evm = createPublicClient({ chain: base, transport: http(rpcUrl), pollingInterval: 50 });
  const rich = createWalletClient({
    account: privateKeyToAccount(devnet.accounts[0]!.privateKey),
    chain: base,
    transport: http(rpcUrl),
  });
  const tempo = openTempo(tempoRpcUrl);

  const usdc = (address: Hex) =>
    evm.readContract({ address: contracts.usdc!, abi: usdcAbi, functionName: "balanceOf", args: [address] });
  const usdce = async (account: Hex) => (await Actions.token.getBalance(tempo, { token: TEMPO.usdce, account })).amount;

  /** A fresh wallet with ETH for gas and money to pay with: USDC on Base, or USDC.e on Tempo. */
  async function wallet(money: Purse["money"] = "none"): Promise<Purse> {
    const privateKey = generatePrivateKey();
    const { address } = privateKeyToAccount(privateKey);
    const sent = [await rich.sendTransaction({ to: address, value: parseEther("0.1") })];
    if (money === "usdc")
      sent.push(
        await rich.writeContract({
          address: contracts.usdc!,
          abi: usdcAbi,
          functionName: "transfer",
          args: [address, PURSE],
        }),
      );
    for (const hash of sent) await evm.waitForTransactionReceipt({ hash });
    if (money === "usdce") await giveUsdce(tempoRpcUrl, address, PURSE);
    return { privateKey, address, money };
  }

  const json = async (path: string) => {
    const response = await fetch(apiUrl + path);
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };

  // Everybody buys the report of this one.
  const first = privateKeyToAccount((await wallet("usdc")).privateKey);
  const pay = x402Fetch(x402, { ExactEvmScheme }, first);
  const { tokenId: agent } = await register(pay, { apiUrl, name: "First" }, first);
  await until("the first agent is listed", async () => (await json(`/api/v2/agent/${agent}`)).status === 200);

  /** The money a wallet has left. */
  const balance = ({ address, money }: Purse) => (money === "usdce" ? usdce(address) : usdc(address));

  let browser: Promise<Browser> | undefined;
  return {
    ...devnet,
    evm,
    /** The token id of an agent that is there. */
    agent,
    wallet,
    json,
    /** One for all clients that need one. */
    browser: () => (browser ??= startBrowser()),
    balance,
    /**
     * Has a client register the wallet and buy a report, and holds it to the agent that is there, the money that is
     * gone and the receipts that it could read.
     */
    async paysBoth(
      by: Purse,
      name: string,
      receipt: ReceiptHeader,
      buy: (task: Task) => Promise<Purchase>,
    ): Promise<string> {
      const bought = await buy({ apiUrl, agent, name, receipt });
      assert.equal(bought.agentName, name);
      assert.equal(bought.paidReport, true, "the report is the paid one");
      assert.ok(
        bought.receipts.every((header) => typeof header === "string" && header.length > 0),
        `the client could not read ${receipt}`,
      );
      const spent = PURSE - (await balance(by));
      // A payer on Tempo that broadcasts by itself pays for its transactions in the same money.
      if (by.money === "usdc") assert.equal(spent, MINT_AND_REPORT);
      else assert.ok(spent >= MINT_AND_REPORT && spent < MINT_AND_REPORT + 100_000n, `${spent} were spent`);
      const { tokenId } = bought;
      await until(`agent ${tokenId} is listed`, async () => {
        const { body } = await json(`/api/v2/agent/${tokenId}`);
        return (body as { name?: string }).name === name;
      });
      return `registered agent ${tokenId} and bought a report, 1.01 USD in all`;
    },
    async stop() {
      await (await browser)?.close();
      await stack.remove();
    },
  };
}
