/** Runs the event log's sequencer: assigns positions to appended events and notifies readers. */
import { NEW_EVENTS_CHANNEL } from "../../db/events/append-events.ts";
import { isSequencingDue, sequenceEvents } from "../../db/events/event-sequence.ts";
import { EVENTS_CHANNEL } from "../../db/events/events.ts";
import { pgType, text } from "../../db/sql/columns.ts";
import { statement } from "../../db/sql/statement.ts";
import { transaction, withoutIndex } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { type Loop, runLoop } from "../loop.ts";

/** Places where a crash test kills the sequencer. */
export const EVENT_FAULT_POINTS = ["events.sequenced", "events.committed"] as const;

/** Max milliseconds between rounds: repairs a lost notification. */
const TIMER_MS = 60_000;
/** The same after a pass that may have left something: what an older transaction than others holds up has no notification. */
const SOON_MS = 5_000;

export type EventLogContext = Pick<JobContext, "db" | "clock" | "log" | "fault"> & {
  config: Pick<JobContext["config"], "eventRetentionMs">;
};

/** Runs until stopped. Any number of processes may run it: one at a time does the work. */
export function runEventLog(context: EventLogContext, { timerMs = TIMER_MS } = {}): Pick<Loop, "stop"> {
  const failure = "the event log could not be continued; tried again";
  return runLoop(context, { channels: [NEW_EVENTS_CHANNEL], timerMs, failure }, () => sequence(context));
}

const ANNOUNCE = statement({
  name: "events-announce",
  params: { head: text },
  text: `select pg_notify('${EVENTS_CHANNEL}', $head)`,
  columns: { pg_notify: pgType<string>("void") },
});

/**
 * Assigns positions until no event is left without one.
 * Resumes: at `event_log.cred_after` and at events without a position, every minute; positions are given to bounded
 * rows.
 * @returns max milliseconds until the next round
 */
export async function sequence({ db, clock, config, fault }: EventLogContext): Promise<number> {
  while (await isSequencingDue(db)) {
    const since = new Date(clock().getTime() - config.eventRetentionMs);
    const { head, more } = await transaction(db, async (tx) => {
      const pass = await sequenceEvents(tx, since);
      fault("events.sequenced");
      return pass;
    }).catch(withoutIndex({ head: null, more: false }));
    fault("events.committed");
    // After the commit: a transaction that notifies holds a lock of the whole server while it waits for the disk.
    if (head !== null) await ANNOUNCE.run(db, { head: String(head) });
    if (!more) return SOON_MS;
  }
  return TIMER_MS;
}
