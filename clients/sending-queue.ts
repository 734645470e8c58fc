/** Sends transactions of one key one after the other, so that their nonces follow each other without a gap. */
import type { Address, Hex } from "../core/facts.ts";
import { SETTLEMENT_GAS, withMargin } from "../core/gas-bounds.ts";
import { type FeeCaps, firstOffer } from "../core/transaction-fees.ts";
import type { Chain, Signer } from "./ports.ts";

/** A node that has taken a transaction may need so long to count it among the pending ones. */
const LAG_MS = 3_000;
const ATTEMPTS = 3;

export type Send = (to: Address, data: Hex) => Promise<Hex>;

/**
 * @returns sends a call and gives its transaction's hash once a node has taken it; throws when the chain would refuse it,
 *   it needs more gas than a settlement may use, or no node takes it. It is for keys whose transactions may fail: what
 *   must happen goes through the outbox.
 */
export function createSendingQueue(
  chain: Chain,
  signer: Signer,
  { caps, now = Date.now }: { caps: FeeCaps; now?: () => number },
): Send {
  let tail: Promise<unknown> = Promise.resolve();
  let last: { nonce: number; at: number } | undefined;

  async function nextNonce(): Promise<number> {
    const counted = await chain.nonce(signer.address, "pending");
    return last && now() - last.at < LAG_MS ? Math.max(counted, last.nonce + 1) : counted;
  }

  /** The gas limit of a call. It may run a payer's code, for a bounded amount of gas. */
  async function gasLimitOf(to: Address, data: Hex): Promise<bigint> {
    const estimate = await chain.estimateGas({ from: signer.address, to, data, gas: SETTLEMENT_GAS });
    if (!estimate.ok) throw new Error(estimate.reason);
    if (estimate.gas > SETTLEMENT_GAS) throw new Error(`it needs ${estimate.gas} gas, and may use ${SETTLEMENT_GAS}`);
    return withMargin(estimate.gas, SETTLEMENT_GAS);
  }

  async function sendNext(to: Address, data: Hex): Promise<Hex> {
    // Estimated at its turn: the transactions before it may have spent what this one moves.
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
        last = { nonce, at: now() };
        return hash;
      }
      last = undefined;
      if (outcome.kind !== "nonce_used" || attempt === ATTEMPTS)
        throw new Error(`the transaction was not taken: ${outcome.kind}`);
    }
  }

  return async (to, data) => {
    // Estimated before it takes its place too: a call that is refused holds up no other.
    await gasLimitOf(to, data);
    const sent = tail.then(() => sendNext(to, data));
    tail = sent.catch(() => {});
    return sent;
  };
}
