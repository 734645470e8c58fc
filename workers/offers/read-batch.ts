/** Reads some endpoints side by side, and stores what came of it. */
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import type { DueSource } from "../../db/offers/due-sources.ts";
import {
  bySize,
  type DeferredSource,
  deferSources,
  putOffSharing,
  type ReadOutcome,
  sharePayees,
  storeReads,
  touchChanged,
} from "../../db/offers/offers.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { withoutOwnFaults } from "./own-faults.ts";
import { DAY_MS, readSource, tooSlow } from "./read-endpoint.ts";

const ENDPOINTS_AT_ONCE = 16;
/** Max milliseconds of an endpoint that somebody waits for. */
const ON_DEMAND_MS = 7_000;

/**
 * Check then write: the endpoint is due, then state, offers and changed rows; it may be listed again, or read by the other
 * job: one transaction for state and offers, the last one stands, and an endpoint that is gone takes no update.
 * @param nextOf when an endpoint is asked again
 * @param options.onDemand somebody waits for it, who may ask as often as he likes: it is bounded in time, and no failure counts
 * @returns rows whose offers or liveness are different
 */
export async function readBatch(
  context: JobContext,
  sources: readonly DueSource[],
  nextOf: (outcome: ReadOutcome) => Date,
  { onDemand = false } = {},
): Promise<number> {
  const { db, clock } = context;
  const limit = pLimit(ENDPOINTS_AT_ONCE);
  const read = onDemand ? readSoon : readSource;
  const results = await withoutOwnFaults(context, sources, (some) =>
    Promise.all(some.map((source) => limit(() => read(context, source)))),
  );
  const deferred = results.flatMap((result) => ("at" in result ? [result] : []));
  if (deferred.length > 0) await deferSources(db, deferred);
  const outcomes = results.flatMap((result) => ("at" in result ? [] : [{ ...result, nextTryAt: nextOf(result) }]));
  for (const outcome of outcomes) await sharePayees(db, outcome);
  await putOffSharing(db, sources, clock(), new Date(clock().getTime() + DAY_MS));
  let changed = 0;
  for (const some of bySize(outcomes)) changed += await storeOutcomes(context, some, onDemand);
  return changed;
}

/** Reads an endpoint in a bounded time. What takes longer is read in its turn. */
async function readSoon(context: JobContext, source: DueSource): Promise<ReadOutcome | DeferredSource> {
  const timer = new AbortController();
  const late = delay(ON_DEMAND_MS, undefined, { signal: timer.signal }).then(() => tooSlow(source, context.clock()));
  try {
    return await Promise.race([readSource(context, source), late]);
  } finally {
    late.catch(() => {});
    timer.abort();
  }
}

function storeOutcomes(
  { db, clock, log }: JobContext,
  outcomes: readonly ReadOutcome[],
  onDemand: boolean,
): Promise<number> {
  const now = clock();
  return storeSet(db, outcomes, {
    store: (tx, some) => storeReads(tx, some, now, { counts: !onDemand }),
    async settle(tx, ids, refused) {
      const bare = refused.map(({ item, error }): ReadOutcome => {
        log.warn({ err: error, url: item.source.url }, "what an endpoint answers cannot be stored");
        const why = "What it answers cannot be stored.";
        return {
          ...item,
          status: "unreadable",
          answers: false,
          offers: null,
          etag: null,
          lastModified: null,
          digest: null,
          why,
          probe: null,
        };
      });
      const all = [...ids, ...(await storeReads(tx, bare, now, { counts: !onDemand }))];
      await touchChanged(tx, all);
      return all.length;
    },
  });
}
