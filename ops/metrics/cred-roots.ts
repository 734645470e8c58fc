/** The roots of scores: the newest epoch, its age, its size, and the time that building it took. Every worker shows the same. */
import type { Registry } from "prom-client";
import { latestPublished } from "../../db/cred/cred-epochs.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape, type Sample } from "./metric.ts";

const MAX_AGE_MS = 5_000;

/** @param of `address` undefined: no roots are published, and the metrics have no values */
export function credRootGauges(
  registry: Registry,
  db: Queryable,
  of: { address: string | undefined; intervalMs: number },
  { clock = () => Date.now(), now = () => performance.now() } = {},
): void {
  const startedAt = clock();
  const latest = cachedRead(async () => ({ epoch: await latestPublished(db) }), MAX_AGE_MS, now);
  type Epoch = NonNullable<Awaited<ReturnType<typeof latestPublished>>>;
  const gauge = (name: string, help: string, value: (epoch: Epoch | null) => number | null) =>
    onScrape(registry, { name, help, type: "gauge" }, async (): Promise<Sample[]> => {
      const read = of.address === undefined ? null : await latest();
      const found = read && value(read.epoch);
      return found === null ? [] : [{ value: found }];
    });
  gauge("agents_cred_root_epoch", "The newest published epoch of scores", (epoch) => epoch?.epoch ?? null);
  gauge(
    "agents_cred_root_age_seconds",
    "Time since the scores were last read and found to be those of the newest published root; without one since the start",
    (epoch) => {
      const at = epoch ? Math.max(epoch.computedAt.getTime(), epoch.checkedAt?.getTime() ?? 0) : startedAt;
      return Math.max(0, (clock() - at) / 1_000);
    },
  );
  gauge("agents_cred_root_interval_seconds", "Interval between two roots", () => of.intervalMs / 1_000);
  gauge("agents_cred_root_leaves", "Scores in the newest published root", (epoch) => epoch?.leaves ?? null);
  gauge(
    "agents_cred_root_build_seconds",
    "Time that reading the scores and building the tree of the newest published root took",
    (epoch) => epoch && epoch.buildMs / 1_000,
  );
}
