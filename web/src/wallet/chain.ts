/** The chain that a wallet is on. It is loaded with what signs. */
import { ask, codeOf, type Provider, WalletRefusal } from "./providers.ts";

/** Parameters of Base for wallets that do not have it yet; the wallet asks the user. */
const BASE = {
  chainId: "0x2105",
  chainName: "Base",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: ["https://mainnet.base.org"],
  blockExplorerUrls: ["https://basescan.org"],
};

/** Switches the wallet to a chain: wallets refuse to sign typed data of another chain. @throws WalletRefusal */
export async function changeTo(wallet: Provider, chainId: number): Promise<void> {
  const wanted = `0x${chainId.toString(16)}`;
  const current = await ask<unknown>(wallet, "eth_chainId");
  if (Number(current) === chainId) return;
  try {
    await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId: wanted }] });
  } catch (error) {
    if (codeOf(error) === 4902 && wanted === BASE.chainId) await ask(wallet, "wallet_addEthereumChain", [BASE]);
    else if (codeOf(error) === 4001)
      throw new WalletRefusal("This is done on Base. The wallet stays on another network, so nothing was sent.", true);
    else throw new WalletRefusal("The wallet cannot change to Base. Change the network there, then try again.");
  }
}
