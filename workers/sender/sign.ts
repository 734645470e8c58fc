/** queued → signed: simulate, decide the nonces, sign, store all of it, and only then broadcast. */
import type { Revert } from "../../clients/ports.ts";
import { Failure } from "../../core/errors.ts";
import type { Hex } from "../../core/facts.ts";
import { transaction } from "../../db/transaction.ts";
import {
  type Intent,
  type NewAttempt,
  nextOwnNonce,
  queuedIntents,
  storeFailure,
  storeSigned,
} from "../../db/tx-outbox.ts";
import { span } from "../../tracing.ts";
import { effectOf } from "../intents.ts";
import { revertReason } from "../revert-reason.ts";
import { broadcast } from "./broadcast.ts";
import { type Fees, firstOffer } from "./fees.ts";
import type { SenderSession } from "./session.ts";

type Ready = { intent: Intent; gasLimit: bigint };

/** Gas beyond the estimate, for what changes between simulation and inclusion. */
const withMargin = (gas: bigint) => (gas * 13n) / 10n;

/**
 * Sends the oldest queued intents, as far as `room` (transactions) and `spendableWei` allow. A refusal by simulation
 * ends an intent before it has a nonce; trouble of the node leaves it queued for the next round.
 * @returns how many were signed
 */
export async function signQueued(
  session: SenderSession,
  { room, spendableWei, head }: { room: number; spendableWei: bigint; head: number },
): Promise<number> {
  const queued = room > 0 ? await queuedIntents(session.db, room) : [];
  if (queued.length === 0) return 0;
  const simulated = await Promise.all(
    queued.map((intent) =>
      span("transaction simulate", { kind: "consumer", parent: intent.trace, root: true }, () =>
        simulate(session, intent),
      ),
    ),
  );
  session.fault("sender.after-simulation");
  const ready: Ready[] = [];
  for (const [n, result] of simulated.entries()) {
    const intent = queued[n]!;
    if (result === null) continue;
    const outdated = await effectOf(intent.intentKey, session.options.effects)?.refusal?.(session.db, intent);
    if (outdated) await refuse(session, intent, outdated);
    else if (result.ok) ready.push({ intent, gasLimit: withMargin(result.gas) });
    else await refuse(session, intent, revertReason(result));
  }
  if (ready.length === 0) return 0;

  const offer = firstOffer(await session.chain.fees(), session.options.maxFeePerGasWei);
  const payable = affordable(ready, offer, spendableWei);
  if (payable.length < ready.length) {
    session.unfunded = true;
    session.log.warn({ waiting: ready.length - payable.length }, "not enough gas funds for the queue");
  }
  if (payable.length === 0) return 0;

  const signed = await sign(session, payable, offer);
  await broadcast(
    session,
    signed.map((attempt) => ({ ...attempt, broadcastAt: null, broadcastBlock: null })),
    head,
  );
  return signed.length;
}

/** Would it work now, and for how much gas? Null when the node could not be asked. */
async function simulate(session: SenderSession, intent: Intent): Promise<{ ok: true; gas: bigint } | Revert | null> {
  const call = { from: session.signer.address, to: intent.to, data: intent.data, valueWei: intent.valueWei };
  try {
    const [result, estimate] = await Promise.all([session.chain.call(call), session.chain.estimateGas(call)]);
    // The call is asked too because some nodes answer an estimate of a refused call without the contract's error.
    return result.ok ? estimate : result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    session.log.warn({ intent: intent.intentKey, cause: error.options.cause }, "simulation not possible now");
    return null;
  }
}

async function refuse(session: SenderSession, intent: Intent, reason: string): Promise<void> {
  session.log.info({ intent: intent.intentKey, reason }, "intent refused before it was signed");
  await transaction(session.db, async (tx) => {
    if (!(await storeFailure(tx, intent.id, reason))) return;
    await effectOf(intent.intentKey, session.options.effects)?.failed(tx, intent, reason, session.clock());
  });
}

/** The oldest intents that the account can pay for, in order: none overtakes one that is too expensive. */
function affordable(ready: Ready[], offer: Fees, spendableWei: bigint): Ready[] {
  let left = spendableWei;
  const end = ready.findIndex(({ intent, gasLimit }) => {
    left -= gasLimit * offer.maxFeePerGasWei + intent.valueWei;
    return left < 0n;
  });
  return end === -1 ? ready : ready.slice(0, end);
}

/**
 * Gives each intent the next nonce and stores nonce and bytes of all of them in one transaction. A crash before its
 * commit leaves nothing behind; from the commit on the bytes are sent until the chain has decided.
 */
async function sign(session: SenderSession, payable: Ready[], offer: Fees): Promise<NewAttempt[]> {
  const { db, chain, signer, clock, fault } = session;
  const counts = await Promise.all([
    chain.nonce(signer.address, "latest"),
    chain.nonce(signer.address, "pending"),
    nextOwnNonce(db, signer.address),
  ]);
  const first = Math.max(...counts);
  fault("sender.after-nonce");
  const attempts = await Promise.all(
    payable.map(({ intent, gasLimit }, n) => signAttempt(session, { ...intent, gasLimit, nonce: first + n }, offer)),
  );
  await transaction(db, async (tx) => {
    const signed = payable.map(({ intent, gasLimit }, n) => ({ intentId: intent.id, gasLimit, attempt: attempts[n]! }));
    await storeSigned(tx, { sender: signer.address, at: clock(), signed });
    fault("sender.before-store");
  });
  fault("sender.after-sign");
  return attempts;
}

/** Signs what an intent says, at its nonce and for an offer. */
export async function signAttempt(
  session: SenderSession,
  intent: Pick<Intent, "to" | "data" | "valueWei"> & { nonce: number; gasLimit: bigint },
  offer: Fees,
): Promise<NewAttempt> {
  const { nonce, to, data, valueWei, gasLimit } = intent;
  const { raw, hash } = await session.signer.sign({ nonce, to, data: data as Hex, valueWei, gasLimit, ...offer });
  return { hash, nonce, raw, ...offer };
}
