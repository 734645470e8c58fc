/** A payment by x402: terms of a 402, the wallet's signature (EIP-3009), and the header that carries it. */
import { TRANSFER_WITH_AUTHORIZATION } from "../../../core/payments/transfer-with-authorization.ts";
import type { Problem } from "../api/answer.ts";
import { ask, changeTo, type Provider, WalletRefusal } from "./wallet.ts";

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

/** The terms of a 402; null when a browser's wallet can sign none of its offers. */
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

/** USDC units as dollars and cents: `1.00`. */
export function usdc(units: string | bigint): string {
  const digits = String(units).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -6)}.${decimals}`;
}

/**
 * Asks the wallet to sign exactly these terms, once.
 * @returns the value of PAYMENT-SIGNATURE
 * @throws WalletRefusal
 */
export async function signPayment(wallet: Provider, from: string, terms: Terms): Promise<string> {
  await changeTo(wallet, terms.chainId);
  const held = await balance(wallet, terms.asset, from);
  if (held !== null && held < BigInt(terms.amount))
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
  };
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(payment))));
}

/** The account's balance of the token; null when the wallet cannot read it. */
async function balance(wallet: Provider, token: string, account: string): Promise<bigint | null> {
  try {
    const data = `0x70a08231${account.slice(2).toLowerCase().padStart(64, "0")}`;
    const answer = await wallet.request({ method: "eth_call", params: [{ to: token, data }, "latest"] });
    return typeof answer === "string" && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : null;
  } catch {
    return null;
  }
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
