/** The mint that the contract itself sells, in ETH, to anyone who calls it without this service. */
import { formatEther } from "viem/utils";
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";

/** The function to call, with `price` as its value. */
const MINT_FUNCTION = "mint(address agentAddress, string name, string framework, bool soulbound)";

/** @param priceWei null while the contract cannot be asked */
export const directMint = (contract: Address, chainId: number, priceWei: bigint | null) => ({
  contract: checksum(contract),
  function: MINT_FUNCTION,
  chainId,
  currency: "ETH" as const,
  price: priceWei === null ? null : formatEther(priceWei),
});
