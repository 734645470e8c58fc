/** queued → signed: simulates, assigns nonces, signs, stores nonces and bytes, and only then broadcasts. */
import type { Abi } from "viem";
import { decodeErrorResult } from "viem/utils";
import { credRootsAbi } from "../../../abis/cred-roots.ts";
import { identityAbi } from "../../../abis/identity.ts";
import type { Revert } from "../../../clients/ports.ts";
import type { Hex } from "../../../core/agents/facts.ts";
import { Failure } from "../../../core/errors.ts";
import { quoted } from "../../../core/quoted.ts";
import { intentGasBound, withMargin } from "../../../core/transactions/gas-bounds.ts";
import { type Fees, firstOffer } from "../../../core/transactions/transaction-fees.ts";
import { transaction } from "../../../db/sql/transaction.ts";
import {
  type NewAttempt,
  nextOwnNonce,
  type SignedIntent,
  storeSigned,
  takeOver,
} from "../../../db/transactions/signed-transactions.ts";
import { type Intent, queuedIntents } from "../../../db/transactions/transaction-outbox.ts";
import { span } from "../../../runtime/tracing.ts";
import { effectOf } from "../intents.ts";
import { broadcast } from "./broadcast.ts";
import { type Budget, withinShares } from "./budget.ts";
import { conclude } from "./conclude.ts";
import type { Funds } from "./funds.ts";
import { endIntent } from "./give-up.ts";
import type { SenderSession } from "./session.ts";

/** Max number and max cost in wei of the transactions that may be signed now. */
type Room = { transactions: number; wei: bigint };

/** Max low-priority transactions under way: other transactions wait behind few of them. */
const WAITING_AT_ONCE = 16;

/**
 * The limits of low-priority transactions, which are sent only when no other transaction is queued.
 * The room for low-priority transactions: their share of the day's budget, and the balance above which new writes are
 * accepted. A token's URI costs at most a fifth of its registration.
 */
function roomForWaiting(
  { options }: SenderSession,
  { room, funds, budget }: { room: number; funds: Funds; budget: Budget },
): Room {
  const { leftWei, open } = budget.shares.waiting;
  const limits = [funds.spendableWei - options.minBalanceWei];
  if (leftWei !== null && budget.leftWei !== null) limits.push(leftWei, budget.leftWei - budget.committedWei);
  const [wei = 0n] = limits.sort((a, b) => (a < b ? -1 : 1));
  return { transactions: Math.min(room, WAITING_AT_ONCE - open), wei };
}

/** ABIs of the contracts whose errors are decoded by name. */
const ERRORS: Abi = [...identityAbi, ...credRootsAbi].filter((entry) => entry.type === "error");

/** Errors whose names alone do not explain the refusal. */
const MEANING: Record<string, (gas: bigint) => string> = {
  ERC721InvalidReceiver: (gas) =>
    `the receiver is a contract that refuses the token, or needs more than ${gas} gas to take it`,
};

/**
 * The reason of a revert, safe to show: the name of the contract's error, or its text.
 * `AlreadyMinted` for a custom error, the quoted text of a `require`, or "reverted" when the data cannot be decoded.
 * @param gas gas limit of the transaction
 */
function revertReason({ data, reason }: Pick<Revert, "data" | "reason">, gas: bigint): string {
  if (data === null || data === "0x")
    return /out ?of ?gas|gas required exceeds/i.test(reason) ? `it needs more than ${gas} gas` : "reverted";
  try {
    // `Error(string)` and `Panic(uint256)` are decoded too.
    const { errorName, args } = decodeErrorResult({ abi: ERRORS, data });
    if (errorName === "Error") return printable(String(args?.[0] ?? ""));
    const meaning = MEANING[errorName]?.(gas);
    return meaning === undefined ? errorName : `${errorName}: ${meaning}`;
  } catch {
    return "reverted";
  }
}

/** The text comes from a contract, so it is untrusted. */
const printable = (text: string) => (text === "" ? "reverted" : quoted(text.slice(0, 200)));

type ReadyIntent = { intent: Intent; gasLimit: bigint };
/** Result of a simulation; `reason` is a plain half-sentence. */
type SimulationResult = { ok: true; gasLimit: bigint } | { ok: false; reason: string };

/**
 * Sends queued intents in their order, as far as `room` (transactions), funds, the day's budget and its shares allow.
 * Low-priority intents are considered in rounds in which no other intent is signed.
 * One item: an intent that the simulation refuses, or that needs more gas than its kind may use or funds allow, ends by
 * itself before it has a nonce; a failing node leaves it queued for the next round; one whose earlier transaction
 * cannot be taken over waits, and the others are signed.
 * Check then write: simulation, refusal, funds and budget, then `storeSigned`; the agent may be sold and prices move:
 * there is one sender, and a guarded update on `queued` stores all or none; gas is bounded by kind; a revert ends the
 * intent, and its payment becomes a credit.
 * @param now.open transactions under way
 * @returns number of signed intents
 */
export async function signQueued(
  session: SenderSession,
  { room, open, funds, budget, head }: { room: number; open: number; funds: Funds; budget: Budget; head: number },
): Promise<number> {
  if (room <= 0) return 0;
  const queued = await queuedIntents(session.db, room);
  const { ready, offer } = await makeReady(session, queued, budget, head);
  if (offer === null) return signWaiting(session, { room, funds, budget, head });
  if (ready.length === 0) return 0;
  const funded = affordable(ready, offer, funds.spendableWei);
  if (funded.length < ready.length) {
    session.unfunded = true;
    session.log.warn({ waiting: ready.length - funded.length }, "not enough gas funds for the queue");
  }
  // A transaction under way may cost all that it offers, so that sum counts until its receipt shows the actual cost.
  const payable = budget.leftWei === null ? funded : affordable(funded, offer, budget.leftWei - budget.committedWei);
  if (payable.length === 0 && funded.length > 0 && open === 0) session.pausedUntil = budget.endsAt;
  return send(session, payable, offer, head);
}

/** Sends low-priority intents. When their limits are reached they wait, and no other write is refused for that. */
async function signWaiting(
  session: SenderSession,
  now: { room: number; funds: Funds; budget: Budget; head: number },
): Promise<number> {
  const kinds = session.options.waitingKinds;
  const [any] = await queuedIntents(session.db, 1, kinds);
  if (!any) return 0;
  const { transactions, wei } = roomForWaiting(session, now);
  if (transactions <= 0 || wei <= 0n) return 0;
  const oldest = await queuedIntents(session.db, transactions, kinds);
  const { ready, offer } = await makeReady(session, oldest, now.budget, now.head);
  return offer === null ? 0 : send(session, affordable(ready, offer, wei), offer, now.head);
}

/**
 * Ends the intents that must not or cannot be carried out, and leaves out those beyond their share.
 * @returns the others with their gas, and the fees to offer; no offer where none is left
 */
async function makeReady(
  session: SenderSession,
  intents: readonly Intent[],
  budget: Budget,
  head: number,
): Promise<{ ready: ReadyIntent[]; offer: Fees | null }> {
  if (intents.length === 0) return { ready: [], offer: null };
  const market = await session.chain.fees();
  const offer = firstOffer(market, session.options);
  session.feeWei = offer.maxFeePerGasWei;
  const gasBound = (intent: Intent) => intentGasBound(intent, market.blockGasLimit);
  const allowed = withinShares(intents, budget, gasBound, offer.maxFeePerGasWei);
  const queued = await withoutDone(session, allowed, head);
  if (queued.length === 0) return { ready: [], offer: null };
  const simulated = await Promise.all(
    queued.map((intent) =>
      span("transaction simulate", { kind: "consumer", parent: intent.trace, root: true }, () =>
        simulate(session, intent, gasBound(intent)),
      ),
    ),
  );
  session.fault("sender.after-simulation");
  const ready: ReadyIntent[] = [];
  for (const [n, result] of simulated.entries()) {
    const intent = queued[n]!;
    if (result === null) continue;
    const refusal = await effectOf(intent.intentKey, session.options.effects)?.refusal?.(session, intent);
    if (refusal) await endIntent(session, intent, refusal);
    else if (result.ok) ready.push({ intent, gasLimit: result.gasLimit });
    else await endIntent(session, intent, result.reason);
  }
  return { ready, offer };
}

async function send(session: SenderSession, payable: ReadyIntent[], offer: Fees, head: number): Promise<number> {
  if (payable.length === 0) return 0;
  const signed = await sign(session, payable, offer);
  await broadcast(
    session,
    signed.map((attempt) => ({ ...attempt, broadcastAt: null, broadcastBlock: null })),
    head,
  );
  return signed.length;
}

/** Simulates an intent within its gas bound. @returns the gas, or the refusal; null when the node did not answer */
async function simulate(session: SenderSession, intent: Intent, gas: bigint): Promise<SimulationResult | null> {
  const call = { from: session.signer.address, to: intent.to, data: intent.data, valueWei: intent.valueWei, gas };
  try {
    const [result, estimate] = await Promise.all([session.chain.call(call), session.chain.estimateGas(call)]);
    // The call is simulated too, because some nodes answer the estimate of a refused call without the contract's error.
    if (!result.ok) return { ok: false, reason: revertReason(result, gas) };
    if (!estimate.ok) return { ok: false, reason: revertReason(estimate, gas) };
    if (estimate.gas > gas) return { ok: false, reason: `it needs ${estimate.gas} gas, and may use ${gas}` };
    return { ok: true, gasLimit: withMargin(estimate.gas, gas) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    session.log.warn(
      { intent: intent.intentKey, cause: error.options.cause },
      "an intent could not be simulated; the next round tries again",
    );
    return null;
  }
}

/** The oldest intents that the account can pay for, in order: no intent overtakes one that is too expensive. */
function affordable(ready: ReadyIntent[], offer: Fees, spendableWei: bigint): ReadyIntent[] {
  let left = spendableWei;
  const end = ready.findIndex(({ intent, gasLimit }) => {
    left -= gasLimit * offer.maxFeePerGasWei + intent.valueWei;
    return left < 0n;
  });
  return end === -1 ? ready : ready.slice(0, end);
}

/**
 * Gives each intent the next nonce and stores nonces and bytes of all of them in one transaction. A crash before its
 * commit leaves nothing behind; after the commit the bytes are broadcast until the chain has decided.
 * Check then write: the next nonces, then `storeSigned`; a foreign transaction may take one: (sender, nonce) is unique,
 * and `usedByAnother` signs again.
 */
async function sign(session: SenderSession, payable: ReadyIntent[], offer: Fees): Promise<NewAttempt[]> {
  const { db, chain, signer, clock, fault } = session;
  const counts = await Promise.all([
    chain.nonce(signer.address, "latest"),
    chain.nonce(signer.address, "pending"),
    nextOwnNonce(db, { sender: signer.address }),
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

/** Signs an intent's call with its nonce and the offered fees. */
export async function signAttempt(
  session: SenderSession,
  intent: Pick<Intent, "to" | "data" | "valueWei"> & { nonce: number; gasLimit: bigint },
  offer: Fees,
): Promise<NewAttempt> {
  const { nonce, to, data, valueWei, gasLimit } = intent;
  const { raw, hash } = await session.signer.sign({ nonce, to, data: data as Hex, valueWei, gasLimit, ...offer });
  return { hash, nonce, raw, ...offer, filler: false };
}

/**
 * queued → mined without a transaction of its own: work that is on the chain already, after a restore of an older
 * database.
 * Ends the intents whose work an earlier transaction of the sender has done, each as if its receipt had just arrived.
 * @returns the intents that may be signed
 * @throws Failure upstream_unavailable
 */
async function withoutDone(session: SenderSession, intents: readonly Intent[], head: number): Promise<Intent[]> {
  const { db, chain, options, log } = session;
  const open = new Set<Intent>();
  const byPrefix = Map.groupBy(intents, ({ intentKey }) => effectOf(intentKey, options.effects));
  for (const [effect, group] of byPrefix) {
    const done = effect?.doneBefore ? await effect.doneBefore({ db, chain, head }, group) : new Map<number, Hex>();
    if (done === null)
      log.error({ waiting: group.length }, "the index is too far behind to know which mints are on the chain already");
    else for (const intent of group) if (!(await isDone(session, intent, done.get(intent.id)))) open.add(intent);
  }
  return intents.filter((intent) => open.has(intent));
}

/** An intent that cannot be ended waits for the next round and does not stop the others. */
async function isDone(session: SenderSession, intent: Intent, hash: Hex | undefined): Promise<boolean> {
  try {
    return await adopt(session, intent, hash);
  } catch (error) {
    if (error instanceof Failure) throw error;
    session.log.error({ err: error, intent: intent.intentKey, hash }, "an earlier transaction could not be taken over");
    return true;
  }
}

/**
 * Check then write: no earlier mint of ours is in the chain (minted-before.ts), then sign, or take the earlier one
 * over; a reorganisation may come: takeover and receipt are one commit, which needs the state `queued` again. Ours is a
 * successful call of `mintFor` at the contract itself, which only its owner can make.
 * @returns whether the intent has ended with that transaction, or waits for it
 */
async function adopt(session: SenderSession, intent: Intent, hash: Hex | undefined): Promise<boolean> {
  if (hash === undefined) return false;
  const { chain, log } = session;
  const [receipt, transaction] = await Promise.all([chain.receipt(hash), chain.transaction(hash)]);
  // One of two nodes knows the transaction: nothing is signed before the other one does.
  if (receipt === null || receipt.status !== "success" || transaction === null) return true;
  log.warn({ intent: intent.intentKey, hash }, "an earlier transaction has done this already");
  const { from: sender, nonce } = transaction;
  const signed: SignedIntent = { ...intent, nonce, gasLimit: 0n, attempts: [] as never };
  await conclude(session, signed, receipt, (tx) => takeOver(tx, { intentId: intent.id, sender, nonce }));
  return true;
}
