/** Deletes messages older than MESSAGE_RETENTION; without that variable every message is kept. */
import { deleteMessagesBefore } from "../../db/messages/messages.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { defineJob } from "../job.ts";

/** Resumes: at the oldest rows, 2,000 at once; a part that fails is tried by the next run. */
export const messageRetention = defineJob({
  name: "message-retention",
  schedule: { everyMs: 3_600_000 },
  async run({ db, config }) {
    const { messageRetentionMs } = config;
    if (messageRetentionMs === undefined) return 0;
    return deleteMessagesBefore(db, new Date((await databaseNow(db)).getTime() - messageRetentionMs));
  },
});
