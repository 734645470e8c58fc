/** The EIP-712 domains of USDC: a wrong name makes every signature worthless, so they are known and checked. */
import { hashStruct } from "viem/utils";
import type { Address, Hex } from "../facts.ts";
import type { TokenDomain } from "./authorization.ts";

/** Names differ between USDC's deployments. */
const NAMES: Record<number, string> = { 8453: "USD Coin", 84532: "USDC" };

/** The domain USDC has on a chain; every deployment we know is at version 2. */
export const usdcDomain = (chainId: number, verifyingContract: Address): TokenDomain => ({
  name: NAMES[chainId] ?? "USD Coin",
  version: "2",
  chainId,
  verifyingContract,
});

const EIP712_DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** What the token's `DOMAIN_SEPARATOR()` answers if the domain is right. */
export const domainSeparator = (domain: TokenDomain): Hex =>
  hashStruct({
    data: { ...domain, chainId: BigInt(domain.chainId) },
    primaryType: "EIP712Domain",
    types: { EIP712Domain: EIP712_DOMAIN },
  });
