/** Lets the scores of agents fall within a minute of the end of their exchange attestation that no event announces: its expiry, or its loss before it was indexed. */
import { z } from "zod";
import { refreshAttested } from "../../db/cred.ts";
import { defineJob } from "../job.ts";

export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  concurrency: 1,
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: ({ db, clock }) => refreshAttested(db, clock()),
});
