/** The EIP-712 domains of USDC. A wrong name makes every signature invalid, so they are constants and checked on the chain. */
import { hashStruct } from "viem/utils";
import type { Address, Hex } from "../agents/facts.ts";
import type { TokenDomain } from "./authorization.ts";

/** EIP-712 name by chain id: it differs between USDC's deployments. */
const NAMES: Record<number, string> = { 8453: "USD Coin", 84532: "USDC" };

/** The domain of USDC on a chain; all known deployments have version 2. */
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

/** The value that the token's `DOMAIN_SEPARATOR()` returns if the domain is right. */
export const domainSeparator = (domain: TokenDomain): Hex =>
  hashStruct({
    data: { ...domain, chainId: BigInt(domain.chainId) },
    primaryType: "EIP712Domain",
    types: { EIP712Domain: EIP712_DOMAIN },
  });
