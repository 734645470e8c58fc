/** What the connected wallet signs and sends on its chain: a payment by x402 (EIP-3009) with the header that carries it, and transactions with their receipts. */
import { EIP712_DOMAIN, TRANSFER_WITH_AUTHORIZATION } from "../../../core/payments/transfer-with-authorization.ts";
import type { Problem } from "../api/answer.ts";
import { usdc } from "../formats.ts";
import { ask, type ConnectedWallet, codeOf, type Provider, WalletRefusal } from "./session.ts";

export type Terms = {
  /** In the token's units, decimal. */
  amount: string;
  asset: string;
  payTo: string;
  chainId: number;
  /** Validity of the authorization in seconds. */
  seconds: number;
  /** The token's EIP-712 name and version. */
  token: { name: string; version: string };
  /** Copied from the 402; the payment repeats it. */
  accepted: Record<string, unknown>;
  resource: unknown;
};

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The terms of a 402; null when a browser's wallet can sign none of its options. */
export function readTerms(problem: Problem): Terms | null {
  const header = problem.headers.get("payment-required");
  if (!header) return null;
  try {
    const { accepts, resource } = JSON.parse(utf8(atob(header))) as {
      accepts: Record<string, unknown>[];
      resource: unknown;
    };
    for (const accepted of accepts) {
      const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = accepted;
      const chainId = Number(/^eip155:(\d+)$/.exec(String(network))?.[1]);
      const { name, version } = (extra ?? {}) as Record<string, unknown>;
      if (scheme !== "exact" || !chainId || !/^\d+$/.test(String(amount))) continue;
      if (!ADDRESS.test(String(asset)) || !ADDRESS.test(String(payTo)) || !name || !version) continue;
      return {
        amount: String(amount),
        asset: String(asset),
        payTo: String(payTo),
        chainId,
        seconds: Number(maxTimeoutSeconds) || 300,
        token: { name: String(name), version: String(version) },
        accepted,
        resource,
      };
    }
  } catch {
    // An unreadable 402 has no terms.
  }
  return null;
}

/**
 * Asks the wallet to sign exactly these terms, once.
 * @returns the value of PAYMENT-SIGNATURE
 * @throws WalletRefusal
 */
export async function signPayment(wallet: Provider, from: string, terms: Terms): Promise<string> {
  await changeTo(wallet, terms.chainId);
  const held = await holding(wallet, terms, from);
  if (typeof held === "bigint" && held < BigInt(terms.amount))
    throw new WalletRefusal(
      `This account holds ${usdc(held)} USDC on Base, and ${usdc(terms.amount)} are needed. Nothing was paid.`,
    );
  const authorization = {
    from,
    to: terms.payTo,
    value: terms.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + terms.seconds),
    nonce: `0x${hex(crypto.getRandomValues(new Uint8Array(32)))}`,
  };
  const typedData = {
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    domain: { ...terms.token, chainId: terms.chainId, verifyingContract: terms.asset },
    message: authorization,
  };
  const signature = await ask<string>(wallet, "eth_signTypedData_v4", [from, JSON.stringify(typedData)]);
  const payment = {
    x402Version: 2,
    resource: terms.resource,
    accepted: terms.accepted,
    payload: { signature, authorization },
    // Known to this browser only: shows that a repetition from another network is the payer's.
    extensions: { "payment-identifier": { info: { required: false, id: crypto.randomUUID() } } },
  };
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(payment))));
}

/** Selectors of `balanceOf(address)` and `authorizationState(address,bytes32)` (EIP-3009). */
const BALANCE_OF = "0x70a08231";
const AUTHORIZATION_STATE = "0xe94a0102";
const wordOf = (hex: string) => hex.slice(2).toLowerCase().padStart(64, "0");

/** The number that a view of the token answers; null when the wallet cannot read it. */
async function read(wallet: Provider, token: string, selector: string, ...words: string[]): Promise<bigint | null> {
  try {
    const data = selector + words.map(wordOf).join("");
    const answer = await wallet.request({ method: "eth_call", params: [{ to: token, data }, "latest"] });
    return typeof answer === "string" && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : null;
  } catch {
    return null;
  }
}

/** What an account has, or why that is not known: the wallet is on another network, or does not read the chain. */
export type HeldAmount = bigint | "elsewhere" | "unread";

/** What the account has of the token, in its units. The wallet reads only the network it is on, and is not changed to another. */
export async function holding(
  wallet: Provider,
  { asset, chainId }: Pick<Terms, "asset" | "chainId">,
  account: string,
): Promise<HeldAmount> {
  const current = await ask<unknown>(wallet, "eth_chainId").then(Number, () => null);
  if (current !== chainId) return current === null ? "unread" : "elsewhere";
  return (await read(wallet, asset, BALANCE_OF, account)) ?? "unread";
}

/**
 * Whether the chain has a signed payment, as the wallet's own node says.
 * @param payment a value that `signPayment` returned
 */
export async function isSettled(wallet: Provider, payment: string): Promise<boolean> {
  const { accepted, payload } = JSON.parse(utf8(atob(payment)));
  const { from, nonce } = payload.authorization;
  return (await read(wallet, accepted.asset, AUTHORIZATION_STATE, from, nonce)) === 1n;
}

const TYPES = { EIP712Domain: EIP712_DOMAIN, ...TRANSFER_WITH_AUTHORIZATION };

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = (binary: string) => new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));

/** `value` in wei. */
type Call = { to: string; data: string; value?: bigint };
type Receipt = { status: "success" | "reverted"; blockNumber: number; transactionHash: string };

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
    const receipt = await ask<{ status: string; blockNumber: string } | null>(provider, "eth_getTransactionReceipt", [
      hash,
    ]);
    if (receipt)
      return {
        status: Number(receipt.status) === 1 ? "success" : "reverted",
        blockNumber: Number(receipt.blockNumber),
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
