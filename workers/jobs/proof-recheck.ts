/** Looks at recorded proofs again: one that vanished lapses and the score follows, one that cannot be asked about goes stale. */
import pLimit from "p-limit";
import { z } from "zod";
import type { ProofPlatform } from "../../clients/ports.ts";
import { Failure } from "../../core/errors.ts";
import type { Platform } from "../../core/facts.ts";
import { recomputeCred } from "../../db/cred.ts";
import { noteEvents } from "../../db/event-notes.ts";
import { type Checked, type ProofRecord, proofsDue, storeChecks } from "../../db/proofs.ts";
import { transaction } from "../../db/transaction.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

/** Proofs of one platform that one run looks at; the rest is the next run's. */
const PER_RUN = 1_000;

export const proofRecheck = defineJob({
  name: "proof-recheck",
  concurrency: 1,
  // Looks for what is due more often than each proof is due, which spreads the requests over the day.
  schedule: { everyMs: 10_000 },
  input: z.object({}),
  async run(context) {
    const runs = await Promise.all(
      Object.entries(context.proofs).map(([platform, source]) => recheck(context, platform as Platform, source)),
    );
    // What could be looked at is written down; that the rest could not is told by the run that failed.
    for (const { trouble } of runs) if (trouble) throw trouble;
    return runs.reduce((sum, { looked }) => sum + looked, 0);
  },
});

type Source = Pick<ProofPlatform<unknown>, "batch" | "recheck">;
type Run = { looked: number; trouble: Failure | null };

async function recheck(context: JobContext, platform: Platform, source: Source): Promise<Run> {
  const { db, clock, config, log } = context;
  const before = new Date(clock().getTime() - config.upstreams.proofRecheckMs);
  const due = await proofsDue(db, { platform, before, limit: PER_RUN });
  const run: Run = { looked: 0, trouble: null };

  async function look(proofs: ProofRecord[]): Promise<void> {
    const startedAt = clock();
    let seen: Awaited<ReturnType<Source["recheck"]>>;
    try {
      seen = await source.recheck(proofs.map((proof) => ({ ...proof, prefix: config.service.prefix })));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "upstream_unavailable") throw error;
      run.trouble = error;
      seen = proofs.map(() => null);
    }
    const checks = proofs.map(({ tokenId, accountId }, i): Checked => {
      const found = seen[i] ?? null;
      if (found === null) return { tokenId, accountId, outcome: "unknown" };
      if ("reason" in found) {
        log.info({ platform, tokenId, reason: found.reason }, "a proof lapses");
        return { tokenId, accountId, outcome: "vanished" };
      }
      return { ...found, tokenId, accountId, outcome: "stands" };
    });
    await transaction(db, async (tx) => {
      const lapsed = await storeChecks(tx, platform, checks, startedAt);
      await noteEvents(
        tx,
        lapsed.map(({ tokenId, handle }) => ({
          type: "proof.lapsed",
          data: { platform, handle },
          fact: `${tokenId} ${platform} ${handle} ${startedAt.toISOString()}`,
          tokenId,
          at: startedAt,
        })),
      );
      const tokenIds = lapsed.map(({ tokenId }) => tokenId);
      await recomputeCred(tx, { tokenIds }, { now: startedAt, cause: "proof.lapsed" });
    });
    run.looked += checks.filter(({ outcome }) => outcome !== "unknown").length;
  }

  const limit = pLimit(4);
  const batches = Array.from({ length: Math.ceil(due.length / source.batch) }, (_, i) =>
    due.slice(i * source.batch, (i + 1) * source.batch),
  );
  await Promise.all(batches.map((batch) => limit(() => look(batch))));
  return run;
}
