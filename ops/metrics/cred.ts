/** Scores whose inputs were missed, as the daily comparison with the facts found them, and points of the history outside its partitions. Every worker shows the same. */
import type { Registry } from "prom-client";
import { historyState } from "../../db/cred/cred-history-months.ts";
import { missedScores } from "../../db/cred/cred-passes.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape } from "./metric.ts";

const MAX_AGE_MS = 60_000;

export function credGauges(registry: Registry, db: Queryable, now = () => performance.now()): void {
  const missed = cachedRead(() => missedScores(db), MAX_AGE_MS, now);
  onScrape(
    registry,
    {
      name: "agents_cred_missed_total",
      help: "Scores that the comparison with the facts found to be of older facts, and repaired",
      type: "counter",
    },
    async () => {
      const value = await missed();
      return value === null ? [] : [{ value }];
    },
  );
  const history = cachedRead(() => historyState(db), MAX_AGE_MS, now);
  onScrape(
    registry,
    {
      name: "agents_cred_history_stray_rows",
      help: "Points of the score history that no month's partition has taken",
      type: "gauge",
    },
    async () => {
      const state = await history();
      return state === null ? [] : [{ value: state.stray }];
    },
  );
}
