/**
 * Wallets of agents at a block that is final already, read for 100 tokens in one request.
 *
 * setAgentWallet changes an agent's wallet without an event. A backfill handles events that are far behind the head: when
 * the contract still names the same wallet at a later block, the wallet is not read at each of the events before. Near
 * the head there is no later block, and each event reads its token's wallet.
 *
 * No row depends on the block that is chosen: a wallet that differs makes the events read the contract. (A wallet that
 * was changed and set back has signed for that, and is shown as if it had been the agent's all the time.)
 */
import type { Context } from "ponder:registry";
import { decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { type ChainEvent, lower } from "./event-facts.ts";

/** The address of Multicall3 on every chain that has it. */
const MULTICALL3: Hex = "0xca11bde05977b3631167028862be2a173976ca11";
/** Blocks behind the head that Ponder takes as final on Base. Nodes without an archive keep 128 states. */
const FINAL_DEPTH = 30n;
/** Tokens of one request: about 4 million gas, and at most 5 MB of JSON with names as long as one transaction can store. */
const GROUP_SIZE = 100;
/** Max groups in memory: 200,000 wallets of 42 characters. */
const MAX_GROUPS = 2_000;
/** After this many failed requests the process makes no more of them. */
const MAX_FAILURES = 3;

/** Wallets of consecutive tokens at the end of a block; null for a token that the contract does not return. */
type Group = { block: bigint; wallets: readonly (Hex | null)[] };

const groups = new Map<number, Group>();
/** True after the first event that is not final: no later event of the process is, or has a later final block. */
let reachedHead = false;
let failures = 0;

/**
 * Whether the contract names this wallet at a final block after the event.
 * @returns false also when that is not known: near the head, or when the node refuses the request
 */
export async function isLaterWallet(
  context: Context,
  event: ChainEvent,
  tokenId: number,
  wallet: Hex,
): Promise<boolean> {
  if (reachedHead || failures >= MAX_FAILURES) return false;
  const index = Math.floor(tokenId / GROUP_SIZE);
  let group = groups.get(index);
  if (group === undefined || group.block < event.block.number) {
    try {
      const block = BigInt(await context.client.request({ method: "eth_blockNumber" })) - FINAL_DEPTH;
      if (block < event.block.number) {
        reachedHead = true;
        groups.clear();
        return false;
      }
      group = { block, wallets: await readGroup(context, index, block) };
    } catch {
      failures++;
      return false;
    }
    groups.delete(index);
    groups.set(index, group);
    if (groups.size > MAX_GROUPS) groups.delete(groups.keys().next().value!);
  }
  return group.wallets[tokenId % GROUP_SIZE] === lower(wallet);
}

async function readGroup({ client, contracts }: Context, index: number, blockNumber: bigint) {
  const target = contracts.Identity.address;
  const results = await client.readContract({
    abi: multicall3Abi,
    address: MULTICALL3,
    functionName: "aggregate3",
    args: [
      Array.from({ length: GROUP_SIZE }, (_, i) => ({
        target,
        allowFailure: true,
        callData: encodeFunctionData({
          abi: identityAbi,
          functionName: "getAgent",
          args: [BigInt(index * GROUP_SIZE + i)],
        }),
      })),
    ],
    blockNumber,
    retryEmptyResponse: false,
  });
  return results.map(({ success, returnData }) => (success ? walletOf(returnData) : null));
}

function walletOf(data: Hex): Hex | null {
  try {
    return lower(decodeFunctionResult({ abi: identityAbi, functionName: "getAgent", data }).agentAddress);
  } catch {
    return null;
  }
}
