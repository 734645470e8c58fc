/** A loop that works, sleeps until there is news, and works again, until it is stopped. */
import { notifications } from "../db/notifications.ts";
import type { JobContext } from "./context.ts";
import { Latch } from "./latch.ts";

export type Loop = {
  /** Rung by whoever has news for it. */
  readonly latch: Latch;
  /** A round that waits for something looks at this. */
  readonly stopping: boolean;
  /** Begins no further round, and resolves when the present one is finished. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  /** NOTIFY channels that wake it. */
  channels: readonly string[];
  /** A round without being woken, in milliseconds: finds what nobody announces, and heals a lost notification. */
  timerMs: number;
  /** What is logged when a round fails; the next one repeats it. */
  trouble: string;
};

/** Runs rounds until stopped, the first at once. */
export function runLoop(
  { db, log }: Pick<JobContext, "db" | "log">,
  { channels, timerMs, trouble }: LoopOptions,
  round: (loop: Loop) => Promise<void>,
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
      try {
        await round(loop);
      } catch (error) {
        log.warn({ err: error }, trouble);
      }
      if (!stopping) await latch.wait(timerMs);
    }
  })();
  return loop;
}
