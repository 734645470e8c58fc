/** Scores, their roots, proofs and vectors of agents, as the database has them. Every worker shows the same. */
import type { Registry } from "prom-client";
import type { Embeddings } from "../../clients/ports.ts";
import { readsOfNewProofs, readsOfRechecks } from "../../core/agents/social-proof-allowances.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { proofsOverdue } from "../../db/agents/social-proofs.ts";
import { levelsOf } from "../../db/callers/allowances.ts";
import { latestPublished } from "../../db/cred/cred-epochs.ts";
import { historyState } from "../../db/cred/cred-history-months.ts";
import { missedScores } from "../../db/cred/cred-passes.ts";
import { countMeanings } from "../../db/discovery/meanings.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead, samplesBy, showOnScrape } from "./metric.ts";

/** Max age of what is read, in milliseconds. */
const MAX_AGE_MS = 60_000;
const ROOT_MAX_AGE_MS = 5_000;
const MEANINGS_MAX_AGE_MS = 30_000;

/** Scores whose inputs were missed, as the daily comparison with the facts found them, and points of the history outside its partitions. */
export function credGauges(registry: Registry, db: Queryable): void {
  const missed = cachedRead(() => missedScores(db), MAX_AGE_MS);
  showOnScrape(registry, missed, {
    agents_cred_missed_total: [
      "Scores that the comparison with the facts found to be of older facts, and repaired",
      (scores) => scores,
      "counter",
    ],
  });
  const history = cachedRead(() => historyState(db), MAX_AGE_MS);
  showOnScrape(registry, history, {
    agents_cred_history_stray_rows: [
      "Points of the score history that no month's partition has taken",
      ({ stray }) => stray,
    ],
  });
}

/**
 * The roots of scores: the newest epoch, its age, its size, and the time that building it took.
 * @param of `address` undefined: no roots are published, and the metrics have no values
 */
export function credRootGauges(
  registry: Registry,
  db: Queryable,
  of: { address: string | undefined; intervalMs: number },
  { clock = () => Date.now(), now = () => performance.now() } = {},
): void {
  const startedAt = clock();
  const latest = cachedRead(async () => ({ epoch: await latestPublished(db) }), ROOT_MAX_AGE_MS, now);
  showOnScrape(registry, async () => (of.address === undefined ? null : latest()), {
    agents_cred_root_epoch: ["The newest published epoch of scores", ({ epoch }) => epoch?.epoch],
    agents_cred_root_age_seconds: [
      "Time since the scores were last read and found to be those of the newest published root; without one since the start",
      ({ epoch }) => {
        const at = epoch ? Math.max(epoch.computedAt.getTime(), epoch.checkedAt?.getTime() ?? 0) : startedAt;
        return Math.max(0, (clock() - at) / 1_000);
      },
    ],
    agents_cred_root_interval_seconds: ["Interval between two roots", () => of.intervalMs / 1_000],
    agents_cred_root_leaves: ["Scores in the newest published root", ({ epoch }) => epoch?.leaves],
    agents_cred_root_build_seconds: [
      "Time that reading the scores and building the tree of the newest published root took",
      ({ epoch }) => epoch && epoch.buildMs / 1_000,
    ],
  });
}

/** Agents with a vector, and those that wait for one. @param embeddings null: there is no provider, and the metric has no values */
export function meaningGauges(registry: Registry, db: Queryable, embeddings: Pick<Embeddings, "model"> | null): void {
  const counts = cachedRead(async () => countMeanings(db, { model: embeddings!.model }), MEANINGS_MAX_AGE_MS);
  showOnScrape(registry, async () => embeddings && counts(), {
    agents_meanings: [
      "Agents by the vector of their text: found (they have one), waiting (not sent yet), missing (sent, without a usable answer)",
      (read) => samplesBy("state", read),
    ],
  });
}

/**
 * Recorded proofs whose check is due, and what is left of the platforms' budgets of reads.
 * @param checks the interval and the budget of each platform; `readsPerDay` null: no budget
 */
export function proofGauges(
  registry: Registry,
  db: Queryable,
  checks: Readonly<Record<ProofPlatformKey, { recheckMs: number; readsPerDay: number | null }>>,
  { clock = () => new Date(), now = () => performance.now() } = {},
): void {
  const platforms = Object.entries(checks) as [ProofPlatformKey, (typeof checks)[ProofPlatformKey]][];
  const dueBefore = () =>
    platforms.map(([platform, { recheckMs }]) => ({ platform, before: new Date(clock().getTime() - recheckMs) }));
  const overdue = cachedRead(() => proofsOverdue(db, { due: dueBefore() }), MAX_AGE_MS, now);
  showOnScrape(registry, overdue, {
    agents_proofs_due: [
      "Recorded proofs that are due to be checked again; many for long: the platform or its budget of reads is used up",
      (due) => due.map(({ platform, count }) => ({ labels: { platform }, value: count })),
    ],
  });
  const left = cachedRead(() => readsLeft(db, platforms, clock()), MAX_AGE_MS, now);
  showOnScrape(registry, left, {
    agents_proof_reads_left: [
      "Accounts that may still be read today (UTC) on a platform that bills each: for new proofs, for checks of known ones",
      (reads) => reads.map(({ platform, work, value }) => ({ labels: { platform, work }, value })),
    ],
  });
}

async function readsLeft(
  db: Queryable,
  platforms: readonly [ProofPlatformKey, { readsPerDay: number | null }][],
  now: Date,
) {
  const budgets = platforms.flatMap(([platform, { readsPerDay }]) => {
    const reads = { perDay: readsPerDay, count: 1 };
    const [ofNewProofs] = readsOfNewProofs(platform, [], reads, now);
    const [ofChecks] = readsOfRechecks(platform, reads, now);
    if (!ofNewProofs || !ofChecks) return [];
    return [
      { platform, work: "new", bucket: ofNewProofs },
      { platform, work: "checks", bucket: ofChecks },
    ];
  });
  const levels = await levelsOf(
    db,
    budgets.map(({ bucket }) => bucket.name),
    now,
  );
  return budgets.map(({ platform, work, bucket: { name, most } }) => {
    const row = levels.get(name);
    return { platform, work, value: row ? row.level + most - row.most : most };
  });
}
