/** The evidence of the service's own node about a payment: whether its authorization is used, and where its money moved. */
import type { Chain, Receipt } from "../clients/ports.ts";
import type { Address, Hex } from "../core/facts.ts";
import { type Claim, serves } from "../core/payments/claims.ts";
import { type Challenged, memoTransfers } from "../core/payments/memo.ts";
import type { Refusal } from "../core/payments/terms.ts";
import { AUTHORIZATION_USED, type Transfer, topicOf, transfersOf } from "../core/payments/transfers.ts";
import type { Settlement } from "../db/payments.ts";

/** The transfer an authorization should cause. */
export type Expected = {
  asset: Address;
  payer: Address;
  payee: Address;
  amountUnits: bigint;
  nonce: Hex;
};

export type Evidence =
  /** `serves`: whether the settlement may serve the claim; otherwise only its payer may use the money. */
  | { kind: "settled"; settlement: Settlement; serves: boolean }
  /** It is in a block that needs more confirmations. */
  | { kind: "shallow" }
  /** Used up without the expected transfer: cancelled, failed, or spent on other terms. */
  | { kind: "spent"; reason: Refusal }
  /** Used, without a visible cause: it was used long before the claim, or the node answers from an older block. */
  | { kind: "unseen" }
  | { kind: "unused" };

/** Selector of `authorizationState(address,bytes32)`. */
const AUTHORIZATION_STATE = "0xe94a0102";
/** keccak256 of `AuthorizationCanceled(address,bytes32)`. */
const AUTHORIZATION_CANCELED: Hex = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";

const SPENT: Evidence = { kind: "spent", reason: "authorization_used" };

/** A transfer's place in the chain. */
export const settlementAt = (
  { hash, block, blockHash }: Receipt,
  { logIndex, nth }: Pick<Transfer, "logIndex" | "nth">,
): Settlement => ({ txHash: hash, logIndex, nth, block, blockHash });

/** Blocks below a claim that are searched for a settlement, about an hour on Base: a reorganisation may move it there. */
const MOVED_BLOCKS = 1_800;

/**
 * Searches canonical blocks for a settlement. Its sender and the statements of other parties do not matter.
 * @param claim the claim that it should serve
 * @throws Failure upstream_unavailable
 */
export async function findSettlement(
  chain: Chain,
  expected: Expected,
  claim: Claim,
  confirmations: number,
): Promise<Evidence> {
  const { asset, payer, payee, amountUnits, nonce } = expected;
  if (!(await isUsed(chain, asset, payer, nonce))) return { kind: "unused" };
  const fromBlock = Math.max(0, claim.sinceBlock - 1 - MOVED_BLOCKS);
  const about = (event: Hex) => chain.logs({ address: asset, topics: [event, topicOf(payer), nonce], fromBlock });
  const [used] = await about(AUTHORIZATION_USED);
  if (!used) {
    const [cancelled] = await about(AUTHORIZATION_CANCELED);
    return cancelled ? SPENT : { kind: "unseen" };
  }
  const receipt = await chain.receipt(used.txHash);
  if (receipt === null || receipt.status !== "success") return { kind: "unseen" };
  const transfer = transfersOf(receipt.logs, { token: asset, from: payer, to: payee, values: [amountUnits] }).find(
    (one) => one.nonce === nonce,
  );
  if (!(await isDeepEnough(chain, receipt.block, confirmations))) return { kind: "shallow" };
  if (!transfer) return SPENT;
  const settlement = settlementAt(receipt, transfer);
  // Only a bearer's claim depends on the time of the block.
  if (claim.presentedAt === null) return { kind: "settled", settlement, serves: true };
  const block = await chain.block(receipt.block);
  if (block === null || block.hash !== receipt.blockHash) return { kind: "unseen" };
  const at = { block: receipt.block, blockTime: block.timestamp, sender: receipt.from };
  return { kind: "settled", settlement, serves: serves(claim, at) };
}

/**
 * Searches a transaction for the transfer that answers a challenge.
 * @throws Failure upstream_unavailable
 */
export async function findAnswer(
  chain: Chain,
  expected: Omit<Expected, "nonce"> & Challenged & { hash: Hex },
  confirmations: number,
): Promise<Evidence> {
  const { asset, payer, payee, amountUnits, hash } = expected;
  const receipt = await chain.receipt(hash);
  if (receipt === null) return { kind: "unused" };
  if (!(await isDeepEnough(chain, receipt.block, confirmations))) return { kind: "shallow" };
  if (receipt.status !== "success") return { kind: "spent", reason: "transaction_failed" };
  const asked = { ...expected, token: asset, to: payee, value: amountUnits };
  const transfer = memoTransfers(receipt.logs, asked).find(({ from }) => from === payer);
  if (!transfer) return { kind: "spent", reason: "no_matching_transfer" };
  return { kind: "settled", settlement: settlementAt(receipt, transfer), serves: true };
}

/** Whether an authorization is used or cancelled. @throws Failure upstream_unavailable */
export async function isUsed(chain: Chain, asset: Address, payer: Address, nonce: Hex): Promise<boolean> {
  const data: Hex = `${AUTHORIZATION_STATE}${topicOf(payer).slice(2)}${nonce.slice(2)}`;
  const answer = await chain.call({ to: asset, data });
  return answer.ok && /1$/.test(answer.data);
}

/** Whether a block has enough confirmations; the block itself counts as the first. */
export const isDeepEnough = async (chain: Chain, block: number, confirmations: number): Promise<boolean> =>
  (await chain.headBlock()) - block + 1 >= confirmations;

/**
 * The current place of a transfer that was seen before: the same, another one after a reorganisation, or null.
 * @throws Failure upstream_unavailable
 */
export async function placeNow(
  chain: Chain,
  seen: Omit<Expected, "nonce"> & { txHash: Hex; nth: number },
): Promise<Settlement | null> {
  const receipt = await chain.receipt(seen.txHash);
  if (receipt === null || receipt.status !== "success") return null;
  const asked = { token: seen.asset, from: seen.payer, to: seen.payee, values: [seen.amountUnits] };
  const same = transfersOf(receipt.logs, asked).find(({ nth }) => nth === seen.nth);
  return same ? settlementAt(receipt, same) : null;
}
