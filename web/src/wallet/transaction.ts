/** A transaction that the connected wallet sends itself, on the chain that it has to be on, and its receipt as the wallet's own node gives it. */
import { ask, codeOf, type Provider, WalletRefusal } from "./providers.ts";
import type { ConnectedWallet } from "./session.ts";

/** `value` in wei. */
export type Call = { to: string; data: string; value?: bigint };
export type Receipt = { status: "success" | "reverted"; blockNumber: number; transactionHash: string };

/** Base; the development chain has the same number. */
export const BASE_CHAIN = 8453;
const POLL_MS = 1_000;

/** The state of an account before it sends: the nonce of its next transaction, and the latest block. */
export type Position = { from: string; nonce: number; block: number };

/** Has the wallet change to Base first. @throws WalletRefusal */
export async function positionOf({ provider, address }: ConnectedWallet): Promise<Position> {
  await changeTo(provider, BASE_CHAIN);
  const [nonce, block] = await Promise.all([
    ask<string>(provider, "eth_getTransactionCount", [address, "pending"]),
    ask<string>(provider, "eth_blockNumber"),
  ]);
  return { from: address, nonce: Number(nonce), block: Number(block) };
}

/** @returns the transaction's hash @throws WalletRefusal */
export async function sendTransaction(
  { provider, address }: ConnectedWallet,
  { to, data, value }: Call,
): Promise<string> {
  await changeTo(provider, BASE_CHAIN);
  const transaction = { from: address, to, data, ...(value && { value: `0x${value.toString(16)}` }) };
  return ask<string>(provider, "eth_sendTransaction", [transaction]);
}

/**
 * Waits until the transaction is in a block.
 * @param signal ends the waiting
 * @throws WalletRefusal when the wallet cannot read the chain; the abort reason
 */
export async function receiptOf({ provider }: ConnectedWallet, hash: string, signal?: AbortSignal): Promise<Receipt> {
  for (;;) {
    signal?.throwIfAborted();
    const found = await ask<{ status: string; blockNumber: string } | null>(provider, "eth_getTransactionReceipt", [
      hash,
    ]);
    if (found)
      return {
        status: Number(found.status) === 1 ? "success" : "reverted",
        blockNumber: Number(found.blockNumber),
        transactionHash: hash,
      };
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

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
