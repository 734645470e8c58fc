/** Recomputes scores within a minute of changes without an event: an exchange attestation that expired, or was lost unindexed. */
import { z } from "zod";
import { refreshAttested } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

/** Resumes: at what differs, in sets of 2,000; the formula is clamped. */
export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  concurrency: 1,
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: ({ db, clock }) => refreshAttested(db, clock()),
});
