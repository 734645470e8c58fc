/** A browser's wallet for tests: EIP-1193 in the page, announced by EIP-6963, backed by a key of the development chain. */
import type { Page } from "playwright-core";
import type { Hex, PublicClient } from "viem";
import type { Payer } from "../payments/support/paying.ts";

export type BrowserWallet = {
  /** What the page asked for, in order. */
  asked: string[];
  /** Methods whose next call its owner declines. */
  declines: Set<string>;
  chainId: number;
};

type Params = readonly unknown[];
type Answer = { result?: unknown; error?: { code: number; message: string } };

/** Gives every page that is opened from now on a wallet with this account. */
export async function giveWallet(
  page: Page,
  account: Payer["account"],
  evm: Pick<PublicClient, "call">,
  chainId = 1,
): Promise<BrowserWallet> {
  const wallet: BrowserWallet = { asked: [], declines: new Set(), chainId };
  const answers: Record<string, (params: Params) => unknown> = {
    eth_requestAccounts: () => [account.address],
    eth_chainId: () => `0x${wallet.chainId.toString(16)}`,
    wallet_switchEthereumChain: ([chain]) => {
      wallet.chainId = Number((chain as { chainId: string }).chainId);
      return null;
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
  await page.exposeFunction("walletAnswer", async (method: string, params: Params = []): Promise<Answer> => {
    wallet.asked.push(method);
    if (wallet.declines.delete(method)) return { error: { code: 4001, message: "User rejected the request." } };
    const answer = answers[method];
    if (!answer) return { error: { code: 4200, message: "Unsupported" } };
    try {
      return { result: await answer(params) };
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
    };
    const detail = { info: { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Test wallet" }, provider };
    const announce = () => page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    page.addEventListener("eip6963:requestProvider", announce);
    announce();
  });
  return wallet;
}
