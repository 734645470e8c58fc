/** Asks the chain how many transactions the wallets of humans have sent: part of their cred. */
import pLimit from "p-limit";
import { z } from "zod";
import { storeTransactionCount, walletsToCount } from "../../db/principals/humans.ts";
import { defineJob } from "../job.ts";

/** Wallets of one run, what is left is the next run's; and questions under way at once. */
const ROUND = 500;
const AT_ONCE = 4;

export const transactionCounts = defineJob({
  name: "transaction-counts",
  concurrency: 1,
  // Looks often, so that a new human is not waited for; asks about each wallet once in the pull interval.
  schedule: { everyMs: 30_000 },
  input: z.object({}),
  async run({ db, chain, clock, config }) {
    const limit = pLimit(AT_ONCE);
    const before = new Date(clock().getTime() - config.upstreams.pullMs);
    const wallets = await walletsToCount(db, before, ROUND);
    const news = await Promise.all(
      wallets.map((wallet) =>
        limit(async () => storeTransactionCount(db, wallet, await chain.nonce(wallet, "latest"), clock())),
      ),
    );
    return news.filter(Boolean).length;
  },
});
