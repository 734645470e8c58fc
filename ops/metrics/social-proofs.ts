/** Recorded proofs whose check is due, and what is left of the platforms' budgets of reads. */
import type { Registry } from "prom-client";
import { readsOfRechecks, readsOfStrangers } from "../../core/agents/social-proof-allowances.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { proofsOverdue } from "../../db/agents/social-proofs.ts";
import { levelsOf } from "../../db/callers/allowances.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { cachedRead } from "./cached-read.ts";
import { onScrape } from "./metric.ts";

const MAX_AGE_MS = 60_000;

/** @param checks the interval and the budget of each platform; `readsPerDay` null: no budget */
export function proofGauges(
  registry: Registry,
  db: Queryable,
  checks: Readonly<Record<ProofPlatformKey, { recheckMs: number; readsPerDay: number | null }>>,
  { clock = () => new Date(), now = () => performance.now() } = {},
): void {
  const platforms = Object.entries(checks) as [ProofPlatformKey, (typeof checks)[ProofPlatformKey]][];
  const overdue = cachedRead(
    () =>
      proofsOverdue(
        db,
        platforms.map(([platform, { recheckMs }]) => ({
          platform,
          before: new Date(clock().getTime() - recheckMs),
        })),
      ),
    MAX_AGE_MS,
    now,
  );
  onScrape(
    registry,
    {
      name: "agents_proofs_due",
      help: "Recorded proofs that are due to be checked again; many for long: the platform or its budget of reads is used up",
      type: "gauge",
    },
    async () => ((await overdue()) ?? []).map(({ platform, count }) => ({ labels: { platform }, value: count })),
  );
  const left = cachedRead(() => readsLeft(db, platforms, clock()), MAX_AGE_MS, now);
  onScrape(
    registry,
    {
      name: "agents_proof_reads_left",
      help: "Accounts that may still be read today (UTC) on a platform that bills each: for new proofs, for checks of known ones",
      type: "gauge",
    },
    async () => ((await left()) ?? []).map(({ platform, work, value }) => ({ labels: { platform, work }, value })),
  );
}

async function readsLeft(
  db: Queryable,
  platforms: readonly [ProofPlatformKey, { readsPerDay: number | null }][],
  now: Date,
) {
  const budgets = platforms.flatMap(([platform, { readsPerDay }]) => {
    const reads = { perDay: readsPerDay, count: 1 };
    const [ofNewProofs] = readsOfStrangers(platform, [], reads, now);
    const [ofChecks] = readsOfRechecks(platform, reads, now);
    if (!ofNewProofs || !ofChecks) return [];
    return [
      { platform, work: "new", bucket: ofNewProofs },
      { platform, work: "checks", bucket: ofChecks },
    ];
  });
  const known = await levelsOf(
    db,
    budgets.map(({ bucket }) => bucket.name),
    now,
  );
  return budgets.map(({ platform, work, bucket: { name, most } }) => {
    const row = known.get(name);
    return { platform, work, value: row ? row.level + most - row.most : most };
  });
}
