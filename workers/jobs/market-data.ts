/** Asks the market about the tokens of the directory, in batches, each token once in the pull interval. */
import { z } from "zod";
import { NO_QUOTE, storeQuotes, tokensToQuote } from "../../db/directory/markets.ts";
import { defineJob } from "../job.ts";

/** Tokens of one run; what is left is the next run's. */
const TOKENS = 3_000;

export const marketData = defineJob({
  name: "market-data",
  concurrency: 1,
  schedule: { everyMs: 15_000 },
  input: z.object({}),
  async run({ db, clock, config, markets }) {
    const since = new Date(clock().getTime() - config.upstreams.pullMs);
    const tokens = await tokensToQuote(db, since, TOKENS);
    let changed = 0;
    for (let from = 0; from < tokens.length; from += markets.batch) {
      const batch = tokens.slice(from, from + markets.batch);
      const quotes = await markets.quotes(batch);
      const stored = batch.map((token) => ({ token, known: quotes.has(token), ...(quotes.get(token) ?? NO_QUOTE) }));
      changed += await storeQuotes(db, stored, { source: markets.source, now: clock() });
    }
    return changed;
  },
});
