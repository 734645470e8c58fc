/** The loop that delivers webhooks: fans events out, runs a number of attempts at once, sleeps until it is notified. */
import { POOL_SLOTS, POOLS } from "../../core/webhooks/pools.ts";
import { EVENTS_CHANNEL } from "../../db/events/events.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { type FannedOut, fanOut } from "../../db/webhooks/fan-out.ts";
import { msUntilDue } from "../../db/webhooks/owner-schedule.ts";
import { WEBHOOKS_CHANNEL } from "../../db/webhooks/webhooks.ts";
import { type Loop, runLoop } from "../loop.ts";
import { beginSending, type DeliveryAttempt, type SendContext } from "./send.ts";

/** Max milliseconds between rounds: repairs a lost notification. */
const TIMER_MS = 60_000;
/** Min milliseconds between rounds without a notification: who is due may have to wait for others. */
const MIN_MS = 500;
/** Max milliseconds for running attempts to finish when the process stops; unfinished ones are sent again. */
const GRACE_MS = 9_000;

export type Webhooks = {
  /** Begins no further attempt; resolves when the running ones have finished, or after a time limit. */
  stop(): Promise<void>;
};

/**
 * Runs until stopped, in any number of processes: each delivery is claimed by one of them.
 * Resumes: at `due_at`, by the owners' turns; pauses grow, a delivery is dead after its last attempt, and a webhook is
 * off after three days of failures.
 */
export function runWebhooks(context: SendContext, { timerMs = TIMER_MS } = {}): Webhooks {
  const running = new Set<DeliveryAttempt>();

  /** Fills the free slots. An attempt that ends frees a slot, and its owner may have more to send. */
  async function fill({ latch }: Loop): Promise<void> {
    const free = { ...POOL_SLOTS };
    for (const { pool } of running) free[pool]--;
    if (POOLS.every((pool) => free[pool] <= 0)) return;
    for (const attempt of await beginSending(context, free)) {
      running.add(attempt);
      void attempt.done.then(() => {
        running.delete(attempt);
        latch.notify();
      });
    }
  }

  const failure = "a round of the webhooks failed; the next one repeats it";
  const channels = [EVENTS_CHANNEL, WEBHOOKS_CHANNEL];
  const loop = runLoop(context, { channels, timerMs, failure }, async (loop) => {
    // The log may be long, and attempts end in between: fan-out and attempts alternate, one part at a time.
    for (let more = true; more; ) {
      more = (await fanOutNextPart(context)).more;
      await fill(loop);
      if (loop.stopping) return MIN_MS;
    }
    return Math.max(MIN_MS, (await msUntilDue(context.db, { now: context.clock() })) ?? TIMER_MS);
  });
  return {
    async stop() {
      await loop.stop();
      const ended = Promise.all([...running].map(({ done }) => done));
      await Promise.race([ended, new Promise((over) => setTimeout(over, GRACE_MS).unref())]);
    },
  };
}

/** Creates the deliveries of the next part of the log. */
export const fanOutNextPart = ({ db, clock, fault }: Pick<SendContext, "db" | "clock" | "fault">): Promise<FannedOut> =>
  transaction(db, async (tx) => {
    const result = await fanOut(tx, clock());
    if (result.deliveries > 0) fault("webhook.handed-out");
    return result;
  });
