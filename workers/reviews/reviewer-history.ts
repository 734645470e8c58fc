/** Reads from the chain what an account had done before a block: up to some two hundred requests, most of them for the state of past blocks. */
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import { isPrivate } from "../../core/public-parties.ts";
import type { Party, ReviewerFacts } from "../../core/reviews/facts.ts";

/** What is read; null is what cannot be known. */
export type AccountHistory = Pick<ReviewerFacts, "firstAt" | "sent" | "previousAt" | "funder" | "origin">;
type HistoryReads = Pick<Chain, "block" | "transactionsIn" | "balance" | "code" | "nonce">;

const UNKNOWN: AccountHistory = { firstAt: null, sent: null, previousAt: null, funder: null, origin: null };
/** Code of an account that is a key's and lends itself a contract's code (EIP-7702). */
const DELEGATED = "0xef0100";
/** Whether code is a contract's. */
export const isContract = (code: string): boolean => code !== "0x" && !code.startsWith(DELEGATED);

/**
 * The history of an account before a block. Of an account of a contract, and of one that never had ether of its own
 * (sponsored gas), nothing is known. The funder is known where a transaction of its own brought the first ether (what a
 * contract passed on shows in no transaction) and no other ether had come when the account first sent something: a stranger
 * who sends a little to an empty account does not become its funder.
 * @throws Failure upstream_unavailable where no node has the state of past blocks
 */
export async function readHistory(chain: HistoryReads, address: Address, before: number): Promise<AccountHistory> {
  const last = before - 1;
  const code = await chain.code(address);
  if (last < 0 || isContract(code)) return UNKNOWN;
  const sent = await chain.nonce(address, last);
  const began = await firstMoney(chain, address, last, sent);
  if (began === null) return UNKNOWN;
  const { first, from } = began;
  const previous =
    sent === 0
      ? null
      : await firstBlockWhere(first, last, async (block) => (await chain.nonce(address, block)) >= sent);
  const funder = from && { address: from, sent: await chain.nonce(from, last) };
  return {
    firstAt: await timeOf(chain, first),
    sent,
    previousAt: previous === null ? null : await timeOf(chain, previous),
    funder,
    origin: funder && (await originOf(chain, funder, first)),
  };
}

/** Who gave a funder its first money; of one that serves the public, and of a contract, that says nothing. */
async function originOf(chain: HistoryReads, funder: Party, before: number): Promise<Party | null> {
  const { address, sent } = funder;
  if (!isPrivate(sent) || isContract(await chain.code(address as Address))) return null;
  const last = before - 1;
  if (last < 0) return null;
  const began = await firstMoney(chain, address as Address, last, await chain.nonce(address as Address, last));
  return began?.from ? { address: began.from, sent: await chain.nonce(began.from, last) } : null;
}

/**
 * When an account was first seen, up to a block, and who brought its first ether; null for one that was not seen.
 * @param sent transactions it had sent up to that block
 */
async function firstMoney(
  chain: HistoryReads,
  address: Address,
  last: number,
  sent: number,
): Promise<{ first: number; from: Address | null } | null> {
  const isSeen = async (block: number) =>
    (await chain.balance(address, block)) > 0n || (await chain.nonce(address, block)) > 0;
  if (!(await isSeen(last))) return null;
  const first = await firstBlockWhere(0, last, isSeen);
  const start =
    sent === 0 ? last + 1 : await firstBlockWhere(first, last, async (b) => (await chain.nonce(address, b)) > 0);
  const transfers = (await chain.transactionsIn(first)) ?? [];
  const transfer = transfers.find(({ to, valueWei }) => to === address && valueWei > 0n);
  const isFirst = transfer !== undefined && (await chain.balance(address, start - 1)) <= transfer.valueWei;
  return { first, from: isFirst ? transfer.from : null };
}

const timeOf = async (chain: HistoryReads, block: number): Promise<number | null> =>
  (await chain.block(block))?.timestamp ?? null;
