/** Reads what reviewers had done before their first review, a few at a time: each takes up to two hundred requests of nodes that keep the state of past blocks. */
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import { isPrivate } from "../../core/public-parties.ts";
import { type AccountHistory, type Party, UNKNOWN_HISTORY } from "../../core/reviews/facts.ts";
import { dueHistories, storeHistory } from "../../db/reviews/reviewer-histories.ts";
import { defineJob } from "../job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = DAY_MS / 96;
/** Age of a review in seconds from which on no reorganisation takes it back. */
const FINAL_AFTER_SECONDS = 3_600;
/** Milliseconds until a reviewer whose past no node had is tried again: another node may be configured by then. */
const RETRY_MS = DAY_MS;

/**
 * Resumes: with the reviewers that have no history yet; each is stored by itself. A reviewer whose past no node has is
 * put off by a day; while no node answers the run ends, and no reviewer is put off.
 * Bound: 500 a day (`reviewer-histories` of DAILY_BUDGETS), up to two hundred requests each, for any number of
 * reviewers, in turns (`dueHistories`).
 */
export const reviewerHistories = defineJob({
  name: "reviewer-histories",
  schedule: { everyMs: EVERY_MS },
  async run({ db, chain, clock, log, config }) {
    const now = clock();
    const before = Math.floor(now.getTime() / 1_000) - FINAL_AFTER_SECONDS;
    const due = await dueHistories(db, {
      now,
      before,
      limit: Math.ceil((config.reviewerHistoriesPerDay * EVERY_MS) / DAY_MS),
    });
    // If no node answers at all, this throws, and no reviewer is put off until tomorrow.
    if (due.length > 0) await chain.headBlock();
    let read = 0;
    for (const { client, block } of due) {
      try {
        await storeHistory(db, client, await readHistory(chain, client, block), null);
        read += 1;
      } catch (error) {
        if (!(error instanceof Failure && error.code === "upstream_unavailable")) throw error;
        log.info({ reviewer: client }, "no node has the past of a reviewer");
        await storeHistory(db, client, null, new Date(now.getTime() + RETRY_MS));
      }
    }
    return read;
  },
});

type HistoryReads = Pick<Chain, "block" | "transactionsIn" | "balance" | "code" | "nonce">;

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
  if (last < 0 || isContract(code)) return UNKNOWN_HISTORY;
  const sent = await chain.nonce(address, last);
  const began = await firstMoney(chain, address, last, sent);
  if (began === null) return UNKNOWN_HISTORY;
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
