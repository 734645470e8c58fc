/** Reads some endpoints side by side, and stores what came of it. */
import pLimit from "p-limit";
import type { DueSource } from "../../db/offers/due-sources.ts";
import {
  bySize,
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
import { readSource } from "./read-endpoint.ts";

const ENDPOINTS_AT_ONCE = 16;
/** Max milliseconds of an endpoint that somebody waits for: what takes longer is read in its turn. */
const ON_DEMAND_MS = 7_000;

/**
 * Check then write: the endpoint is due, then state, offers and changed rows; it may be listed again, or read by the other
 * job: one transaction for state and offers, the last one stands, and an endpoint that is gone takes no update.
 * @param nextOf when an endpoint is asked again
 * @param options.onDemand somebody waits, who may ask as often as he likes: bounded in time, no failure counts, no turn is put off
 * @returns rows whose offers or liveness are different
 */
export async function readBatch(
  context: JobContext,
  sources: readonly DueSource[],
  nextOf: (outcome: ReadOutcome) => Date,
  { onDemand = false } = {},
): Promise<number> {
  const { db, clock, timeout = (ms) => AbortSignal.timeout(ms) } = context;
  const limit = pLimit(ENDPOINTS_AT_ONCE);
  const read = (source: DueSource) => readSource(context, source, onDemand ? timeout(ON_DEMAND_MS) : undefined);
  const results = await withoutOwnFaults(context, sources, (some) =>
    Promise.all(some.map((source) => limit(() => read(source)))),
  );
  const deferred = results.flatMap((result) => ("at" in result ? [result] : []));
  if (deferred.length > 0) await deferSources(db, deferred, { onDemand });
  const outcomes = results.flatMap((result) => ("at" in result ? [] : [{ ...result, nextTryAt: nextOf(result) }]));
  for (const outcome of outcomes) await sharePayees(db, outcome);
  if (!onDemand) await putOffSharing(db, sources, clock());
  let changed = 0;
  for (const some of bySize(outcomes)) changed += await storeOutcomes(context, some, onDemand);
  return changed;
}

function storeOutcomes(
  { db, clock, log }: JobContext,
  outcomes: readonly ReadOutcome[],
  onDemand: boolean,
): Promise<number> {
  const now = clock();
  return storeSet(db, outcomes, {
    store: (tx, some) => storeReads(tx, some, now, { onDemand }),
    async settle(tx, ids, refused) {
      const bare = refused.map(({ item, error }): ReadOutcome => {
        log.warn({ err: error, url: item.source.url }, "what an endpoint answers cannot be stored");
        const why = "What it answers cannot be stored.";
        return { ...item, status: "unreadable", answers: false, offers: null, why, probe: null };
      });
      const all = [...ids, ...(await storeReads(tx, bare, now, { onDemand }))];
      await touchChanged(tx, { ids: all });
      return all.length;
    },
  });
}
