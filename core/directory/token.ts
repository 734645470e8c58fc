/** The token of an agent: who states that it is the agent's, what ties a linked token to a wallet, when it has a price. */
import { getContractAddress } from "viem/utils";
import type { Address } from "../agents/facts.ts";

/** Liquidity in US dollars from which a market's price counts as one: below it a few dollars move it. */
export const PRICED_FROM_USD = 10_000;

/**
 * Who states that a token is an agent's: the registry that launched it, the agent's owner or wallet that linked it, or a
 * stranger who claimed it.
 */
export const TOKEN_SOURCES = ["registry", "owner", "claimed"] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/**
 * What ties a linked token to the wallet that linked it: the wallet deployed the contract, the contract calls it its
 * `owner()`, or the registry that launched the token names it as the agent's owner or wallet.
 */
export type TokenTie = "deployer" | "owner" | "registry";

/** Max transactions of a wallet among which the deployment of a token is looked for: each costs a hash. */
export const DEPLOYMENTS_TRIED = 5_000;

/**
 * Whether a wallet deployed a contract by a transaction of its own. An address made by CREATE follows from its sender and
 * the number of the transaction, so the check does not depend on a node's answer.
 * @param nonce number of transactions that the wallet has sent
 */
export function isDeployedBy(wallet: Address, nonce: number, contract: Address): boolean {
  const last = Math.min(nonce, DEPLOYMENTS_TRIED);
  for (let each = 0; each < last; each++)
    if (getContractAddress({ from: wallet, nonce: BigInt(each) }).toLowerCase() === contract) return true;
  return false;
}
