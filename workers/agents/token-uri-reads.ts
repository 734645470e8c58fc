/** Token URIs as the chain has them, many in one call. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { readContracts } from "../contract-reads.ts";

/**
 * Reads `tokenURI` of tokens.
 * One item: owners write these texts, up to 24 kB: a batch whose answers are too large is split, and what is no text is
 * left out.
 * @returns token → URI; tokens that the contract does not know, or whose URI cannot be read, are left out
 * @throws Failure upstream_unavailable
 */
export async function readTokenUris(
  chain: Pick<Chain, "call">,
  identity: Address,
  tokenIds: readonly number[],
): Promise<Map<number, string>> {
  const reads = tokenIds.map((tokenId) => ({
    to: identity,
    data: encodeFunctionData({ abi: identityAbi, functionName: "tokenURI", args: [BigInt(tokenId)] }),
  }));
  const { answers } = await readContracts(chain, reads);
  return new Map(
    answers.flatMap((answer, n): [number, string][] => {
      const uri = answer === null ? null : textOf(answer);
      return uri === null ? [] : [[tokenIds[n]!, uri]];
    }),
  );
}

/** The decoded text; null when the bytes are not an ABI-encoded string. */
function textOf(data: Hex): string | null {
  try {
    return decodeFunctionResult({ abi: identityAbi, functionName: "tokenURI", data });
  } catch {
    return null;
  }
}
