/** Compares the table of proven wallets with the rows of the directory, once a day. */
import { rebuildAliases } from "../../db/directory/aliases.ts";
import { defineJob } from "../job.ts";

export const directoryAliases = defineJob({
  name: "directory-aliases",
  schedule: { everyMs: 86_400_000 },
  async run({ db, log }) {
    const wrong = await rebuildAliases(db);
    if (wrong > 0)
      log.warn(
        { wrong },
        "rows of proven wallets differed from the directory and were corrected: a write bypassed the directory's trigger",
      );
    return wrong;
  },
});
