/** Fetches market data of the directory's tokens in batches, each token once per pull interval. */
import { Failure } from "../../core/errors.ts";
import { type DueToken, NO_QUOTE, noteFailedQuotes, storeQuotes, tokensToQuote } from "../../db/directory/markets.ts";
import { defineJob } from "../job.ts";

/** Max tokens of one run; the next run does the rest. */
const TOKENS_PER_RUN = 3_000;
/** Max requests per run. Tokens that failed before are requested one by one; this keeps such a run short. */
const REQUESTS_PER_RUN = 100;
/** Failures in a row after which a run ends, because the market is probably away. */
const MAX_FAILURES = 3;

/**
 * One item: after a failed batch the run continues with the next one; three failures in a row end it.
 * Resumes: at the tokens asked least recently; a failure is stored (`failed_at`), and its tokens come after the others,
 * one by one.
 */
export const marketData = defineJob({
  name: "market-data",
  readsUntrusted: true,
  schedule: { everyMs: 15_000 },
  async run({ db, clock, config, markets }) {
    const since = new Date(clock().getTime() - config.upstreams.pullMs);
    const batches = batchesOf(await tokensToQuote(db, { since, limit: TOKENS_PER_RUN }), markets.batch);
    const failures: unknown[] = [];
    let changed = 0;
    let inARow = 0;
    for (const batch of batches.slice(0, REQUESTS_PER_RUN)) {
      try {
        const quotes = await markets.quotes(batch);
        const stored = batch.map((token) => ({ token, known: quotes.has(token), ...(quotes.get(token) ?? NO_QUOTE) }));
        changed += await storeQuotes(db, stored, { source: markets.source, now: clock() });
        inARow = 0;
      } catch (error) {
        failures.push(error);
        await noteFailedQuotes(db, { tokens: batch, source: markets.source, now: clock() });
        if (++inARow === MAX_FAILURES) break;
      }
    }
    // An error of the service itself is reported before an upstream that is away.
    if (failures.length > 0) throw failures.find((error) => !(error instanceof Failure)) ?? failures[0];
    return changed;
  },
});

/** Batches in the order of their first tokens. A token that failed before is a batch of its own: it may be the cause. */
function batchesOf(due: readonly DueToken[], size: number): string[][] {
  const batches: string[][] = [];
  let open: string[] = [];
  for (const { token, failed } of due) {
    if (failed) {
      batches.push([token]);
      continue;
    }
    if (open.length % size === 0) {
      open = [];
      batches.push(open);
    }
    open.push(token);
  }
  return batches;
}
