/** What time changes of the directory's rows, without an event: scores, places, volumes, planes, and the table of proven wallets. */
import { rebuildAliases } from "../../db/directory/aliases.ts";
import { storeRanks, storeVolumes } from "../../db/directory/daily-ranks.ts";
import { foldPlanes } from "../../db/directory/planes/fold.ts";
import { rescoreForeign } from "../../db/directory/write.ts";
import { defineJob } from "../job.ts";

/** Recomputes the scores of foreign agents: ages grow, attestations come and go, wallets get identities. */
export const directoryScores = defineJob({
  name: "directory-scores",
  schedule: { everyMs: 600_000 },
  run: ({ db, clock, config }) => rescoreForeign(db, { now: clock(), exchangeSchema: config.attestationSchemas[0]! }),
});

/** Records the ranks of the directory's first rows every day. */
export const directoryRanks = defineJob({
  name: "directory-ranks",
  // Runs more often than once a day: a process that was down at midnight misses no day.
  schedule: { everyMs: 3_600_000 },
  run: ({ db, clock }) => storeRanks(db, clock()),
});

/** Keeps the planes of the directory, by which pages are found where memory does not answer. */
export const directoryPlanes = defineJob({
  name: "directory-planes",
  schedule: { everyMs: 3_000 },
  run: ({ db, clock }) => foldPlanes(db, { now: clock().getTime() }),
});

/** Compares the table of proven wallets with the rows of the directory, once a day. */
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

/**
 * Keeps the dollars that tokens traded on each of the last 30 days, which the directory's longer windows of trending
 * add up.
 */
export const tokenVolumes = defineJob({
  name: "token-volumes",
  // Each run replaces the day's value: the last one of a day counts.
  schedule: { everyMs: 900_000 },
  run: ({ db, clock }) => storeVolumes(db, clock()),
});
