/** A browser's wallet for tests: EIP-1193 in the page, announced by EIP-6963, backed by a key of the development chain. */
import type { Page } from "playwright-core";
import { type Hex, type PrivateKeyAccount, type PublicClient, toHex } from "viem";

export type BrowserWallet = {
  /** What the page asked for, in order. */
  asked: string[];
  /** Methods whose next call its owner declines. */
  declines: Set<string>;
  /** Methods whose next call gets no answer: it is carried out, or lost before that. */
  silent: Map<string, "done" | "lost">;
  chainId: number;
  /** Ether by chain, where it is not what the development chain has. */
  balances: Map<number, bigint>;
  /** The accounts it shows, the selected one first; it signs with the payer's only. */
  accounts: string[];
  /** What its owner picks when it is asked for permissions; null for a wallet that does not know the method. */
  picks: string[] | null;
  /** Sends the page the present accounts, as wallets do when their user changes them. */
  change(accounts: string[]): Promise<void>;
  /** Whether its owner let the page see the account; it stays so after a reload. */
  allowed: boolean;
};

/** The state of a wallet before anything was asked. */
export const NO_WALLET = (): BrowserWallet => ({
  ...{ asked: [], declines: new Set(), silent: new Map(), chainId: 0, balances: new Map() },
  ...{ accounts: [], picks: null, change: async () => {}, allowed: false },
});

/** Whose key it has, and what sends its transactions. */
type Payer = {
  account: PrivateKeyAccount;
  client?: { sendTransaction(call: { to: Hex; data: Hex; value?: bigint }): Promise<Hex> };
};
/** What it asks a node of the development chain. */
type Node = Pick<
  PublicClient,
  "call" | "getTransactionReceipt" | "getBalance" | "getGasPrice" | "estimateGas" | "request"
>;
type Params = readonly unknown[];
type Answers = Record<string, (params: Params) => unknown>;
type Answer = { result?: unknown; error?: { code: number; message: string } };

/** Gives every page that is opened from now on a wallet with this account. */
export async function giveWallet(page: Page, payer: Payer, evm: Node, chainId = 1): Promise<BrowserWallet> {
  const { account } = payer;
  const wallet: BrowserWallet = {
    ...NO_WALLET(),
    ...{ chainId, accounts: [account.address] },
    async change(accounts) {
      wallet.accounts = accounts;
      await page.evaluate((now) => {
        const page = globalThis as unknown as EventTarget;
        page.dispatchEvent(new CustomEvent("test:accounts", { detail: now }));
      }, accounts);
    },
  };
  const answers = answersOf(wallet, payer, evm);
  await page.exposeFunction("walletAnswer", async (method: string, params: Params = []): Promise<Answer> => {
    wallet.asked.push(method);
    if (wallet.declines.delete(method)) return { error: { code: 4001, message: "User rejected the request." } };
    const answer = answers[method];
    if (!answer) return { error: { code: 4200, message: "Unsupported" } };
    const silence = wallet.silent.get(method);
    wallet.silent.delete(method);
    try {
      const result = silence === "lost" ? undefined : await answer(params);
      return silence ? await new Promise<never>(() => {}) : { result };
    } catch (error) {
      return { error: { code: -32000, message: (error as Error).message } };
    }
  });
  await page.addInitScript(() => {
    const page = globalThis as unknown as EventTarget & {
      walletAnswer(method: string, params?: unknown): Promise<Answer>;
    };
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const { result, error } = await page.walletAnswer(method, params);
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
      on(event: string, listener: (accounts: unknown) => void) {
        if (event === "accountsChanged")
          page.addEventListener("test:accounts", (event) => listener((event as CustomEvent).detail));
      },
    };
    const detail = {
      info: { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Test wallet", rdns: "wallet.example" },
      provider,
    };
    const announce = () => page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    page.addEventListener("eip6963:requestProvider", announce);
    announce();
  });
  return wallet;
}

/** How a wallet answers the page, by method. */
function answersOf(wallet: BrowserWallet, payer: Payer, evm: Node): Answers {
  const { account } = payer;
  const answers: Answers = {
    eth_requestAccounts: () => {
      wallet.allowed = true;
      return wallet.accounts;
    },
    wallet_requestPermissions: () => {
      if (!wallet.picks) throw Object.assign(new Error("Unsupported"), { code: 4200 });
      wallet.accounts = wallet.picks;
      return [{ parentCapability: "eth_accounts" }];
    },
    // As wallets do: no account before the user let the page see one.
    eth_accounts: () => (wallet.allowed ? wallet.accounts : []),
    eth_sendTransaction: ([call]) => {
      const { to, data, value } = call as { to: Hex; data: Hex; value?: Hex };
      if (!payer.client) throw new Error("this wallet sends nothing");
      return payer.client.sendTransaction({ to, data, ...(value && { value: BigInt(value) }) });
    },
    eth_getTransactionReceipt: async ([hash]) => {
      const receipt = await evm.getTransactionReceipt({ hash: hash as Hex }).catch(() => null);
      return (
        receipt && { status: receipt.status === "success" ? "0x1" : "0x0", blockNumber: toHex(receipt.blockNumber) }
      );
    },
    eth_chainId: () => `0x${wallet.chainId.toString(16)}`,
    wallet_switchEthereumChain: ([chain]) => {
      wallet.chainId = Number((chain as { chainId: string }).chainId);
      return null;
    },
    eth_getBalance: async ([address]) =>
      toHex(wallet.balances.get(wallet.chainId) ?? (await evm.getBalance({ address: address as Hex }))),
    eth_gasPrice: async () => toHex(await evm.getGasPrice()),
    eth_estimateGas: async ([call]) => {
      const { to, data } = call as { to: Hex; data: Hex };
      return toHex(await evm.estimateGas({ account: account.address, to, data }));
    },
    eth_call: async ([call]) => (await evm.call(call as { to: Hex; data: Hex })).data,
    personal_sign: ([raw]) => account.signMessage({ message: { raw: raw as Hex } }),
    eth_signTypedData_v4: ([, text]) => {
      const { domain, types, primaryType, message } = JSON.parse(text as string);
      // As wallets do: typed data of another chain is refused.
      if (Number(domain.chainId) !== wallet.chainId) throw new Error("the wallet is on another chain");
      delete types.EIP712Domain;
      for (const { name, type } of types[primaryType])
        if (type.startsWith("uint")) message[name] = BigInt(message[name]);
      return account.signTypedData({ domain, types, primaryType, message });
    },
  };
  // As a wallet passes on what its node knows.
  for (const method of ["eth_blockNumber", "eth_getTransactionCount", "eth_getLogs"] as const)
    answers[method] = (params) => evm.request({ method, params } as never);
  return answers;
}

/** Connects the wallet of the page by the button in the bar. */
export async function connectByChip(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByText("Account", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
}
