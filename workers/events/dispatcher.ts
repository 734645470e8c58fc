/** From chain to jobs: claims events from the log of index changes, queues each once for its subscribers, and retracts events that a reorganisation removed. */
import type pg from "pg";
import { chainEventOf } from "../../core/events/events.ts";
import { recordsAt } from "../../core/links.ts";
import { renewReferralCodes } from "../../db/agents/referral-codes.ts";
import { retractCred } from "../../db/cred/cred.ts";
import { appendEvents, finalizeSources, type NewEvent, retractSources } from "../../db/events/append-events.ts";
import {
  adoptIndex,
  type ClaimedEvent,
  claimEvents,
  type DispatchedEvent,
  finalizeEvents,
  isDispatchDue,
  lockDispatcher,
  markQueued,
  pendingBatch,
  queueAgain,
  retractVanished,
  servedIndex,
  settleUpTo,
  tokensOfWallets,
} from "../../db/events/dispatch.ts";
import { CHANGES_CHANNEL, INDEX_CHANNEL } from "../../db/operations/index-state.ts";
import { runSoon } from "../../db/operations/job-runs.ts";
import { reviewEvents } from "../../db/reviews/review-events.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { notifications } from "../../db/sql/notifications.ts";
import { type Queryable, transaction, withoutIndex } from "../../db/sql/transaction.ts";
import type { ChangeKind } from "../../ponder.schema.ts";
import type { JobContext } from "../context.ts";
import { runLoop } from "../loop.ts";
import type { NewJob } from "../operations/queue.ts";
import { SUBSCRIPTIONS, type Subscriber } from "./subscriptions.ts";

/** Places where a crash test kills the dispatcher. */
export const DISPATCHER_FAULT_POINTS = ["dispatcher.claimed", "dispatcher.committed", "dispatcher.queued"] as const;

/** Max events that one pass claims; a backlog takes several passes. */
const EVENTS_PER_PASS = 1_000;
/** Milliseconds until a pass without events: it stores which blocks are settled. */
const SETTLE_MS = 30_000;

export type DispatcherContext = Pick<JobContext, "db" | "clock" | "log" | "fault"> & {
  queue: Pick<JobContext["queue"], "add">;
  config: Pick<JobContext["config"], "attestationSchemas" | "eventRetentionMs"> & { service: { publicUrl: string } };
};

export type Dispatcher = {
  /** Runs passes now, for tests and for callers that cannot wait: claims and queues all events. */
  pass(): Promise<void>;
  /** Call after the queue lost its storage: queues again all events that are not final. */
  requeue(): Promise<void>;
  stop(): Promise<void>;
};

/** Milliseconds until the next pass while events are not final: the index announces no block without changes. */
const UNSETTLED_MS = 1_000;

/**
 * Runs until stopped: a pass for every block of the index with events, every second as long as they are not final, and at
 * an interval. Any number of processes may run it.
 */
export function runDispatcher(context: DispatcherContext, { timerMs = SETTLE_MS } = {}): Dispatcher {
  const failure = "a pass of the dispatcher failed; the next one repeats it";
  let passedAt = Number.NEGATIVE_INFINITY;
  let followsBlocks = true;
  const loop = runLoop(context, { channels: [CHANGES_CHANNEL], timerMs, failure }, async () => {
    // While it asks and passes, blocks without changes count too: what is asked may be older than they are.
    followsBlocks = true;
    const due = await isDispatchDue(context.db).catch(withoutIndex(false));
    if (due || performance.now() - passedAt >= SETTLE_MS) {
      await (due ? dispatch(context) : claim(context));
      passedAt = performance.now();
    }
    followsBlocks = due;
    return due ? UNSETTLED_MS : timerMs;
  });
  const unsubscribe = notifications(context.db).on(INDEX_CHANNEL, () => {
    if (followsBlocks) loop.latch.notify();
  });
  return {
    pass: () => dispatch(context),
    async requeue() {
      const events = await queueAgain(context.db);
      if (events > 0) context.log.warn({ events }, "the queue has lost its jobs; they are queued again");
      loop.latch.notify();
    },
    async stop() {
      await loop.stop();
      unsubscribe();
    },
  };
}

/**
 * Claims and retracts until nothing is left, queueing each batch after its commit.
 * One item: events and notes contain bounded names only, so none is refused by the database.
 * Resumes: by comparing tables above the settled block; a batch of 1,000 that fails is tried again whole, because
 * recorded events hold bounded values.
 */
export async function dispatch(context: DispatcherContext): Promise<void> {
  // First the batches that a crash left between commit and queue.
  await queuePending(context);
  await claim(context);
}

/** Claims and retracts until nothing is left. */
async function claim(context: DispatcherContext): Promise<void> {
  for (;;) {
    const claimed = await transaction(context.db, (tx) => reconcileOutbox(context, tx)).catch(withoutIndex(0));
    context.fault("dispatcher.committed");
    if (claimed > 0) await queuePending(context);
    if (claimed < EVENTS_PER_PASS) return;
  }
}

/**
 * One pass over the tables, in the caller's transaction.
 * Check then write: not dispatched, vanished or final, then claim, notes and retraction; index or another dispatcher
 * may move on: the dispatcher's advisory lock, one transaction, which compares tables and keeps no cursor.
 * @returns how many events were claimed
 */
async function reconcileOutbox({ clock, config, log, fault }: DispatcherContext, tx: pg.ClientBase): Promise<number> {
  await lockDispatcher(tx);
  const index = await servedIndex(tx);
  if (index === null) return 0;
  const adopted = await adoptIndex(tx, index);
  const { claimed, events } = await claimEvents(tx, { block: adopted.block, limit: EVENTS_PER_PASS });
  // What is left out here never comes: a worker whose clock is ahead of the database's does not decide it.
  const now = Math.min(clock().getTime(), (await databaseNow(tx)).getTime());
  const since = new Date(now - config.eventRetentionMs);
  const reviews = await reviewEvents(tx, claimed, {
    ...{ records: recordsAt(config.service.publicUrl), schema: config.attestationSchemas[0]! },
    ...{ since, now: new Date(now), finalBlock: index.finalizedBlock },
  });
  await appendEvents(tx, [...logEventsOf(events, index, since), ...reviews]);
  fault("dispatcher.claimed");
  const retracted = [...adopted.retracted, ...(await retractVanished(tx, index))];
  if (retracted.length > 0) {
    log.warn({ events: retracted.length }, "events were reorganised away");
    await undo(tx, retracted, clock());
  }
  await finalizeSources(tx, await finalizeEvents(tx, index));
  if (claimed.length < EVENTS_PER_PASS) await settleUpTo(tx, index);
  return claimed.length;
}

/** The events of the log for claimed chain events, without those that are older than the log's retention. */
function logEventsOf(events: ClaimedEvent[], { finalizedBlock }: { finalizedBlock: number }, since: Date): NewEvent[] {
  return beginningsFirst(events).flatMap(
    ({ key, kind, returns, block, blockAt, txHash, tokenId, owner, ...fact }): NewEvent[] => {
      const emitted = chainEventOf(kind);
      const at = new Date(blockAt * 1000);
      if (emitted === undefined || at < since) return [];
      const { agentAddress } = fact.agent;
      const holders = fact.transfer
        ? { owner: fact.transfer.to, formerOwner: fact.transfer.from }
        : { owner, formerOwner: null };
      const chain = { key, block, txHash, final: block <= finalizedBlock, agentAddress, ...holders };
      const { type, data } = emitted;
      return [{ type, data: data(fact), fact: `${key} ${returns} ${tokenId}`, tokenId, at, chain } as NewEvent];
    },
  );
}

/** In the chain's order, except that a registration precedes the other events of its transaction about the agent. */
function beginningsFirst(events: ClaimedEvent[]): ClaimedEvent[] {
  const beginOf = new Map<string, number>();
  for (const [i, { txHash }] of events.entries()) if (!beginOf.has(txHash)) beginOf.set(txHash, i);
  const place = ({ txHash, kind }: ClaimedEvent) => 2 * beginOf.get(txHash)! + Number(kind !== "agent.registered");
  return events.toSorted((a, b) => place(a) - place(b));
}

/** Reverts the consequences of retracted events, in the transaction that retracts them. */
async function undo(tx: Queryable, events: DispatchedEvent[], now: Date): Promise<void> {
  await retractSources(
    tx,
    events.map(({ key }) => key),
  );
  const tokensOf = await resolveTokens(tx, events);
  const firstBlock = new Map<number, number>();
  for (const event of events) {
    for (const tokenId of tokensOf(event)) {
      firstBlock.set(tokenId, Math.min(event.block, firstBlock.get(tokenId) ?? event.block));
    }
  }
  if (firstBlock.size === 0) return;
  const unregistered = events.flatMap(({ kind, tokenId }) => (kind === "agent.registered" ? [tokenId!] : []));
  if (unregistered.length > 0) await renewReferralCodes(tx, unregistered);
  await retractCred(
    tx,
    [...firstBlock].map(([tokenId, block]) => ({ tokenId, block })),
    now,
  );
}

/**
 * Adds every pending batch to the queue.
 * Check then write: the batch is pending, then its jobs and `markQueued`; a crash or another process may come between:
 * jobs have their ids by batch, so a batch that a process added before it died adds nothing, and jobs are repeatable.
 */
async function queuePending({ db, queue, fault }: DispatcherContext): Promise<void> {
  for (;;) {
    const pending = await pendingBatch(db);
    if (pending === null) return;
    const tokensOf = await resolveTokens(db, pending.events);
    const { jobs, scheduled } = jobsOf(pending.batch, pending.events, tokensOf);
    for (const [name, ofName] of jobs) await queue.add(name, ofName);
    await runSoon(db, [...scheduled]);
    fault("dispatcher.queued");
    await markQueued(db, pending.batch);
  }
}

/**
 * The jobs of a batch, by queue: for each subscriber one job for each kind, each token under its first kind only; and the
 * scheduled jobs that run soon.
 */
function jobsOf(
  batch: number,
  events: DispatchedEvent[],
  tokensOf: (event: DispatchedEvent) => number[],
): { jobs: Map<string, NewJob[]>; scheduled: Set<string> } {
  const jobs = new Map<string, NewJob[]>();
  const scheduled = new Set<string>();
  const seen = new Map<string, Set<number>>();
  const kinds = Object.entries<readonly Subscriber[]>(SUBSCRIPTIONS) as [ChangeKind, readonly Subscriber[]][];
  for (const [kind, subscribers] of kinds) {
    const ofKind = events.filter((event) => event.kind === kind);
    if (ofKind.length === 0) continue;
    for (const { job, data } of subscribers) {
      if (!data) {
        scheduled.add(job);
        continue;
      }
      const keys = seen.get(job) ?? new Set();
      seen.set(job, keys);
      const tokenIds = [...new Set(ofKind.flatMap(tokensOf))].filter((tokenId) => !keys.has(tokenId));
      for (const tokenId of tokenIds) keys.add(tokenId);
      const input = data({ kind, tokenIds });
      if (input === null) continue;
      const jobId = `${job}-batch-${batch}-${kind.replaceAll(".", "-")}`;
      jobs.set(job, [...(jobs.get(job) ?? []), { jobId, data: input }]);
    }
  }
  return { jobs, scheduled };
}

/** Which tokens an event is about: the one it names, or those of the wallet it names. */
async function resolveTokens(db: Queryable, events: DispatchedEvent[]): Promise<(event: DispatchedEvent) => number[]> {
  const wallets = [...new Set(events.flatMap(({ tokenId, wallet }) => (tokenId === null && wallet ? [wallet] : [])))];
  const tokens = wallets.length > 0 ? await tokensOfWallets(db, wallets) : new Map<string, number[]>();
  return ({ tokenId, wallet }) => (tokenId !== null ? [tokenId] : (wallet && tokens.get(wallet)) || []);
}
