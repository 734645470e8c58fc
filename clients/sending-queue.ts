/** Sends transactions of one key one after the other, so that their nonces follow each other without a gap. */
import type { Address, Hex } from "../core/facts.ts";
import type { Chain, Signer } from "./ports.ts";

/** Gas beyond the node's estimate: the state may differ a little in the block it gets into. */
const GAS_HEADROOM = 120n;
/** A node that has taken a transaction may need so long to count it among the pending ones. */
const LAG_MS = 3_000;
const ATTEMPTS = 3;

export type Send = (to: Address, data: Hex) => Promise<Hex>;

/**
 * @returns sends a call and gives its transaction's hash once a node has taken it; throws when the chain would refuse it
 *   or no node takes it. It is for keys whose transactions may fail: what must happen goes through the outbox.
 */
export function createSendingQueue(chain: Chain, signer: Signer, now: () => number = Date.now): Send {
  let tail: Promise<unknown> = Promise.resolve();
  let last: { nonce: number; at: number } | undefined;

  async function nextNonce(): Promise<number> {
    const counted = await chain.nonce(signer.address, "pending");
    return last && now() - last.at < LAG_MS ? Math.max(counted, last.nonce + 1) : counted;
  }

  async function sendNext(to: Address, data: Hex): Promise<Hex> {
    const [estimate, fees] = await Promise.all([chain.estimateGas({ from: signer.address, to, data }), chain.fees()]);
    if (!estimate.ok) throw new Error(estimate.reason);
    for (let attempt = 1; ; attempt++) {
      const nonce = await nextNonce();
      const { raw, hash } = await signer.sign({
        nonce,
        to,
        data,
        valueWei: 0n,
        gasLimit: (estimate.gas * GAS_HEADROOM) / 100n,
        maxFeePerGasWei: fees.baseFeePerGasWei * 2n + fees.priorityFeePerGasWei,
        maxPriorityFeePerGasWei: fees.priorityFeePerGasWei,
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

  return (to, data) => {
    const sent = tail.then(() => sendNext(to, data));
    tail = sent.catch(() => {});
    return sent;
  };
}
