/** Sends the transactions of one key one after the other, so that their nonces have no gaps. */
import pLimit from "p-limit";
import type { Address, Hex } from "../core/agents/facts.ts";
import { SETTLEMENT_GAS, withMargin } from "../core/transactions/gas-bounds.ts";
import { type FeeCaps, firstOffer } from "../core/transactions/transaction-fees.ts";
import type { Chain, Signer } from "./ports.ts";

/** Max milliseconds until a node counts an accepted transaction as pending; after that the node has lost it. */
const LAG_MS = 3_000;
const MAX_ATTEMPTS = 3;

export type Send = (to: Address, data: Hex) => Promise<Hex>;

/**
 * Check then write: the estimate, then nonce and send; the balance may be spent before its turn: estimated again at its
 * turn, and the nonce is read in the serial part.
 * @returns a function that sends a call and returns its transaction's hash once a node has accepted it. It throws when the
 *   chain would refuse the call, when it needs more gas than a settlement may use, or when no node accepts it. Use it for
 *   transactions that may fail; those that must happen go through the transaction outbox.
 */
export function createSendingQueue(
  chain: Chain,
  signer: Signer,
  { caps, now = Date.now }: { caps: FeeCaps; now?: () => number },
): Send {
  const inTurn = pLimit(1);
  /** When the transaction of each nonce was accepted, in the order of the nonces. */
  const accepted = new Map<number, number>();

  /**
   * The nonce behind the accepted transactions. If a node does not count one of them LAG_MS after it was accepted, it has
   * lost that transaction: its nonce is used again, because every later transaction waits for it.
   */
  async function nextNonce(): Promise<number> {
    const counted = await chain.nonce(signer.address, "pending");
    const old = now() - LAG_MS;
    const isLagging = (accepted.get(counted) ?? old) > old;
    for (const [nonce, at] of accepted) if (at <= old || (nonce > counted && !isLagging)) accepted.delete(nonce);
    return isLagging ? Math.max(...accepted.keys()) + 1 : counted;
  }

  /** The gas limit of a call. The call may run a payer's contract code within this limit. */
  async function gasLimitOf(to: Address, data: Hex): Promise<bigint> {
    const estimate = await chain.estimateGas({ from: signer.address, to, data, gas: SETTLEMENT_GAS });
    if (!estimate.ok) throw new Error(estimate.reason);
    if (estimate.gas > SETTLEMENT_GAS) throw new Error(`it needs ${estimate.gas} gas, and may use ${SETTLEMENT_GAS}`);
    return withMargin(estimate.gas, SETTLEMENT_GAS);
  }

  async function sendNext(to: Address, data: Hex): Promise<Hex> {
    // Estimated at its turn, because the transactions before it may have spent the money that this one moves.
    const gasLimit = await gasLimitOf(to, data);
    const offer = firstOffer(await chain.fees(), caps);
    for (let attempt = 1; ; attempt++) {
      const nonce = await nextNonce();
      const { raw, hash } = await signer.sign({
        nonce,
        to,
        data,
        valueWei: 0n,
        gasLimit,
        ...offer,
      });
      const outcome = await chain.send(raw);
      if (outcome.kind === "accepted" || outcome.kind === "known") {
        accepted.set(nonce, now());
        return hash;
      }
      accepted.clear();
      if (outcome.kind !== "nonce_used" || attempt === MAX_ATTEMPTS)
        throw new Error(`the transaction was not taken: ${outcome.kind}`);
    }
  }

  return async (to, data) => {
    // Estimated before it is queued too, so that a refused call does not delay others.
    await gasLimitOf(to, data);
    return inTurn(sendNext, to, data);
  };
}
