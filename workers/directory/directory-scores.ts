/** Recomputes the scores of foreign agents: ages grow, attestations come and go, wallets get identities. */
import { rescoreForeign } from "../../db/directory/write.ts";
import { defineJob } from "../job.ts";

export const directoryScores = defineJob({
  name: "directory-scores",
  schedule: { everyMs: 600_000 },
  run: ({ db, clock, config }) => rescoreForeign(db, { now: clock(), exchangeSchema: config.attestationSchemas[0]! }),
});
