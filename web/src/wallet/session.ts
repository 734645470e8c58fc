/** The browser's wallets (EIP-1193, announced by EIP-6963), the calls to them, their refusals as sentences, and the connected one, which survives a reload without opening the wallet. */
import { useSyncExternalStore } from "react";
import type { Agent } from "../api/types.ts";
import { observed } from "../observed.ts";
import { codeFor } from "../parts/states.tsx";
import { keep, kept, onKeptElsewhere } from "../stored.ts";

export type Provider = {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
  on?(event: "accountsChanged", listener: (accounts: unknown) => void): void;
};
/** `id` is the wallet's reverse domain name, which is the same after a reload; `uuid` is not. */
type Wallet = { id: string; uuid: string; name: string; provider: Provider };

const announced = observed<Wallet[]>([]);
/** @returns a function that ends the subscription */
const followWallets = announced.subscribe;

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
function wallets(): Wallet[] {
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
async function accountsOf(wallet: Provider, method: "eth_accounts" | "eth_requestAccounts"): Promise<string[]> {
  const accounts = await ask<unknown>(wallet, method);
  return Array.isArray(accounts) ? accounts.filter((one): one is string => ADDRESS.test(String(one))) : [];
}

/** UTF-8 of a text in hex, as `personal_sign` takes it. */
export const hexOf = (text: string): string =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** `address` is checksummed (EIP-55). */
export type ConnectedWallet = { id: string; name: string; address: string; provider: Provider };

type StoredWallet = { id: string; name: string; address: string };
const WALLET_KEY = "wallet";

let chosen: StoredWallet | null = kept<StoredWallet>("browser", WALLET_KEY);
/** The connected wallet; null without one. */
const present = observed<ConnectedWallet | null>(null);
export const connectedWallet = present.read;
export const useWallet = present.use;
/** Wallets whose change of account is followed. */
const followed = new WeakSet<Provider>();

function choose(next: StoredWallet | null): void {
  chosen = next;
  keep("browser", WALLET_KEY, next);
  find();
}

/** Joins the stored choice with the provider that announced itself under the same name. */
function find(): void {
  const wallet = chosen && wallets().find(({ id }) => id === chosen!.id);
  if (!wallet || !chosen) {
    present.set(null);
    return;
  }
  const connected = present.read();
  if (connected?.address === chosen.address && connected.provider === wallet.provider) return;
  present.set({ ...chosen, provider: wallet.provider });
  follow(wallet);
}

const isConnected = (account: string) => account.toLowerCase() === connectedWallet()?.address.toLowerCase();

/** A wallet whose user changes the account changes it here; one that takes its permission back is disconnected. */
function follow(wallet: Wallet): void {
  if (followed.has(wallet.provider)) return;
  followed.add(wallet.provider);
  const changed = (accounts: string[]) => {
    if (connectedWallet()?.provider !== wallet.provider) return;
    const [selected] = accounts;
    if (selected === undefined) choose(null);
    else if (!isConnected(selected)) void remember(wallet, selected);
  };
  wallet.provider.on?.("accountsChanged", (accounts) => changed((Array.isArray(accounts) ? accounts : []).map(String)));
  // `eth_accounts` does not open the wallet. A locked wallet answers nothing useful, which changes nothing here.
  // If the wallet still has the connected account, it stays connected, also where another one is selected.
  accountsOf(wallet.provider, "eth_accounts").then(
    (accounts) => accounts.some(isConnected) || changed(accounts),
    () => undefined,
  );
}

find();
followWallets(find);
// Another tab connects or disconnects for all.
onKeptElsewhere(WALLET_KEY, () => {
  chosen = kept<StoredWallet>("browser", WALLET_KEY);
  find();
});

/** Whether a wallet was chosen here, also one that is not in this browser any more. */
export const isWalletChosen = (): boolean => chosen !== null;

async function remember(wallet: Wallet, address: string): Promise<ConnectedWallet> {
  const { checksum } = await codeFor(import("../../../core/addresses.ts"));
  choose({ id: wallet.id, name: wallet.name, address: checksum(address) });
  return connectedWallet()!;
}

/** Whether an account was given up on this page: what comes next is another one. */
let chooses = false;

/** Opens the wallet, whose user chooses an account. @throws WalletRefusal */
export async function connect(wallet: Wallet): Promise<ConnectedWallet> {
  if (chooses) await chooseAccounts(wallet.provider);
  const [address] = await accountsOf(wallet.provider, "eth_requestAccounts");
  if (!address) throw new WalletRefusal("The wallet has no account to offer.");
  chooses = false;
  return remember(wallet, address);
}

/** Has the user choose again: a wallet asked for its accounts answers with those it has already shown. @throws WalletRefusal */
async function chooseAccounts(provider: Provider): Promise<void> {
  try {
    await ask(provider, "wallet_requestPermissions", [{ eth_accounts: {} }]);
  } catch (error) {
    // A wallet without the method opens as for the first time.
    if ((error as WalletRefusal).declined) throw error;
  }
}

/** Forgets the wallet; `disconnect` in sign-ins.ts forgets its credentials too. */
export function forgetWallet(): void {
  chooses = true;
  choose(null);
}

/** Whether the connected wallet is the agent's wallet or owns its token. */
export function useControls({ agentAddress, owner }: Pick<Agent, "agentAddress" | "owner">): boolean {
  const address = useWallet()?.address.toLowerCase();
  return address !== undefined && [agentAddress, owner].some((one) => one.toLowerCase() === address);
}
