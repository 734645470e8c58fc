/** The connected wallet of this page. It survives a reload without opening the wallet. */
import { observed } from "../observed.ts";
import { keep, kept, onKeptElsewhere } from "../stored.ts";
import { accountsOf, ask, followWallets, type Provider, type Wallet, WalletRefusal, wallets } from "./providers.ts";

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
  const { checksum } = await import("../../../core/addresses.ts");
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
