/** Token URIs as the chain has them, many in one call. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { identityAbi } from "../abis/identity.ts";
import { multicall3Abi } from "../abis/multicall3.ts";
import type { Chain } from "../clients/ports.ts";
import { MULTICALL3 } from "../core/addresses.ts";
import type { Address, Hex } from "../core/facts.ts";

/**
 * Reads `tokenURI` of tokens. Owners write these texts, up to the size of a transaction: when the answers are too large
 * for one call, each half is read in a call of its own.
 * @returns token → URI; tokens that the contract does not know, or whose URI cannot be read, are left out
 * @throws Failure upstream_unavailable
 */
export async function readTokenUris(
  chain: Pick<Chain, "call">,
  identity: Address,
  tokenIds: readonly number[],
): Promise<Map<number, string>> {
  if (tokenIds.length === 0) return new Map();
  const calls = tokenIds.map((tokenId) =>
    encodeFunctionData({ abi: identityAbi, functionName: "tokenURI", args: [BigInt(tokenId)] }),
  );
  if (tokenIds.length === 1) {
    const answer = await chain.call({ to: identity, data: calls[0]! });
    const uri = answer.ok ? textOf(answer.data) : null;
    return new Map(uri === null ? [] : [[tokenIds[0]!, uri]]);
  }
  const answer = await chain.call({
    to: MULTICALL3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map((callData) => ({ target: identity, allowFailure: true, callData }))],
    }),
  });
  if (!answer.ok || answer.data === "0x") {
    const half = tokenIds.length >> 1;
    const halves = [tokenIds.slice(0, half), tokenIds.slice(half)];
    const read = await Promise.all(halves.map((ids) => readTokenUris(chain, identity, ids)));
    return new Map(read.flatMap((uris) => [...uris]));
  }
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer.data });
  return new Map(
    results.flatMap(({ success, returnData }, n): [number, string][] => {
      const uri = success ? textOf(returnData) : null;
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
