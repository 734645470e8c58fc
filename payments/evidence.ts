/** The evidence of the service's own node about a payment: whether its authorization is used, and where its money moved. */
import type { Chain, Log, Receipt } from "../clients/ports.ts";
import type { Hex } from "../core/agents/facts.ts";
import { fail } from "../core/errors.ts";
import { type MemoChallenge, memoTransfers } from "../core/payments/challenges.ts";
import { type RequestClaim, serves } from "../core/payments/claims.ts";
import type { Refusal } from "../core/payments/refusals.ts";
import { AUTHORIZATION_USED, type Transfer, topicOf, transfersOf } from "../core/payments/transfers.ts";
import type { PaymentTerms, Settlement } from "../db/payments/payments.ts";

/** The transfer an authorization should cause. */
export type ExpectedTransfer = Pick<PaymentTerms, "asset" | "payer" | "payee" | "amountUnits"> & { nonce: Hex };

export type Evidence =
  /** `serves`: whether the settlement may serve the claim; otherwise only its payer may use the money. */
  | { kind: "settled"; settlement: Settlement; serves: boolean }
  /** It is preconfirmed, or in a block that needs more confirmations. `early`: what it is if it gets them; null when unknown. */
  | { kind: "shallow"; early: { settlement: Settlement; serves: boolean } | null }
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
/** Blocks below a claim that are searched first; with those since the claim they fit one request of every node. */
const NEAR_BLOCKS = 4;

/** Where a settlement is looked for. */
export type Search = {
  /** Hash of the transaction that is said to have settled it; the chain decides, so a wrong one changes nothing. */
  hint?: Hex | undefined;
  /** Whether blocks below the claim are searched too, where a reorganisation may have moved the settlement. */
  moved: boolean;
  /** Number of the block at which the authorization's state is read; without one it is the latest that a node has. */
  block?: number;
};

/**
 * Searches canonical blocks for a settlement. Its sender and the statements of other parties do not matter.
 * @param claim the claim that it should serve
 * @throws Failure upstream_unavailable
 */
export async function findSettlement(
  chain: Chain,
  expected: ExpectedTransfer,
  claim: RequestClaim,
  confirmations: number,
  { hint, moved, block }: Search = { moved: true },
): Promise<Evidence> {
  const { asset, payer, nonce } = expected;
  const [isSpent, hinted] = await Promise.all([
    isUsed(chain, { asset, payer, nonce }, block),
    hint === undefined ? null : chain.earlyReceipt(hint),
  ]);
  if (hinted && transferIn(hinted, expected)) return evidenceOf(chain, hinted, expected, { claim, confirmations });
  if (!isSpent) return { kind: "unused" };
  const log = await findUse(chain, expected, claim, moved);
  const receipt = log && (await chain.receipt(log.txHash));
  // Of two answers the receipt counts: the logs may be those of a chain that was reorganised meanwhile.
  if (receipt?.status !== "success" || !receipt.logs.some((one) => isUse(one, expected))) return { kind: "unseen" };
  return evidenceOf(chain, receipt, expected, { claim, confirmations });
}

/** The log of the authorization's use or cancellation: first in the blocks since the claim, then in those below it. */
async function findUse(
  chain: Chain,
  { asset, payer, nonce }: ExpectedTransfer,
  { sinceBlock }: RequestClaim,
  moved: boolean,
) {
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], topicOf(payer), nonce];
  const since = Math.max(0, sinceBlock - NEAR_BLOCKS);
  const [recent] = await chain.logs({ address: asset, topics, fromBlock: since });
  if (recent || !moved || since === 0) return recent ?? null;
  const fromBlock = Math.max(0, since - MOVED_BLOCKS);
  const [older] = await chain.logs({ address: asset, topics, fromBlock, toBlock: since - 1 });
  return older ?? null;
}

const isUse = ({ address, topics: [event, by, id] }: Log, { asset, payer, nonce }: ExpectedTransfer): boolean =>
  address === asset &&
  (event === AUTHORIZATION_USED || event === AUTHORIZATION_CANCELED) &&
  by === topicOf(payer) &&
  id?.toLowerCase() === nonce.toLowerCase();

/** The expected transfer in a successful transaction, caused by the authorization. */
const transferIn = ({ status, logs }: Receipt, { asset, payer, payee, amountUnits, nonce }: ExpectedTransfer) =>
  status === "success"
    ? transfersOf(logs, { token: asset, from: payer, to: payee, values: [amountUnits] }).find(
        (one) => one.nonce === nonce,
      )
    : undefined;

/** What the transaction that used up the authorization means. */
async function evidenceOf(
  chain: Chain,
  receipt: Receipt,
  expected: ExpectedTransfer,
  { claim, confirmations }: { claim: RequestClaim; confirmations: number },
): Promise<Evidence> {
  const [isDeep, block] = await Promise.all([
    isDeepEnough(chain, receipt.block, confirmations),
    chain.block(receipt.block),
  ]);
  const transfer = transferIn(receipt, expected);
  // The node is between two branches, or between a preconfirmation and its block.
  if (block !== null && block.hash !== receipt.blockHash) return { kind: "shallow", early: null };
  if (!transfer) return block !== null && isDeep ? SPENT : { kind: "shallow", early: null };
  // The time of a block that is not complete yet is at least its parent's.
  const time = (block ?? (await chain.block(receipt.block - 1)))?.timestamp;
  if (time === undefined) return { kind: "shallow", early: null };
  const at = { block: receipt.block, blockTime: time, sender: receipt.from };
  // Only a bearer's claim depends on the time of the block.
  const early = { settlement: settlementAt(receipt, transfer), serves: serves(claim, at) };
  return block !== null && isDeep ? { kind: "settled", ...early } : { kind: "shallow", early };
}

/**
 * Searches a transaction for the transfer that answers a challenge.
 * @throws Failure upstream_unavailable
 */
export async function findAnswer(
  chain: Chain,
  expected: Omit<ExpectedTransfer, "nonce"> & MemoChallenge & { hash: Hex },
  confirmations: number,
): Promise<Evidence> {
  const { asset, payer, payee, amountUnits, hash } = expected;
  const receipt = await chain.receipt(hash);
  if (receipt === null) return { kind: "unused" };
  if (!(await isDeepEnough(chain, receipt.block, confirmations))) return { kind: "shallow", early: null };
  if (receipt.status !== "success") return { kind: "spent", reason: "transaction_failed" };
  const asked = { ...expected, token: asset, to: payee, value: amountUnits };
  const transfer = memoTransfers(receipt.logs, asked).find(({ from }) => from === payer);
  if (!transfer) return { kind: "spent", reason: "no_matching_transfer" };
  return { kind: "settled", settlement: settlementAt(receipt, transfer), serves: true };
}

/**
 * Whether an authorization is used or cancelled.
 * @param block at which that is read; without one at the latest that a node has
 * @throws Failure upstream_unavailable, also when a node answers without a truth value: it has not got the token's state
 */
async function isUsed(
  chain: Chain,
  { asset, payer, nonce }: Pick<ExpectedTransfer, "asset" | "payer" | "nonce">,
  block?: number,
): Promise<boolean> {
  const data: Hex = `${AUTHORIZATION_STATE}${topicOf(payer).slice(2)}${nonce.slice(2)}`;
  const answer = await chain.call({ to: asset, data }, block);
  if (answer.ok && /^0x0*[01]$/.test(answer.data)) return answer.data.endsWith("1");
  const sentence = "The chain's nodes cannot say whether this payment is used. Please try again later.";
  return fail("upstream_unavailable", sentence, { retryAfter: 5 });
}

/** Whether a block has enough confirmations; the block itself counts as the first. */
export const isDeepEnough = async (chain: Chain, block: number, confirmations: number): Promise<boolean> =>
  confirmations <= 1 || (await chain.headBlock()) - block + 1 >= confirmations;

/**
 * The current place of a transfer that was seen before: the same, another one after a reorganisation, or null.
 * @throws Failure upstream_unavailable
 */
export async function placeNow(
  chain: Chain,
  seen: Omit<ExpectedTransfer, "nonce"> & { txHash: Hex; nth: number },
): Promise<Settlement | null> {
  const receipt = await chain.receipt(seen.txHash);
  if (receipt === null || receipt.status !== "success") return null;
  const query = { token: seen.asset, from: seen.payer, to: seen.payee, values: [seen.amountUnits] };
  const same = transfersOf(receipt.logs, query).find(({ nth }) => nth === seen.nth);
  return same ? settlementAt(receipt, same) : null;
}
