/** The running stack that clients are run against, in the paid phase, and wallets for them. */
import assert from "node:assert/strict";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import * as x402 from "@x402/fetch";
import { type Hex, parseEther } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { Actions } from "viem/tempo";
import { giveUsdce, openTempo, TEMPO } from "../../devnet/tempo.ts";
import { testChain } from "../agent-wallet.ts";
import { giveWallet } from "../browser-wallet.ts";
import { giveUsdc, usdcOf } from "../give-usdc.ts";
import { type DevnetFile, startStack } from "../stack.ts";
import { until } from "../until.ts";
import { type Bundle, openPages, type Pages } from "./pages.ts";
import { type Purchase, type ReceiptHeader, register, type Task, x402Fetch } from "./pay.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;
/** A wallet, and what it pays with. */
export type FundedWallet = { privateKey: Hex; address: Hex; money: "usdc" | "usdce" | "none" };

/** What a registration and a report cost, millionths of a dollar, and what a wallet has to begin with. */
const PRICES = [1_000_000n, 10_000n] as const;
const WALLET_UNITS = 5_000_000n;
/** A payer on Tempo pays for its transactions in the same money: less than a tenth of a report. */
const MAX_FEES = 1_000n;

/** Wallets with money on the chains of a stack. */
function walletsOn({ rpcUrl, tempoRpcUrl }: DevnetFile) {
  const evm = testChain(rpcUrl);
  const tempo = openTempo(tempoRpcUrl);
  const usdce = async (account: Hex) => (await Actions.token.getBalance(tempo, { token: TEMPO.usdce, account })).amount;
  return {
    evm,
    /** A fresh wallet with ETH for gas and money to pay with: USDC on Base, or USDC.e on Tempo. */
    async wallet(money: FundedWallet["money"] = "none"): Promise<FundedWallet> {
      const privateKey = generatePrivateKey();
      const { address } = privateKeyToAccount(privateKey);
      await evm.setBalance({ address, value: parseEther("0.1") });
      if (money === "usdc") await giveUsdc(evm, address, WALLET_UNITS);
      if (money === "usdce") await giveUsdce(tempoRpcUrl, address, WALLET_UNITS);
      return { privateKey, address, money };
    },
    /** The money a wallet has left. */
    balance: ({ address, money }: FundedWallet) => (money === "usdce" ? usdce(address) : usdcOf(evm, address)),
  };
}

export async function startWorld() {
  const stack = await startStack({ env: { PRICING_PHASE: "paid", BLOCK_TIME: "0.25" } });
  const { devnet } = stack;
  const { apiUrl } = devnet;
  const { evm, wallet, balance } = walletsOn(devnet);
  const json = async (path: string) => {
    const response = await fetch(apiUrl + path);
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };

  /** Registers an account that has USDC, or a fresh one. @param fields more of the body @returns the token's id */
  async function registerOne(name: string, account?: PrivateKeyAccount, fields: object = {}): Promise<number> {
    const by = account ?? privateKeyToAccount((await wallet("usdc")).privateKey);
    const { tokenId } = await register(x402Fetch(x402, { ExactEvmScheme }, by), { apiUrl, name }, by, fields);
    return tokenId;
  }
  /** Waits until the service shows an agent. */
  const listed = (id: number) =>
    until(`agent ${id} is listed`, async () => (await json(`/api/v2/agent/${id}`)).status === 200);
  const agent = await registerOne("First");
  await listed(agent);

  let opened: Promise<Pages> | undefined;
  const pages = (): Promise<Pages> => {
    opened ??= openPages();
    return opened;
  };
  return {
    ...devnet,
    evm,
    /** The token id of an agent that is there. */
    agent,
    wallet,
    register: registerOne,
    listed,
    json,
    balance,
    /** A page of another origin with the clients of one bundle in it. */
    page: async (bundle: Bundle) => (await pages()).of(bundle),
    /** A page with a wallet of this account in its browser. */
    pageWithWallet: async (bundle: Bundle, { privateKey }: FundedWallet) =>
      (await pages()).open(bundle, (page) => giveWallet(page, { account: privateKeyToAccount(privateKey) }, evm)),
    chromiumVersion: async () => (await pages()).version,
    /**
     * Has a client register a wallet and buy a report with another one, and holds it to the agent that is there, the
     * money that is gone and the receipts that it could read.
     */
    async paysBoth(
      { name, money, receipt }: { name: string; money: "usdc" | "usdce"; receipt: ReceiptHeader },
      buy: (task: Task, keys: readonly [Hex, Hex]) => Promise<Purchase>,
    ): Promise<string> {
      const wallets = [await wallet(money), await wallet(money)] as const;
      const bought = await buy({ apiUrl, agent, name, receipt }, [wallets[0].privateKey, wallets[1].privateKey]);
      for (const [i, wallet] of wallets.entries()) {
        const spent = WALLET_UNITS - (await balance(wallet));
        const fees = spent - PRICES[i]!;
        assert.ok(money === "usdc" ? fees === 0n : fees >= 0n && fees < MAX_FEES, `${spent} units were spent`);
      }
      for (const header of bought.receipts) assert.ok(header, `the client could not read ${receipt}`);
      assert.equal(bought.paidReport, true, "the report says that it was paid for");
      const { tokenId } = bought;
      await listed(tokenId);
      assert.equal(((await json(`/api/v2/agent/${tokenId}`)).body as { name?: string }).name, name);
      return `registered agent ${tokenId} for 1 USD, bought a report for 0.01 USD`;
    },
    async stop() {
      await (await opened)?.close();
      await stack.remove();
    },
  };
}
