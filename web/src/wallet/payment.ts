/** A payment by x402: terms of a 402, the wallet's signature (EIP-3009), and the header that carries it. */
import { TRANSFER_WITH_AUTHORIZATION } from "../../../core/payments/transfer-with-authorization.ts";
import type { Problem } from "../api/answer.ts";
import { usdc } from "../formats.ts";
import { ask, type Provider, WalletRefusal } from "./providers.ts";
import { changeTo } from "./transaction.ts";

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

const TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
  ...TRANSFER_WITH_AUTHORIZATION,
};

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = (binary: string) => new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
