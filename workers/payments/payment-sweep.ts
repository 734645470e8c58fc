/** Finishes payments whose request has ended: compares them with the chain, carries out their effects, watches for reorganisations. */
import type { Block, Chain } from "../../clients/ports.ts";
import { usdcDomain } from "../../core/payments/authorization.ts";
import {
  type Lease,
  losePayment,
  owePayment,
  oweReleased,
  releasePayment,
  relocatePayment,
  unsettlePayment,
} from "../../db/payments/ledger.ts";
import {
  abandonedPayments,
  closeUnwatched,
  dropLease,
  finalizePayment,
  forgetReleased,
  markSwept,
  releasedPayments,
  revocablePayments,
  takeUp,
  unfinishedPayments,
} from "../../db/payments/payment-leases.ts";
import type { Payment, Settlement } from "../../db/payments/payments.ts";
import { isIndexed, transaction } from "../../db/sql/transaction.ts";
import { notifySender } from "../../db/transactions/notify-sender.ts";
import { carryOut } from "../../payments/effects.ts";
import { type Evidence, isDeepEnough, placeNow } from "../../payments/evidence.ts";
import type { SettlementParts } from "../../payments/methods/method.ts";
import { methodOf, PAYMENT_METHODS } from "../../payments/methods.ts";
import { bringIn, chainOf, configuredChains, lookFor } from "../../payments/settle.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 5_000;
const LEASE_MS = 30_000;
/** Time without a change after which the sweep takes up a payment: before that its client may return. */
const UNCHANGED_INTERVAL = "20 seconds";
/** Time in which a paid answer can be collected. */
const UNANSWERED_INTERVAL = "24 hours";
/** Milliseconds of the chain's time after the end of an authorization in which another branch may still contain it. */
const GRACE_MS = 120_000;
/** Time after its end at which the sweep ends the watch of a released authorization, also when no read of the chain succeeded. */
const WATCHED = "24 hours";
/** The same for an authorization that is used and in no block that was found. */
const UNSEEN_MS = 3_600_000;
/** Blocks after which a transfer is final. */
const FINAL_BLOCKS = 64;
/** Blocks after which a preconfirmed transfer that is in none of them has vanished. */
const EARLY_BLOCKS = 10;

/**
 * One item: a payment without progress is caught by itself; three failures of a chain end its step, and it is checked
 * last the next time.
 * One item: an error of the database in a step ends the run; the next one begins 5 s later.
 * Resumes: at the payments checked least recently, so that all rows take turns; released rows are given up 24 h after
 * their end.
 */
export const paymentSweep = defineJob({
  name: "payment-sweep",
  schedule: { everyMs: EVERY_MS, readsPayments: true },
  async run(context) {
    const steps = [settleLeft, finishPaid, watchReleased, watchBlocks, closeLeft];
    let changed = 0;
    for (const step of steps) changed += await step(context);
    return changed;
  },
});

/** Failed reads of one chain after which a step leaves its other payments for the next run: each may take seconds. */
const MAX_FAILURES = 3;

/**
 * Runs `work` for each payment in turn. A failed payment counts as read, and comes last in the next run.
 * @returns number of payments that `work` changed
 */
async function each(
  { log }: JobContext,
  payments: Payment[],
  work: (payment: Payment) => Promise<boolean>,
): Promise<number> {
  const failures = new Map<number, number>();
  let changed = 0;
  for (const payment of payments) {
    const { paymentId, chainId } = payment;
    const failed = failures.get(chainId) ?? 0;
    if (failed >= MAX_FAILURES) continue;
    try {
      if (await work(payment)) changed++;
    } catch (err) {
      failures.set(chainId, failed + 1);
      log.warn({ err, paymentId }, "a payment could not be continued; the next run tries again");
    }
  }
  return changed;
}

/** Takes up each payment in turn. @returns number of payments that `work` changed */
const eachLeased = (
  context: JobContext,
  payments: Payment[],
  work: (lease: Lease) => Promise<boolean>,
): Promise<number> =>
  each(context, payments, async ({ paymentId, state }) => {
    const lease = await takeUp(context.db, paymentId, LEASE_MS);
    if (!lease) return false;
    try {
      // Its request may have returned and finished it since it was selected.
      return lease.payment.state === state && (await work(lease));
    } finally {
      await dropLease(context.db, { paymentId, leaseId: lease.leaseId });
    }
  });

/** Ids of the configured chains; payments of others cannot be read. */
const chainIds = (context: JobContext): number[] => configuredChains(looking(context)).map(({ id }) => id);

/**
 * Payments whose request has ended: read from the chain, and released once their authorization is void.
 * Check then write: what the chain says, then release, owe or carry out (also `finishPaid`, `watchReleased`); the
 * request may come back: `takeUp` is a lease, and the state is compared after it and in each write. An authorization is
 * void by the time of a block, and unused in that block.
 */
async function settleLeft(context: JobContext): Promise<number> {
  const { db } = context;
  const left = await abandonedPayments(db, { chains: chainIds(context), patience: UNCHANGED_INTERVAL });
  return eachLeased(context, left, async (lease) => {
    const { payment, leaseId } = lease;
    const result = await bringIn(looking(context), lease, 0);
    if (result.kind !== "pending") return true;
    const { evidence, isVoid } = await lookAtEnd(context, payment);
    if (!isVoid || evidence.kind === "shallow" || evidence.kind === "settled") return false;
    const reason = evidence.kind === "unused" ? "expired" : "authorization_used";
    return (await releasePayment(db, { paymentId: payment.paymentId, leaseId }, reason)) !== null;
  });
}

/** The sweep only reads where the money is: a client that stopped waiting is not charged afterwards. */
const looking = ({ db, chain, mpp = null, paymentMethods, config, fault }: JobContext): SettlementParts => ({
  db,
  chain,
  facilitator: null,
  mpp,
  methods: paymentMethods ?? PAYMENT_METHODS,
  onlyLooks: true,
  domain: usdcDomain(config.chain.id, config.contracts.usdc.address),
  confirmations: config.payments.confirmations,
  // No client waits for the sweep.
  earlyUnits: 0n,
  fault,
});

/** Paid payments without their effect: carries out the effect, or makes the payment a credit. */
async function finishPaid(context: JobContext): Promise<number> {
  const { db, clock } = context;
  if (!(await isIndexed(db))) return 0;
  const paid = await unfinishedPayments(db, {
    effectPatience: UNCHANGED_INTERVAL,
    answerPatience: UNANSWERED_INTERVAL,
  });
  return eachLeased(context, paid, async (lease) => {
    const { payment, leaseId } = lease;
    if (payment.effect !== null) {
      const done = await transaction(db, (tx) => carryOut(tx, lease, clock()));
      notifySender(db);
      return done;
    }
    return (await owePayment(db, { paymentId: payment.paymentId, leaseId }, "answer_not_collected")) !== null;
  });
}

/**
 * Any account that has seen a released authorization may settle it until it is void. Then the money is owed to the payer.
 * The authorization is watched until one read after its end succeeded.
 */
async function watchReleased(context: JobContext): Promise<number> {
  const { db } = context;
  const released = await releasedPayments(db, { chains: chainIds(context), watched: WATCHED });
  return eachLeased(context, released, async ({ payment, leaseId }) => {
    const who = { paymentId: payment.paymentId, leaseId };
    const { evidence, isVoid } = await lookAtEnd(context, payment);
    if (evidence.kind === "settled")
      return (await oweReleased(db, who, payment, evidence.settlement, evidence.serves)) !== null;
    if (isVoid && evidence.kind !== "shallow") await forgetReleased(db, who);
    return false;
  });
}

/**
 * The evidence for a payment, and whether no block can contain its settlement any more. The time of the chain's blocks
 * decides that, because this process's clock may be ahead, and the state is read at the block whose time was read, because
 * the next node asked may be behind.
 * @throws Failure upstream_unavailable
 */
async function lookAtEnd(context: JobContext, payment: Payment): Promise<{ evidence: Evidence; isVoid: boolean }> {
  const parts = looking(context);
  // A clock that is behind only delays the end.
  if (context.clock() < (payment.validBefore ?? 0)) return { evidence: await lookFor(parts, payment), isVoid: false };
  const head = await chainOf(parts, payment).block("latest");
  const overMs = msOver(payment, head);
  const evidence = await lookFor(parts, payment, { moved: true, ...(head && { block: head.number }) });
  // Used, but in no block that was found: the node may be between two branches.
  return { evidence, isVoid: overMs > (evidence.kind === "unseen" ? UNSEEN_MS : GRACE_MS) };
}

/** Milliseconds by the time of the chain's blocks since the end of a payment's authorization; negative before it. */
const msOver = ({ validBefore }: Payment, head: Block | null): number =>
  head && validBefore ? head.timestamp * 1000 - validBefore.getTime() : Number.NEGATIVE_INFINITY;

/** Transfers that are not final yet: unchanged, moved, to be settled again, or lost. */
async function watchBlocks(context: JobContext): Promise<number> {
  const { db } = context;
  const open = await revocablePayments(db, chainIds(context));
  return each(context, open, async (payment) => {
    await markSwept(db, { paymentId: payment.paymentId });
    return watchBlock(context, payment);
  });
}

/** Payments of chains that are not configured any more. */
async function closeLeft(context: JobContext): Promise<number> {
  const closed = await closeUnwatched(context.db, { chains: chainIds(context) });
  if (closed > 0) context.log.warn({ closed }, "payments of chains that are not configured any more were closed");
  return closed;
}

/**
 * Check then write: where the transfer is now, then relocate, unsettle, lose or finalize; another run or the request
 * may write: guarded update on the block hash as seen, and the state.
 * Check then write: a payment accepted early has its confirmations or vanished, then relocate (`early_at` null),
 * unsettle or lose; its preconfirmed block may come late or never: guarded update on the block hash as seen. The sweep
 * carries out no effect before, and ten blocks pass before it has vanished.
 * @returns whether the payment's row was changed
 */
async function watchBlock(context: JobContext, payment: Payment): Promise<boolean> {
  const { db, log } = context;
  const chain = chainOf(looking(context), payment);
  const { paymentId, txHash, nth, blockHash, block, state } = payment;
  const seen = { ...payment, txHash: txHash!, nth: nth! };
  const place = (await placeNow(chain, seen)) ?? (await settledAnew(context, payment));
  if (payment.earlyAt !== null) {
    if (place) return (await isConfirmed(context, chain, place)) && relocatePayment(db, payment, place);
    if (!(await isDeepEnough(chain, block!, EARLY_BLOCKS))) return false;
  }
  // Each of these writes changes the row only where it still has the block that was read.
  if (place?.blockHash === blockHash)
    return (await isDeepEnough(chain, block!, FINAL_BLOCKS)) && finalizePayment(db, payment);
  if (place) return relocatePayment(db, payment, place);
  // A request with the same payment settles it again, or finds its transaction again.
  if (state === "paid") return (await unsettlePayment(db, payment)) !== null;
  if (!(await mayBeSettledAgain(chain, payment)) && (await isDeepEnough(chain, block!, FINAL_BLOCKS))) {
    // The refund is done: no one has a claim on this payment.
    if (state === "refunded") return finalizePayment(db, payment);
    return (await losePayment(db, payment, "reorganised_away")) !== null;
  }
  log.error({ paymentId, txHash, state }, "the transfer of a payment is no longer in the chain");
  return false;
}

/** Whether anyone who has the authorization of a vanished transfer may still bring it onto the chain. */
const mayBeSettledAgain = async (chain: Chain, payment: Payment): Promise<boolean> =>
  payment.credential !== null &&
  payment.validBefore !== null &&
  msOver(payment, await chain.block("latest")) < GRACE_MS;

/** Whether a transfer has its confirmations, in the block that was found: a node may have answered with a preconfirmation. */
async function isConfirmed({ config }: JobContext, chain: Chain, { block, blockHash }: Settlement): Promise<boolean> {
  if (!(await isDeepEnough(chain, block, config.payments.confirmations))) return false;
  return (await chain.block(block))?.hash === blockHash;
}

/** The place where another transaction settled the same authorization after the earlier one disappeared. */
async function settledAnew(context: JobContext, payment: Payment): Promise<Settlement | null> {
  const parts = looking(context);
  if (!methodOf(parts, payment)?.isPublic || payment.credential === null) return null;
  const evidence = await lookFor(parts, payment);
  return evidence.kind === "settled" ? evidence.settlement : null;
}
