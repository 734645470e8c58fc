/** Reads of contracts from the configuration, many in one call where the chain has Multicall3. */
import pLimit from "p-limit";
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { multicall3Abi } from "../abis/multicall3.ts";
import type { Chain } from "../clients/ports.ts";
import { MULTICALL3 } from "../core/addresses.ts";
import type { Address, Hex } from "../core/agents/facts.ts";

export type ContractRead = { to: Address; data: Hex };

/**
 * `answers`: in the order of the reads; null where the contract refused. `at`: time of the block that all were executed
 * in, Unix seconds; null where the reads were separate calls.
 */
export type ContractAnswers = { answers: (Hex | null)[]; at: number | null };

/** Max concurrent calls on a chain without Multicall3. */
const CALLS_AT_ONCE = 4;

const TIME_CALL = encodeFunctionData({ abi: multicall3Abi, functionName: "getCurrentBlockTimestamp" });

/**
 * Executes read-only calls at the newest block. A set that the node refuses as a whole (too much gas, too long an answer)
 * is halved.
 * @throws Failure upstream_unavailable
 */
export async function readContracts(
  chain: Pick<Chain, "call">,
  reads: readonly ContractRead[],
): Promise<ContractAnswers> {
  if (reads.length === 0) return { answers: [], at: null };
  const calls = reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const answer = await chain.call({
    to: MULTICALL3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [[{ target: MULTICALL3, allowFailure: false, callData: TIME_CALL }, ...calls]],
    }),
  });
  // A call to an address without code succeeds without an answer.
  if (answer.ok && answer.data === "0x") return { answers: await readEach(chain, reads), at: null };
  if (!answer.ok) {
    if (reads.length === 1) return { answers: await readEach(chain, reads), at: null };
    const half = reads.length >> 1;
    const first = await readContracts(chain, reads.slice(0, half));
    const rest = await readContracts(chain, reads.slice(half));
    const at = first.at === null || rest.at === null ? null : Math.min(first.at, rest.at);
    return { answers: [...first.answers, ...rest.answers], at };
  }
  const [time, ...results] = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: "aggregate3",
    data: answer.data,
  });
  return {
    answers: results.map(({ success, returnData }) => (success ? returnData : null)),
    at: Number(BigInt(time!.returnData)),
  };
}

async function readEach(chain: Pick<Chain, "call">, reads: readonly ContractRead[]): Promise<(Hex | null)[]> {
  const limit = pLimit(CALLS_AT_ONCE);
  const answers = await Promise.all(reads.map((read) => limit(() => chain.call(read))));
  return answers.map((answer) => (answer.ok ? answer.data : null));
}
