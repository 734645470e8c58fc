/** Recomputes scores within a minute of changes without an event: an exchange attestation that expired, or was lost unindexed. */
import { z } from "zod";
import { refreshAttested } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  concurrency: 1,
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: ({ db, clock }) => refreshAttested(db, clock()),
});
