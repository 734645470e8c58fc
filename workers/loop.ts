/** A loop of rounds: it works, waits for a notification or an interval, and repeats until stopped. */
import { notifications } from "../db/sql/notifications.ts";
import { Latch } from "../runtime/latch.ts";
import type { JobContext } from "./context.ts";

export type Loop = {
  /** Notified when there is new work. */
  readonly latch: Latch;
  /** A round that waits checks this. */
  readonly stopping: boolean;
  /** Starts no further round, and resolves when the current one is finished. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  /** NOTIFY channels that start a round. */
  channels: readonly string[];
  /** Max milliseconds between two rounds: finds work without a notification, and work whose notification was lost. */
  timerMs: number;
  /** Min milliseconds between two rounds: what is announced in between is one round. */
  pauseMs?: number;
  /** Log message of a failed round; the next round repeats the work. */
  failure: string;
};

/** Max milliseconds until a failed round is repeated. */
const RETRY_MS = 2_000;

/**
 * Runs rounds until stopped, the first at once.
 * @param round may return the milliseconds after which there is work without a notification
 */
export function runLoop(
  { db, log }: Pick<JobContext, "db" | "log">,
  { channels, timerMs, pauseMs = 0, failure }: LoopOptions,
  round: (loop: Loop) => Promise<number> | Promise<void>,
): Loop {
  const latch = new Latch();
  const unsubscribe = channels.map((channel) => notifications(db).on(channel, () => latch.notify()));
  let stopping = false;
  const loop: Loop = {
    latch,
    get stopping() {
      return stopping;
    },
    async stop() {
      stopping = true;
      latch.notify();
      await done;
      for (const end of unsubscribe) end();
    },
  };
  const done = (async () => {
    while (!stopping) {
      let waitMs = RETRY_MS;
      try {
        const dueIn = await round(loop);
        waitMs = typeof dueIn === "number" ? dueIn : timerMs;
      } catch (error) {
        log.warn({ err: error }, failure);
      }
      if (!stopping) await latch.wait(Math.min(waitMs, timerMs));
      if (!stopping && pauseMs > 0) await new Promise((over) => setTimeout(over, pauseMs));
    }
  })();
  return loop;
}
