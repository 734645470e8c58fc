/** Runs the upkeep of the search for agents: documents follow the directory within a second. */
import { followDirectory } from "../../db/discovery/follow.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { type Loop, runLoop } from "../loop.ts";

/** Milliseconds between rounds: changes of the directory have no notification. */
const TIMER_MS = 400;

/** Runs until stopped. Any number of processes may run it: one at a time does the work. */
export function followDocuments(
  { db, log, clock }: Pick<JobContext, "db" | "log" | "clock">,
  { timerMs = TIMER_MS } = {},
): Pick<Loop, "stop"> {
  const trouble = "the documents of the search could not be brought up to date; tried again";
  return runLoop({ db, log }, { channels: [], timerMs, trouble }, async (loop) => {
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
