/** Reads from the chain what an account had done before a block: about a hundred requests, most of them for the state of past blocks. */
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import type { ReviewerFacts } from "../../core/reviews/facts.ts";

/** What is read; null is what nobody can know. */
export type AccountHistory = Pick<ReviewerFacts, "firstAt" | "sent" | "previousAt" | "funder">;
type HistoryReads = Pick<Chain, "block" | "transactionsIn" | "balance" | "code" | "nonce">;

const UNKNOWN: AccountHistory = { firstAt: null, sent: null, previousAt: null, funder: null };
/** Code of an account that is a key's and lends itself a contract's code (EIP-7702). */
const DELEGATED = "0xef0100";
/** Whether code is a contract's. */
export const isContract = (code: string): boolean => code !== "0x" && !code.startsWith(DELEGATED);

/**
 * The history of an account before a block. Of an account of a contract, and of one that never had ether of its own
 * (sponsored gas), nothing is known. The funder is known where a transaction of its own brought the first ether (what a
 * contract passed on shows in no transaction) and no other ether had come when the account first sent something: whoever
 * sends a little to a stranger's empty account is not its funder.
 * @throws Failure upstream_unavailable where no node has the state of past blocks
 */
export async function readHistory(chain: HistoryReads, address: Address, before: number): Promise<AccountHistory> {
  const last = before - 1;
  const code = await chain.code(address);
  if (last < 0 || isContract(code)) return UNKNOWN;
  const isSeen = async (block: number) =>
    (await chain.balance(address, block)) > 0n || (await chain.nonce(address, block)) > 0;
  if (!(await isSeen(last))) return UNKNOWN;
  const sent = await chain.nonce(address, last);
  const first = await firstBlockWhere(0, last, isSeen);
  const previous =
    sent === 0
      ? null
      : await firstBlockWhere(first, last, async (block) => (await chain.nonce(address, block)) >= sent);
  const start =
    sent === 0 ? before : await firstBlockWhere(first, last, async (b) => (await chain.nonce(address, b)) > 0);
  const transfers = (await chain.transactionsIn(first)) ?? [];
  const transfer = transfers.find(({ to, valueWei }) => to === address && valueWei > 0n);
  const funder = transfer && (await chain.balance(address, start - 1)) <= transfer.valueWei ? transfer.from : null;
  return {
    firstAt: await timeOf(chain, first),
    sent,
    previousAt: previous === null ? null : await timeOf(chain, previous),
    funder: funder && { address: funder, sent: await chain.nonce(funder, last) },
  };
}

const timeOf = async (chain: HistoryReads, block: number): Promise<number | null> =>
  (await chain.block(block))?.timestamp ?? null;
