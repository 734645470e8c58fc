/**
 * Pulls every foreign registry that is due.
 * One item: each registry has its own state, and errors are caught one by one, so one that does not answer delays no
 * other.
 */
import { REGISTRY_READERS } from "../../core/directory/registry-readers.ts";
import { type PullProgress, pullProgress, runWhenPullIsDue } from "../../db/directory/pulls.ts";
import { isIndexed } from "../../db/sql/transaction.ts";
import { defineJob, type Job } from "../job.ts";
import { pullRegistries } from "./pull-registry.ts";

/** Min milliseconds between two runs: another process may be pulling what is due. */
const LEAST_MS = 10_000;

/** Share of the interval by which a pull comes early, to run with one that is due; one that failed waits for its time. */
const EARLY_SHARE = 1 / 2;
/** Max milliseconds of that. */
const MOST_EARLY_MS = 30_000;

/** The registries to pull: none before the first is due, and then those that are due soon with it. */
function dueRegistries(pulls: readonly PullProgress[], now: Date, everyMs: number) {
  const byKey = new Map(pulls.map((pull) => [pull.key, pull]));
  const dueWithin = (ms: number) =>
    REGISTRY_READERS.filter(({ key }) => {
      const { nextRunAt, error } = byKey.get(key) ?? { nextRunAt: null, error: null };
      return nextRunAt === null || nextRunAt.getTime() <= now.getTime() + (error === null ? ms : 0);
    });
  return dueWithin(0).length === 0 ? [] : dueWithin(Math.min(everyMs * EARLY_SHARE, MOST_EARLY_MS));
}

export const directoryPull: Job = defineJob({
  name: "directory-pull",
  readsUntrusted: true,
  // And when the first registry is due.
  schedule: { everyMs: 60_000 },
  async run(context) {
    const { db, clock, config, registries } = context;
    // Scores need the index; before there is one, no row can be written.
    if (!(await isIndexed(db))) return 0;
    const due = dueRegistries(await pullProgress(db), clock(), config.upstreams.pullMs);
    const rules = { exchangeSchema: config.attestationSchemas[0]!, chainId: config.chain.id };
    const rows = await pullRegistries(
      { ...context, ...rules, everyMs: config.upstreams.pullMs },
      due.map((reader) => ({ reader, registry: registries[reader.key]! })),
    );
    const sources = REGISTRY_READERS.map(({ key }) => key);
    await runWhenPullIsDue(db, { job: directoryPull.name, sources, leastMs: LEAST_MS });
    return rows;
  },
});
