/** Recomputes scores within a minute of changes without an event: an exchange attestation that expired, or was lost unindexed. */
import { refreshAttested } from "../../db/cred/cred-passes.ts";
import { defineJob } from "../job.ts";

/** Resumes: at what differs, in sets of 2,000; the formula is clamped. */
export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  schedule: { everyMs: 60_000 },
  run: ({ db, clock }) => refreshAttested(db, clock()),
});
