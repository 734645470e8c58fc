/** Gives every indexed agent its referral code, however it was registered. */
import { agentsWithoutCode, ensureReferralCodes } from "../../db/agents/referral-codes.ts";
import { defineJob } from "../job.ts";

const CODES_PER_STATEMENT = 1_000;

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
