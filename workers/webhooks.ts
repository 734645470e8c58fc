/** The loop that delivers webhooks: hands events out, keeps a number of attempts under way, sleeps until there is news. */
import { LANES, PLACES } from "../core/webhooks/lanes.ts";
import { EVENTS_CHANNEL } from "../db/events.ts";
import { transaction } from "../db/transaction.ts";
import { type FannedOut, fanOut } from "../db/webhooks/fan-out.ts";
import { WEBHOOKS_CHANNEL } from "../db/webhooks/webhooks.ts";
import { type Loop, runLoop } from "./loop.ts";
import { type Attempt, beginSending, type SendContext } from "./webhooks/send.ts";

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
  const underWay = new Set<Attempt>();

  /** Fills the free places. An attempt that ends makes a place free, and its owner may have more. */
  async function fill({ wake }: Loop): Promise<void> {
    const free = { ...PLACES };
    for (const { lane } of underWay) free[lane]--;
    if (LANES.every((lane) => free[lane] <= 0)) return;
    for (const attempt of await beginSending(context, free)) {
      underWay.add(attempt);
      void attempt.done.then(() => {
        underWay.delete(attempt);
        wake.ring();
      });
    }
  }

  const trouble = "a round of the webhooks failed; the next one repeats it";
  const channels = [EVENTS_CHANNEL, WEBHOOKS_CHANNEL];
  const loop = runLoop(context, { channels, timerMs, trouble }, async (loop) => {
    // The log may be long, and attempts that end meanwhile make room: both go on side by side, a part at a time.
    for (let more = true; more; ) {
      more = (await handOutPart(context)).more;
      await fill(loop);
      if (loop.stopping) return;
    }
  });
  return {
    async stop() {
      await loop.stop();
      const ended = Promise.all([...underWay].map(({ done }) => done));
      await Promise.race([ended, new Promise((over) => setTimeout(over, GRACE_MS).unref())]);
    },
  };
}

type Handing = Pick<SendContext, "db" | "clock" | "fault">;

/** Makes the deliveries of a part of the log. */
const handOutPart = ({ db, clock, fault }: Handing): Promise<FannedOut> =>
  transaction(db, async (tx) => {
    const handedOut = await fanOut(tx, clock());
    if (handedOut.deliveries > 0) fault("webhook.handed-out");
    return handedOut;
  });

/** Makes deliveries of every event there is. */
export async function handOutEvents(context: Handing): Promise<void> {
  while ((await handOutPart(context)).more);
}

/** Hands out what there is, tries everything that is due, and waits for it. @returns how many attempts were made */
export async function deliverDue(context: SendContext): Promise<number> {
  await handOutEvents(context);
  for (let made = 0; ; ) {
    const attempts = await beginSending(context, PLACES);
    await Promise.all(attempts.map(({ done }) => done));
    if (attempts.length === 0) return made;
    made += attempts.length;
  }
}
