/** Fetches the Ethos scores of the wallets that rows of the directory and humans name, in bulk. */
import { Failure } from "../../core/errors.ts";
import { type DueWallet, noteFailedScores, storeEthosScores, walletsToScore } from "../../db/directory/ethos.ts";
import { defineJob } from "../job.ts";

/** Max wallets per round, and max requests per run; the next run does the rest. */
const WALLETS_PER_ROUND = 1_000;
const REQUESTS_PER_RUN = 100;
/** Failures in a row after which a run ends, because Ethos is probably away. */
const MAX_FAILURES = 3;

/**
 * One item: a failed batch, or with one wallet that Ethos refuses, is noted as failed and comes last the next time,
 * in batches of a tenth, then of a hundredth; three failures in a row end the run.
 * Resumes: half at wallets that never had an answer, half at those that are longest without one; failed ones are asked
 * last.
 */
export const ethosRefresh = defineJob({
  name: "ethos-refresh",
  readsUntrusted: true,
  // Runs often, so that a new wallet gets its score soon; requests each wallet once per pull interval.
  schedule: { everyMs: 20_000 },
  async run({ db, ethos, clock, config }) {
    const since = new Date(clock().getTime() - config.upstreams.pullMs);
    const failures: unknown[] = [];
    let changed = 0;
    let requests = 0;
    let inARow = 0;
    for (let more = true; more && requests < REQUESTS_PER_RUN; ) {
      const wallets = await walletsToScore(db, since, WALLETS_PER_ROUND);
      for (const batch of batchesOf(wallets.due, ethos.batch).slice(0, REQUESTS_PER_RUN - requests)) {
        requests++;
        try {
          changed += await storeEthosScores(db, await ethos.scores(batch), clock());
          inARow = 0;
        } catch (error) {
          failures.push(error);
          await noteFailedScores(db, { wallets: batch, now: clock() });
          if (++inARow === MAX_FAILURES) break;
        }
      }
      more = wallets.more && failures.length === 0;
    }
    // An error of the service itself is reported before an upstream that is away.
    if (failures.length > 0) throw failures.find((error) => !(error instanceof Failure)) ?? failures[0];
    return changed;
  },
});

/**
 * Batches in the order of the wallets. After a failure a wallet is part of a batch of a tenth, after two of a hundredth:
 * one wallet that Ethos refuses soon keeps no other from its score.
 */
function batchesOf(due: readonly DueWallet[], size: number): DueWallet["wallet"][][] {
  const sizes = [size, Math.ceil(size / 10), Math.ceil(size / 100)];
  return sizes.flatMap((most, failures) => {
    const wallets = due
      .filter((each) => Math.min(each.failures, sizes.length - 1) === failures)
      .map(({ wallet }) => wallet);
    return Array.from({ length: Math.ceil(wallets.length / most) }, (_, i) => wallets.slice(i * most, (i + 1) * most));
  });
}
