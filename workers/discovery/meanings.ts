/** Sends texts of agents to the provider of embeddings, where one is configured, so that agents are found by meaning. */
import { Failure } from "../../core/errors.ts";
import { areUnusable, claimTexts, readTexts, storeVectors, unclaimTexts } from "../../db/discovery/meanings.ts";
import { defineJob } from "../job.ts";

/** Rounds of reading, and calls of the provider, in one run; the next run does the rest. */
const READS_PER_RUN = 40;
const CALLS_PER_RUN = 30;

/**
 * Resumes: at texts without a vector, by score; a refused text is sent again with the next run, one without a known
 * answer after 6 hours, three times; an unusable answer ends it; 30 calls a run.
 * Bound: texts to the provider of embeddings, 2,000 characters, 64 a call, of the agents with the highest score; a
 * budget a day (EMBEDDINGS_*), and 100 unusable answers a day.
 */
export const meanings = defineJob({
  name: "meanings",
  schedule: { everyMs: 60_000 },
  async run({ db, embeddings, config, clock, fault }) {
    if (!embeddings || !config.embeddings) return 0;
    const { documents, textsPerDay: perDay } = config.embeddings;
    const of = { model: embeddings.model, documents, perDay, most: embeddings.batch };
    for (let i = 0; i < READS_PER_RUN && (await readTexts(db, of, clock())).more; i++);
    let changed = 0;
    for (let i = 0; i < CALLS_PER_RUN; i++) {
      if (await areUnusable(db, clock())) throw new Failure("upstream_unavailable", UNUSABLE);
      const claimed = await claimTexts(db, of, clock());
      if (claimed.length === 0) break;
      fault("meanings.claimed");
      const answer = await embeddings.vectors(claimed.map(({ text }) => text));
      fault("meanings.answered");
      if (answer.kind === "refused") {
        await unclaimTexts(db, claimed, perDay, clock());
        throw answer.failure;
      }
      changed += await storeVectors(db, claimed, answer.vectors, clock());
    }
    return changed;
  },
});

const UNUSABLE =
  "The provider of embeddings answers with vectors that cannot be used: compare EMBEDDINGS_DIMENSIONS with its model.";
