/** Reads from the chain the number of transactions that the wallets of humans have sent: part of their cred. */
import pLimit from "p-limit";
import { storeTransactionCount, walletsToCount } from "../../db/principals/humans.ts";
import { defineJob } from "../job.ts";

/** Max wallets per run (the next run does the rest), and max concurrent requests. */
const WALLETS_PER_RUN = 500;
const REQUESTS_AT_ONCE = 4;

/**
 * One item: when one request fails the answers of the others are stored; the run ends, and the next one
 * requests the rest.
 * Resumes: at the wallets never read, or read longest ago; the run ends at an error, after open answers are stored.
 */
export const transactionCounts = defineJob({
  name: "transaction-counts",
  // Runs often, so that a new human is counted soon; reads each wallet once per pull interval.
  schedule: { everyMs: 30_000 },
  async run({ db, chain, clock, config }) {
    const limit = pLimit(REQUESTS_AT_ONCE);
    const before = new Date(clock().getTime() - config.upstreams.pullMs);
    const wallets = await walletsToCount(db, { before, limit: WALLETS_PER_RUN });
    const news = await Promise.all(
      wallets.map((wallet) =>
        limit(async () =>
          storeTransactionCount(db, { wallet, count: await chain.nonce(wallet, "latest"), at: clock() }),
        ),
      ),
    );
    return news.filter(Boolean).length;
  },
});
