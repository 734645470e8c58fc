/** The sender: the process that has the lock turns intents into transactions; the other processes wait for the lock. */
import type pg from "pg";
import { Failure } from "../../core/errors.ts";
import { awaitsAwards, type DueMint, mintsDueForAwards, setAwardsDue } from "../../db/mints/mint-awards.ts";
import { openClient } from "../../db/sql/connect.ts";
import { tryLockTexts } from "../../db/sql/locks.ts";
import { isIndexed, transaction } from "../../db/sql/transaction.ts";
import { reopen } from "../../db/transactions/signed-transactions.ts";
import {
  awaitsSender,
  highestBlock,
  INTENT_CHANNEL,
  revocableIntents,
} from "../../db/transactions/transaction-outbox.ts";
import type { JobContext } from "../context.ts";
import { type Loop, runLoop } from "../loop.ts";
import { AWARD_RETRY_MS, queueAwards } from "./intents/award.ts";
import { effectOf, INTENT_EFFECTS } from "./intents.ts";
import { type Budget, readBudget } from "./sender/budget.ts";
import { publishFunds, readFunds } from "./sender/funds.ts";
import type { SenderOptions, SenderSession } from "./sender/session.ts";
import { signQueued } from "./sender/sign.ts";
import { track } from "./sender/track.ts";

/** Max registrations per round. */
const REGISTRATIONS_PER_ROUND = 50;

/**
 * minted → awarded: queues the transactions of a registration's bonuses once it has enough confirmations.
 * One item: a registration whose bonuses cannot be queued is caught by itself and tried again in ten minutes; it delays
 * neither the others nor the sender.
 * @returns whether any awards were due, or wait for confirmations
 */
async function queueDueAwards(session: SenderSession, head: number): Promise<boolean> {
  const { db, chain, clock, options } = session;
  // The owner of the referral code comes from the index.
  if (!(await awaitsAwards(db, { now: clock() })) || !(await isIndexed(db))) return false;
  const due = await mintsDueForAwards(db, {
    block: head - options.awardConfirmations,
    now: clock(),
    limit: REGISTRATIONS_PER_ROUND,
  });
  const traitPriceWei = due.length > 0 ? ((await chain.traitPrice(options.identity)) ?? 0n) : 0n;
  for (const mint of due) await queueOne(session, mint, traitPriceWei);
  return true;
}

/**
 * Check then write: due, deep enough and the referrer, then `queueRepeatable`; the referrer may be sold, the token
 * renumbered: key unique by wallet, read and queued in one transaction.
 */
async function queueOne({ db, clock, fault, log }: SenderSession, mint: DueMint, traitPriceWei: bigint): Promise<void> {
  try {
    await transaction(db, async (tx) => {
      await queueAwards(tx, mint, traitPriceWei, clock());
      fault("awards.before-commit");
    });
    fault("awards.after-commit");
    log.info({ mint: mint.mintId }, "awards queued");
  } catch (error) {
    log.error({ mint: mint.mintId, error }, "the awards of a registration could not be queued");
    await setAwardsDue(db, { mintId: mint.mintId, at: new Date(clock().getTime() + AWARD_RETRY_MS) });
  }
}

export { AWARD_FAULT_POINTS } from "./intents/award.ts";
export { FAULT_POINTS, FILLER_FAULT_POINT } from "./sender/session.ts";

/** Milliseconds between two tries of a waiting process to get the lock. */
const STAND_BY_MS = 1_000;
/** Max milliseconds that one transaction delays the others. */
const HOLD_MS = 600_000;
/** Milliseconds that a node behind its own earlier head gets to catch up before its answers count again. */
const BEHIND_MS = 10_000;

/** How much rarer a sender at rest looks for work than one that is idle for a moment. */
const REST_LOOKS = 20;

export type SenderContext = Pick<JobContext, "db" | "chain" | "clock" | "log" | "fault" | "config"> & {
  signer: NonNullable<JobContext["signer"]>;
  options?: Partial<SenderOptions>;
};

/**
 * Runs the sender until stopped. Any number of processes may run it: a session lock with the account's name lets one
 * of them work, and ends with that process's connection.
 * Resumes: at the tables. An intent loses its nonce to a filler after ten minutes, or at once when the network refuses
 * it; the effects of each intent are caught by themselves.
 * @returns stop, which resolves after the current round, when the lock is released
 */
export function runSender(context: SenderContext): Pick<Loop, "stop"> {
  const failure = "the sender lost its database connection";
  const options = { channels: [INTENT_CHANNEL], timerMs: STAND_BY_MS, failure };
  return runLoop(context, options, (loop) => holdLock(context, loop));
}

/**
 * Waits for the lock, then works until the connection of the lock ends.
 * Check then write: no other sender, then everything it writes; the lock may be lost: a session's advisory lock, and
 * all writes go over the connection that holds it.
 */
async function holdLock(context: SenderContext, loop: Loop): Promise<void> {
  const { latch } = loop;
  const { db: pool, log, signer } = context;
  const { password } = pool.options;
  const db = openClient({ ...pool.options, password, application_name: "sender", keepAlive: true });
  let lost: Error | undefined;
  db.on("error", (error) => {
    lost = error;
    latch.notify();
  });
  try {
    await db.connect();
    while ((await tryLockTexts(db, { names: [`sender:${signer.address}`] })).length === 0) {
      await latch.wait(STAND_BY_MS);
      if (loop.stopping) return;
    }
    log.info({ address: signer.address }, "sending transactions");
    const session = openSession(context, db);
    let highest = (await highestBlock(db, { sender: signer.address })) ?? 0;
    let behindSince: number | undefined;
    while (!loop.stopping) {
      if (lost) throw lost;
      let busy = true;
      try {
        if (await mayRest(session)) {
          // An intent wakes it; an award that becomes due does not.
          await latch.wait(REST_LOOKS * session.options.idleMs);
          continue;
        }
        const head = await session.chain.headBlock();
        if (head < highest) behindSince ??= context.clock().getTime();
        else behindSince = undefined;
        if (behindSince === undefined || mayHaveShrunk(session, highest - head, behindSince)) {
          highest = head;
          behindSince = undefined;
          busy = await round(session, head);
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        log.warn({ cause: error.options.cause }, error.message);
      }
      await latch.wait(busy ? session.options.pollMs : session.options.idleMs);
    }
  } finally {
    await db.end().catch(() => {});
  }
}

/**
 * Whether a head below an earlier one is accepted. A reorganisation may shorten the chain for a moment, within the blocks
 * that are not final. A node further behind is still syncing, and its nonces and receipts do not count.
 */
function mayHaveShrunk({ clock, options, log }: SenderSession, blocks: number, since: number): boolean {
  if (clock().getTime() - since < BEHIND_MS) return false;
  if (blocks < options.finalityBlocks) return true;
  log.error({ blocks }, "the node is behind the blocks of our own transactions; nothing is sent until it catches up");
  return false;
}

/** One round over all intents. @returns whether any is queued or under way, so that the next round follows soon */
async function round(session: SenderSession, head: number): Promise<boolean> {
  session.unfunded = false;
  const usedNonces = await session.chain.nonce(session.signer.address, "latest");
  const recent = await reopenReorganised(session, head, usedNonces);
  const open = await track(session, head, usedNonces);
  const awards = await queueDueAwards(session, head);
  const budget = await readBudget(session);
  const funds = await readFunds(session, budget);
  pauseByBudget(session, budget);
  const room = session.pausedUntil === null ? session.options.inFlight - open : 0;
  const signed = await signQueued(session, { room, open, funds, budget, head });
  await publishFunds(session, funds, budget);
  const busy = open + signed > 0 || awards || session.unfunded;
  const { restMs, restUnfundedMs } = session.options;
  const rest = session.published?.funded ? restMs : restUnfundedMs;
  session.restsUntil = busy || recent > 0 ? 0 : session.clock().getTime() + rest;
  return busy;
}

/** Pauses when the day's budget is used up, and continues when the next day begins. */
function pauseByBudget(session: SenderSession, { leftWei, endsAt }: Budget): void {
  const { pausedUntil, clock } = session;
  if (pausedUntil !== null && pausedUntil <= clock()) session.pausedUntil = null;
  if (leftWei !== null && leftWei <= 0n) session.pausedUntil = endsAt;
  if (pausedUntil === null && session.pausedUntil !== null)
    session.log.error({ until: endsAt }, "the day's budget for transactions is used up; nothing is sent until then");
}

function openSession(context: SenderContext, db: pg.Client): SenderSession {
  const { chain, signer, clock, log, fault, config } = context;
  const options: SenderOptions = {
    maxFeePerGasWei: config.sender.maxFeePerGasWei,
    maxTipPerGasWei: config.sender.maxTipPerGasWei,
    dailyBudgetWei: config.sender.dailyBudgetWei,
    holdMs: HOLD_MS,
    minBalanceWei: config.sender.minBalanceWei,
    stuckAfterMs: config.sender.stuckAfterMs,
    rebroadcastMs: Math.min(config.sender.stuckAfterMs / 3, 4_000),
    confirmations: 15,
    finalityBlocks: 30,
    pollMs: Math.min(config.chain.pollIntervalMs, 500),
    idleMs: 2_000,
    restMs: 60_000,
    restUnfundedMs: 10_000,
    inFlight: 64,
    effects: INTENT_EFFECTS,
    waitingKinds: [...(config.tokenUris.write ? ["uri"] : []), ...(config.credOracle.address ? ["oracle"] : [])],
    identity: config.contracts.identity.address,
    awardConfirmations: config.sender.awardConfirmations,
    ...context.options,
  };
  return {
    db,
    chain,
    signer,
    clock,
    log,
    fault,
    options,
    sentAt: new Map(),
    gapSince: new Map(),
    unfunded: false,
    pausedUntil: null,
    front: undefined,
    restsUntil: 0,
    published: undefined,
    feeWei: 0n,
  };
}

/**
 * Rest: without work the sender reads the chain only for its funds, and rarely, because requests to a node cost.
 * Whether a round may be left out: the last one found no work, and the database has none since.
 */
async function mayRest({ db, clock, options, restsUntil }: SenderSession): Promise<boolean> {
  if (clock().getTime() >= restsUntil) return false;
  return !(await awaitsSender(db, { kinds: options.waitingKinds, now: clock() }));
}

/**
 * mined → signed: reopens intents that a reorganisation undid, within the blocks that are not final.
 * Compares the blocks of recently mined intents with the chain and reopens those whose block is gone. All of them are
 * reopened before any is settled again, in one transaction: token ids move between them when blocks are reordered.
 * Check then write: the block is gone, then `reopen` and the effect undone; it may come back: guarded update on `mined`
 * or `reverted` in one transaction, and the next round settles it again.
 * One item: one transaction for all intents, because token ids move between them; undoing writes own rows only.
 * @returns number of recently mined intents whose block may still be reorganised away
 */
async function reopenReorganised(session: SenderSession, head: number, usedNonces: number): Promise<number> {
  const { db, chain, clock, options, log } = session;
  const recent = await revocableIntents(db, {
    sender: session.signer.address,
    block: head - options.finalityBlocks + 1,
    nonce: usedNonces,
  });
  if (recent.length === 0) return 0;
  const blocks = [...new Set(recent.map((intent) => intent.block))];
  const hashes = new Map(
    await Promise.all(blocks.map(async (block) => [block, (await chain.block(block))?.hash] as const)),
  );
  const doubtful = recent.filter((intent) => hashes.get(intent.block) !== intent.blockHash);
  const gone: typeof recent = [];
  for (const intent of doubtful) {
    const receipt = await chain.receipt(intent.txHash);
    // No block at that height and an unused nonce: the node lags, this is no reorganisation.
    if (!hashes.get(intent.block) && intent.nonce < usedNonces) continue;
    if (receipt === null || receipt.blockHash !== intent.blockHash) gone.push(intent);
  }
  if (gone.length === 0) return recent.length;
  log.warn({ intents: gone.map((intent) => intent.intentKey) }, "mined transactions were reorganised away");
  await transaction(db, async (tx) => {
    for (const intent of gone) {
      if (!(await reopen(tx, { intentId: intent.id }))) continue;
      await effectOf(intent.intentKey, options.effects)?.undone(tx, intent, clock());
    }
  });
  for (const intent of gone) session.sentAt.delete(intent.txHash);
  return recent.length;
}
