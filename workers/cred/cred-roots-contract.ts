/** Reads CredRoots: the newest epoch, and whether an account may publish the next one. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { credRootsAbi } from "../../abis/cred-roots.ts";
import type { Chain } from "../../clients/ports.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { readContracts } from "../contract-reads.ts";

/** `latest` is 0 and `root` zero before the first epoch; `publishedAt` in Unix seconds. */
export type RootsState = { latest: number; root: Hex; publishedAt: number; refusal: string | null };

const READ = ["latest", "publisher", "owner", "paused"] as const;

/**
 * The state of the contract at the newest block; `refusal` is the reason why `account` may not publish, as a plain
 * half-sentence. Null when there is no CredRoots at the address.
 * @throws Failure upstream_unavailable
 */
export async function readCredRoots(
  chain: Pick<Chain, "call">,
  contract: Address,
  account: Address,
): Promise<RootsState | null> {
  const call = (functionName: (typeof READ)[number]) => ({
    to: contract,
    data: encodeFunctionData({ abi: credRootsAbi, functionName }),
  });
  const { answers } = await readContracts(chain, READ.map(call));
  if (answers.some((answer) => answer === null || answer === "0x")) return null;
  const [latest, publisher, owner, paused] = READ.map((functionName, i) =>
    decodeFunctionResult({ abi: credRootsAbi, functionName, data: answers[i]! }),
  ) as [bigint, Address, Address, boolean];
  const { answers: newest } = await readContracts(chain, [
    { to: contract, data: encodeFunctionData({ abi: credRootsAbi, functionName: "epochOf", args: [latest] }) },
  ]);
  if (!newest[0]) return null;
  const { root, publishedAt } = decodeFunctionResult({
    abi: credRootsAbi,
    functionName: "epochOf",
    data: newest[0],
  });
  return {
    latest: Number(latest),
    root,
    publishedAt: Number(publishedAt),
    refusal: refusalOf(account, { publisher, owner, paused }),
  };
}

/** The owner may publish while the contract is paused too. */
function refusalOf(account: Address, of: { publisher: Address; owner: Address; paused: boolean }): string | null {
  const is = (other: Address) => other.toLowerCase() === account.toLowerCase();
  if (is(of.owner)) return null;
  if (!is(of.publisher)) return `its publisher is ${of.publisher}`;
  return of.paused ? "it is paused" : null;
}
