/** Lets the scores of agents fall within a minute of the expiry of their exchange attestation, which no event announces. */
import { z } from "zod";
import { refreshExpired } from "../../db/cred.ts";
import { defineJob } from "../job.ts";

export const exchangeExpiry = defineJob({
  name: "exchange-expiry",
  concurrency: 1,
  schedule: { everyMs: 60_000 },
  input: z.object({}),
  run: ({ db, clock }) => refreshExpired(db, clock()),
});
