/** Fetches the Ethos scores of the wallets of agents, owners and humans, in bulk. */
import pLimit from "p-limit";
import { z } from "zod";
import { storeEthosScores, walletsToScore } from "../../db/ethos.ts";
import { defineJob } from "../job.ts";

/** Max wallets per round, and max rounds per run; the next run does the rest. */
const ROUND = 1_000;
const ROUNDS = 20;

export const ethosRefresh = defineJob({
  name: "ethos-refresh",
  concurrency: 1,
  // Runs often, so that a new agent's wallet gets its score soon; requests each wallet once per pull interval.
  schedule: { everyMs: 20_000 },
  input: z.object({}),
  async run({ db, ethos, clock, config }) {
    const limit = pLimit(2);
    const since = new Date(clock().getTime() - config.upstreams.pullMs);
    let changed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const wallets = await walletsToScore(db, since, ROUND);
      const batches = Array.from({ length: Math.ceil(wallets.length / ethos.batch) }, (_, i) =>
        wallets.slice(i * ethos.batch, (i + 1) * ethos.batch),
      );
      const ask = async (batch: typeof wallets) => storeEthosScores(db, await ethos.scores(batch), clock());
      const stored = await Promise.all(batches.map((batch) => limit(() => ask(batch))));
      changed += stored.reduce((sum, rows) => sum + rows, 0);
      if (wallets.length < ROUND) break;
    }
    return changed;
  },
});
