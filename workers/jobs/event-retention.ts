/** Removes events older than EVENT_RETENTION from the event log. */
import { z } from "zod";
import { deleteOldEvents } from "../../db/event-sequence.ts";
import { transaction } from "../../db/transaction.ts";
import { defineJob } from "../job.ts";

/** Max rows per transaction; keeps its locks short. */
const ROWS = 2_000;

export const eventRetention = defineJob({
  name: "event-retention",
  concurrency: 1,
  schedule: { everyMs: 600_000 },
  input: z.object({}),
  async run({ db, config, clock }) {
    const before = new Date(clock().getTime() - config.eventRetentionMs);
    let gone = 0;
    for (;;) {
      const rows = await transaction(db, (tx) => deleteOldEvents(tx, { before, limit: ROWS }));
      gone += rows;
      if (rows < ROWS) return gone;
    }
  },
});
