/** What is kept for all agents without an event: referral codes, the number of holders, the wallets that are looked up. */
import { enterNamedWallets } from "../../db/agents/named-wallets.ts";
import { agentsWithoutCode, ensureReferralCodes } from "../../db/agents/referral-codes.ts";
import { countHolders } from "../../db/agents/token-stats.ts";
import { defineJob } from "../job.ts";

const CODES_PER_STATEMENT = 1_000;

/** Gives every indexed agent its referral code, however it was registered. */
export const referralCodes = defineJob({
  name: "referral-codes",
  schedule: { everyMs: 60_000 },
  async run({ db }) {
    for (let added = 0; ; ) {
      const agents = await agentsWithoutCode(db, { limit: CODES_PER_STATEMENT });
      added += await ensureReferralCodes(db, agents);
      if (agents.length < CODES_PER_STATEMENT) return added;
    }
  },
});

/** Max age of the number in milliseconds. */
const MAX_AGE_MS = 1_800_000;

/** Counts the holders of the service token. */
export const tokenStats = defineJob({
  name: "token-stats",
  // Runs more often than it counts, so that the first number does not wait half an hour for the first index.
  schedule: { everyMs: 60_000 },
  run: async ({ db, clock }) => Number(await countHolders(db, { now: clock(), maxAgeMs: MAX_AGE_MS })),
});

/** Max rows of the directory that one run reads: this many new ones, and this many of all. */
const ROWS_PER_RUN = 10_000;

/**
 * Finds the wallets that rows of the directory and humans name, for the jobs that look them up (Ethos, attestations).
 * Resumes: at the newest rows and at the next part of all rows, both places stored with what was found; the walk begins
 * again at its end.
 */
export const namedWallets = defineJob({
  name: "named-wallets",
  schedule: { everyMs: 15_000 },
  run: ({ db }) => enterNamedWallets(db, ROWS_PER_RUN),
});
