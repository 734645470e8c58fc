/** Reads what reviewers had done before their first review, a few at a time: each takes up to two hundred requests of nodes that keep the state of past blocks. */
import { Failure } from "../../core/errors.ts";
import { dueHistories, storeHistory } from "../../db/reviews/reviewer-histories.ts";
import { defineJob } from "../job.ts";
import { readHistory } from "./reviewer-history.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = DAY_MS / 96;
/** Age of a review in seconds from which on no reorganisation takes it back. */
const FINAL_AFTER_SECONDS = 3_600;
/** Milliseconds until a reviewer whose past no node had is tried again: another node may be configured by then. */
const RETRY_MS = DAY_MS;

/**
 * Resumes: with the reviewers that have no history yet; each is stored by itself. A reviewer whose past no node has is
 * put off by a day; while no node answers the run ends, and no reviewer is put off.
 * Bound: 500 a day (`reviewer-histories` of DAILY_BUDGETS), up to two hundred requests each, for any number of
 * reviewers, in turns (`dueHistories`).
 */
export const reviewerHistories = defineJob({
  name: "reviewer-histories",
  schedule: { everyMs: EVERY_MS },
  async run({ db, chain, clock, log, config }) {
    const now = clock();
    const before = Math.floor(now.getTime() / 1_000) - FINAL_AFTER_SECONDS;
    const due = await dueHistories(db, {
      now,
      before,
      limit: Math.ceil((config.reviewerHistoriesPerDay * EVERY_MS) / DAY_MS),
    });
    // If no node answers at all, this throws, and no reviewer is put off until tomorrow.
    if (due.length > 0) await chain.headBlock();
    let read = 0;
    for (const { client, block } of due) {
      try {
        await storeHistory(db, client, await readHistory(chain, client, block), null);
        read += 1;
      } catch (error) {
        if (!(error instanceof Failure && error.code === "upstream_unavailable")) throw error;
        log.info({ reviewer: client }, "no node has the past of a reviewer");
        await storeHistory(db, client, null, new Date(now.getTime() + RETRY_MS));
      }
    }
    return read;
  },
});
