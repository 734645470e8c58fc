/** Finishes what became of payments without their request: settles accounts with the chain, carries out what was bought, watches for reorganisations. */
import { z } from "zod";
import { usdcDomain } from "../../core/payments/token-domain.ts";
import {
  dropLease,
  finalizePayment,
  type Held,
  losePayment,
  owePayment,
  oweReleased,
  releasePayment,
  relocatePayment,
  takeUp,
  unsettlePayment,
} from "../../db/ledger.ts";
import { type Payment, type Settlement, selectPayments } from "../../db/payments.ts";
import { isIndexed, transaction } from "../../db/transaction.ts";
import { wakeSender } from "../../db/wake-sender.ts";
import { carryOut } from "../../payments/effects.ts";
import { isDeepEnough, placeNow } from "../../payments/evidence.ts";
import { bringIn, chainOf, lookFor, type SettlementParts } from "../../payments/settle.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 5_000;
const LEASE_MS = 30_000;
/** A request that was given up by its client may still come back: its payment is left alone for so long. */
const PATIENCE = "20 seconds";
/** An answer that was paid for can be collected for so long. */
const ANSWER_PATIENCE = "24 hours";
/** After the end of an authorization, so long is waited for a block that may still hold it. */
const GRACE_MS = 120_000;
/** Blocks after which nothing is taken back any more. */
const FINAL_BLOCKS = 64;

export const paymentSweep = defineJob({
  name: "payment-sweep",
  concurrency: 1,
  schedule: { everyMs: EVERY_MS },
  input: z.object({}),
  async run(context) {
    const steps = [settleLeft, finishPaid, watchReleased, watchBlocks];
    let changed = 0;
    for (const step of steps) changed += await step(context);
    return changed;
  },
});

/** Takes up each of the payments in turn. @returns how many `work` changed */
async function each(
  { db, log }: JobContext,
  payments: Payment[],
  work: (held: Held) => Promise<boolean>,
): Promise<number> {
  let changed = 0;
  for (const { paymentId, state } of payments) {
    const held = await takeUp(db, paymentId, LEASE_MS);
    if (!held) continue;
    try {
      // Its request may have come back and finished it since it was selected.
      if (held.payment.state === state && (await work(held))) changed++;
    } catch (err) {
      log.warn({ err, paymentId }, "a payment could not be brought further");
    } finally {
      await dropLease(db, { paymentId, lease: held.lease });
    }
  }
  return changed;
}

/** Payments whose request has gone: looked for on the chain, released once their authorization is void. */
async function settleLeft(context: JobContext): Promise<number> {
  const { db } = context;
  const left = await selectPayments(
    db,
    `state in ('new', 'settling') and updated_at < clock_timestamp() - interval '${PATIENCE}'
     and (lease_until is null or lease_until < clock_timestamp())`,
  );
  return each(context, left, async (held) => {
    const { payment, lease } = held;
    const result = await bringIn(looking(context), held, 0);
    if (result.kind !== "pending") return true;
    if (payment.credential === null) return false;
    const end = payment.validBefore?.getTime() ?? Number.POSITIVE_INFINITY;
    if (end + GRACE_MS > context.clock().getTime()) return false;
    const { kind } = await lookFor(looking(context), payment);
    if (kind !== "unused") return false;
    return (await releasePayment(db, { paymentId: payment.paymentId, lease }, "expired")) !== null;
  });
}

/** Whoever gave up waiting is not charged behind its back: it is only looked where the money is. */
const looking = ({ db, chain, machinePayments = null, config, fault }: JobContext): SettlementParts => ({
  db,
  chain,
  facilitator: null,
  machinePayments,
  onlyLooks: true,
  domain: usdcDomain(config.chain.id, config.contracts.usdc.address),
  confirmations: config.payments.confirmations,
  fault,
});

/** Paid, and the effect was not done: it is done now, or owed. */
async function finishPaid(context: JobContext): Promise<number> {
  const { db, clock } = context;
  if (!(await isIndexed(db))) return 0;
  const paid = await selectPayments(
    db,
    `state = 'paid' and (lease_until is null or lease_until < clock_timestamp())
     and updated_at < clock_timestamp() - case when effect is null then interval '${ANSWER_PATIENCE}' else interval '${PATIENCE}' end`,
  );
  return each(context, paid, async ({ payment }) => {
    const { paymentId, effect } = payment;
    if (effect !== null) {
      const done = await transaction(db, (tx) => carryOut(tx, payment, clock()));
      wakeSender(db);
      return done;
    }
    return owePayment(db, { paymentId }, "answer_not_collected").then((owed) => owed !== null);
  });
}

/** A released authorization may be settled by whoever has seen it, until it is void: then its money is owed. */
async function watchReleased(context: JobContext): Promise<number> {
  const { db } = context;
  const released = await selectPayments(
    db,
    `state = 'released' and credential is not null and valid_before > clock_timestamp() - interval '${GRACE_MS} ms'`,
  );
  return each(context, released, async ({ payment }) => {
    const evidence = await lookFor(looking(context), payment);
    if (evidence.kind !== "settled") return false;
    return (await oweReleased(db, payment, evidence.settlement)) !== null;
  });
}

/** Transfers that are not final yet: still there, moved, to be settled again, or lost. */
async function watchBlocks(context: JobContext): Promise<number> {
  const { db, log } = context;
  const open = await selectPayments(db, "block is not null and final_at is null and state <> 'lost'");
  let changed = 0;
  for (const payment of open) {
    try {
      if (await watchBlock(context, payment)) changed++;
    } catch (err) {
      // One chain that cannot be asked keeps nobody from the other.
      log.warn({ err, paymentId: payment.paymentId }, "the block of a payment could not be looked for");
    }
  }
  return changed;
}

/** @returns whether the payment's row was changed */
async function watchBlock(context: JobContext, payment: Payment): Promise<boolean> {
  const { db, log } = context;
  const chain = chainOf(looking(context), payment);
  const { paymentId, txHash, nth, blockHash, block, state, method } = payment;
  const seen = { ...payment, txHash: txHash!, nth: nth! };
  const place = (await placeNow(chain, seen)) ?? (await settledAnew(context, payment));
  if (place?.blockHash === blockHash) {
    if (!(await isDeepEnough(chain, block!, FINAL_BLOCKS))) return false;
    await finalizePayment(db, paymentId);
  } else if (place) {
    await relocatePayment(db, payment, place);
  } else if (state === "paid") {
    // Whoever comes back with the same payment has it settled, or its transaction looked for, again.
    await unsettlePayment(db, paymentId);
    if (method === "transaction") await releasePayment(db, { paymentId }, "reorganised_away");
  } else if (await isDeepEnough(chain, block!, FINAL_BLOCKS)) {
    await losePayment(db, paymentId, "reorganised_away");
  } else {
    log.error({ paymentId, txHash, state }, "the transfer of a payment is no longer in the chain");
    return false;
  }
  return true;
}

/** Where another transaction has settled the same authorization, since the one that was seen is gone. */
async function settledAnew(context: JobContext, payment: Payment): Promise<Settlement | null> {
  if (payment.method !== "x402" || payment.credential === null) return null;
  const evidence = await lookFor(looking(context), payment);
  return evidence.kind === "settled" ? evidence.settlement : null;
}
