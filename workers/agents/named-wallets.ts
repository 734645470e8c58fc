/** Finds the wallets that rows of the directory and humans name, for the jobs that look them up (Ethos, attestations). */
import { enterNamedWallets } from "../../db/agents/named-wallets.ts";
import { defineJob } from "../job.ts";

/** Max rows of the directory that one run reads: this many new ones, and this many of all. */
const ROWS_PER_RUN = 10_000;

/**
 * Resumes: at the newest rows and at the next part of all rows, both places stored with what was found; the walk begins
 * again at its end.
 */
export const namedWallets = defineJob({
  name: "named-wallets",
  schedule: { everyMs: 15_000 },
  run: ({ db }) => enterNamedWallets(db, ROWS_PER_RUN),
});
