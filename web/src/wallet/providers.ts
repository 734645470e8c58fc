/** The browser's wallets (EIP-1193, announced by EIP-6963), the calls to them, and their refusals as sentences. */
import { useSyncExternalStore } from "react";
import { observed } from "../observed.ts";

export type Provider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
  on?(event: "accountsChanged", listener: (accounts: unknown) => void): void;
};
/** `id` is the wallet's reverse domain name, which is the same after a reload; `uuid` is not. */
export type Wallet = { id: string; uuid: string; name: string; provider: Provider };

const announced = observed<Wallet[]>([]);
/** @returns a function that ends the subscription */
export const followWallets = announced.subscribe;

window.addEventListener("eip6963:announceProvider", (event) => {
  const { info, provider } = (
    event as CustomEvent<{ info: { uuid: string; name: string; rdns?: string }; provider: Provider }>
  ).detail;
  if (typeof info?.uuid !== "string" || announced.read().some(({ uuid }) => uuid === info.uuid)) return;
  const id = typeof info.rdns === "string" ? info.rdns.slice(0, 100) : info.uuid;
  announced.set([...announced.read(), { id, uuid: info.uuid, name: String(info.name).slice(0, 40), provider }]);
});
window.dispatchEvent(new Event("eip6963:requestProvider"));

const injected = (): Provider | undefined => (window as { ethereum?: Provider }).ethereum;
let alone: Wallet[] = [];

/** All wallets of this browser; `window.ethereum` only when none announces itself. */
export function wallets(): Wallet[] {
  const provider = injected();
  if (announced.read().length > 0 || !provider) return announced.read();
  if (alone[0]?.provider !== provider) alone = [{ id: "injected", uuid: "injected", name: "Browser wallet", provider }];
  return alone;
}

export const useWallets = (): Wallet[] => useSyncExternalStore(followWallets, wallets);

/** A refusal of the wallet, as a sentence for people; `declined` when the user rejected. */
export class WalletRefusal extends Error {
  readonly declined: boolean;
  constructor(message: string, declined = false) {
    super(message);
    this.declined = declined;
  }
}

/** The code of a wallet's refusal. @see EIP-1193 */
export const codeOf = (error: unknown): number | undefined => (error as { code?: number } | null)?.code;

/** @throws WalletRefusal */
export async function ask<T>(wallet: Provider, method: string, params?: unknown[]): Promise<T> {
  try {
    return (await wallet.request({ method, ...(params && { params }) })) as T;
  } catch (error) {
    if (codeOf(error) === 4001) throw new WalletRefusal("You declined in the wallet. Nothing was sent.", true);
    if (codeOf(error) === -32002) throw new WalletRefusal("The wallet is waiting for an answer already: open it.");
    if (codeOf(error) === 4100) throw new WalletRefusal("The wallet does not let this page use that account.");
    throw new WalletRefusal("The wallet could not do this. Is it unlocked?");
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The accounts that a wallet lets this page see, the selected one first. @throws WalletRefusal */
export async function accountsOf(wallet: Provider, method: "eth_accounts" | "eth_requestAccounts"): Promise<string[]> {
  const accounts = await ask<unknown>(wallet, method);
  return Array.isArray(accounts) ? accounts.filter((one): one is string => ADDRESS.test(String(one))) : [];
}

/** UTF-8 of a text in hex, as `personal_sign` takes it. */
export const hexOf = (text: string): string =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
