/** The loop that delivers webhooks: hands events out, keeps a number of attempts under way, sleeps until there is news. */
import { EVENTS_CHANNEL } from "../db/events.ts";
import { transaction } from "../db/transaction.ts";
import { fanOut } from "../db/webhooks/fan-out.ts";
import { WEBHOOKS_CHANNEL } from "../db/webhooks/webhooks.ts";
import { type Loop, runLoop } from "./loop.ts";
import { beginSending, type SendContext } from "./webhooks/send.ts";

/** Attempts of one process under way at once. */
const TOGETHER = 64;
/** A round without being woken: finds what has become due, and heals a lost notification. */
const TIMER_MS = 500;
/** How long attempts may take to finish when the process stops; what does not is sent again. */
const GRACE_MS = 9_000;

export type Webhooks = {
  /** Takes no further work and resolves when what is under way is finished, or cannot be waited for. */
  stop(): Promise<void>;
};

/** Runs until stopped. Any number of processes may run it: each delivery is in the hands of one of them. */
export function runWebhooks(context: SendContext, { timerMs = TIMER_MS } = {}): Webhooks {
  const underWay = new Set<Promise<void>>();

  /** Fills the free places. An attempt that ends makes a place free, and its webhook may have more. */
  async function fill({ wake }: Loop): Promise<void> {
    const attempts = await beginSending(context, TOGETHER - underWay.size);
    for (const attempt of attempts) {
      underWay.add(attempt);
      void attempt.then(() => {
        underWay.delete(attempt);
        wake.ring();
      });
    }
  }

  const trouble = "a round of the webhooks failed; the next one repeats it";
  const channels = [EVENTS_CHANNEL, WEBHOOKS_CHANNEL];
  const loop = runLoop(context, { channels, timerMs, trouble }, async (loop) => {
    await handOutEvents(context);
    if (underWay.size < TOGETHER) await fill(loop);
  });
  return {
    async stop() {
      await loop.stop();
      await Promise.race([Promise.all(underWay), new Promise((over) => setTimeout(over, GRACE_MS).unref())]);
    },
  };
}

/** Makes deliveries of every event there is. */
export async function handOutEvents({ db, clock, fault }: Pick<SendContext, "db" | "clock" | "fault">): Promise<void> {
  for (;;) {
    const { more } = await transaction(db, async (tx) => {
      const handedOut = await fanOut(tx, clock());
      if (handedOut.deliveries > 0) fault("webhook.handed-out");
      return handedOut;
    });
    if (!more) return;
  }
}

/** Hands out what there is, tries everything that is due, and waits for it. @returns how many attempts were made */
export async function deliverDue(context: SendContext): Promise<number> {
  await handOutEvents(context);
  for (let made = 0; ; ) {
    const attempts = await beginSending(context, TOGETHER);
    await Promise.all(attempts);
    if (attempts.length === 0) return made;
    made += attempts.length;
  }
}
