/** The per-token oracle of scores on the chain: what it holds, and the call that writes a batch. */
import { decodeFunctionResult, encodeAbiParameters, encodeFunctionData, keccak256 } from "viem/utils";
import { credOracleAbi } from "../../abis/cred-oracle.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { OracleBatch, OracleValue } from "../../db/cred/cred-oracle.ts";
import { readContracts } from "../contract-reads.ts";

/** Reads `getCredData` of tokens, in their order. @throws Failure upstream_unavailable */
export async function readOracle(
  chain: Pick<Chain, "call">,
  oracle: Address,
  tokenIds: readonly number[],
): Promise<OracleValue[]> {
  const reads = tokenIds.map((tokenId) => ({
    to: oracle,
    data: encodeFunctionData({ abi: credOracleAbi, functionName: "getCredData", args: [BigInt(tokenId)] }),
  }));
  const { answers } = await readContracts(chain, reads);
  return answers.map((answer) => (answer === null ? null : oracleValue(answer)));
}

/** Null for bytes that are not the two numbers. */
function oracleValue(data: Hex): OracleValue {
  try {
    const [score, updatedAt] = decodeFunctionResult({ abi: credOracleAbi, functionName: "getCredData", data });
    return { score, updatedAt };
  } catch {
    return null;
  }
}

/** One score of a batch, with what the oracle holds before. */
export type OracleWrite = { tokenId: number; score: number; held: NonNullable<OracleValue> };

/** The transaction that writes these scores. */
export function oracleBatch(oracle: Address, writes: readonly OracleWrite[]): OracleBatch {
  const args = [writes.map(({ tokenId }) => BigInt(tokenId)), writes.map(({ score }) => score)] as const;
  return {
    change: oracleChange(oracle, writes),
    data: encodeFunctionData({ abi: credOracleAbi, functionName: "batchUpdate", args }),
    tokenIds: writes.map(({ tokenId }) => tokenId),
  };
}

const CHANGE_TYPES = ["address", "uint256[]", "uint8[]", "uint40[]", "uint8[]"].map((type) => ({ type }));

/** Hash of the change from what the oracle holds to these scores: a run that is repeated after a crash has the same. */
export const oracleChange = (oracle: Address, writes: readonly OracleWrite[]): Hex =>
  keccak256(
    encodeAbiParameters(CHANGE_TYPES, [
      oracle,
      writes.map(({ tokenId }) => BigInt(tokenId)),
      writes.map(({ held }) => held.score),
      writes.map(({ held }) => held.updatedAt),
      writes.map(({ score }) => score),
    ]),
  );
