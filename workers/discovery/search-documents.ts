/** Runs the upkeep of the search for agents: documents follow the directory within a second. */
import { DIRECTORY_CHANNEL } from "../../db/directory/write.ts";
import { followDirectory } from "../../db/discovery/follow.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { type Loop, runLoop } from "../loop.ts";

/** Milliseconds between rounds without a change of the directory: ages change too, and a notification may be lost. */
const TIMER_MS = 60_000;
/** Min milliseconds between rounds: many rows change one after the other. */
const PAUSE_MS = 400;

/** Runs until stopped. Any number of processes may run it: one at a time does the work. */
export function followDocuments(
  { db, log, clock }: Pick<JobContext, "db" | "log" | "clock">,
  { timerMs = TIMER_MS } = {},
): Pick<Loop, "stop"> {
  const failure = "the documents of the search could not be brought up to date; tried again";
  return runLoop({ db, log }, { channels: [DIRECTORY_CHANNEL], timerMs, pauseMs: PAUSE_MS, failure }, async (loop) => {
    try {
      for (let more = true; more && !loop.stopping; ) {
        const round = await followDirectory(db, clock());
        for (const { id, error } of round.refused)
          log.warn(
            { directoryId: id, err: error },
            "the database refuses the document of an agent; the search does not find it",
          );
        more = round.more;
      }
    } catch (error) {
      // Before the first index there is no feedback and no agent to read.
      if (!isNoIndex(error)) throw error;
    }
  });
}
