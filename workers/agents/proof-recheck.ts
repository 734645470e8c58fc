/** Checks recorded proofs again: one that vanished lapses and the score follows, one that cannot be checked goes stale. */
import type { KnownProof, ProofReader } from "../../clients/ports.ts";
import {
  newProofs,
  type Rate,
  RESERVED_FOR_NEW_PROOFS,
  type Reads,
  readsOfRechecks,
  rechecks,
} from "../../core/agents/social-proof-allowances.ts";
import { Failure } from "../../core/errors.ts";
import type { ProofPlatformKey } from "../../core/proof-platforms.ts";
import { type ProofCheck, type ProofRecord, proofsDue, storeChecks } from "../../db/agents/social-proofs.ts";
import { levelsOf, takeAll, takeTokens } from "../../db/callers/allowances.ts";
import { recomputeCred } from "../../db/cred/cred.ts";
import { appendEvents } from "../../db/events/append-events.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";

/**
 * Takes a request and its reads from the allowance for re-checks, else from the allowance of new proofs while at least
 * RESERVED_FOR_NEW_PROOFS of that is left.
 * @returns seconds to wait; 0 when a request was taken
 */
async function takeForRecheck(
  db: JobContext["db"],
  platform: ProofPlatformKey,
  rate: Rate,
  reads: Reads,
  now: Date,
): Promise<number> {
  const budget = readsOfRechecks(platform, reads, now);
  const seconds = await takeAll(db, [rechecks(platform, rate), ...budget], now);
  if (seconds === 0) return 0;
  const shared = newProofs(platform, rate);
  const level = (await levelsOf(db, [shared.name], now)).get(shared.name)?.level ?? shared.most;
  if (level < shared.most * RESERVED_FOR_NEW_PROOFS) return seconds;
  return (await takeAll(db, [shared, ...budget], now)) && seconds;
}

/** Proofs that today's budget of reads is enough for; Infinity on a platform without a budget. */
async function readsLeft(
  db: JobContext["db"],
  platform: ProofPlatformKey,
  perDay: number | null,
  now: Date,
): Promise<number> {
  const [budget] = readsOfRechecks(platform, { perDay, count: 1 }, now);
  if (!budget) return Number.POSITIVE_INFINITY;
  const level = (await levelsOf(db, [budget.name], now)).get(budget.name);
  // The size may have changed since the bucket was last used; what was taken stays taken.
  return Math.floor(level ? level.level + budget.most - level.most : budget.most);
}

/** Max proofs of one platform per run; the next run does the rest. */
const CHECKS_PER_RUN = 1_000;
/** Batches that a platform is asked for at once, whose results are stored together. */
const AT_ONCE = 4;

/**
 * One item: profiles and daily checks of proofs may have odd or long ids, names and hashes, or an account that cannot
 * be read: the schemas of clients/proof-platforms/ and clients/ethos.ts bound each field and read each entry by itself,
 * an invalid answer is no failure of its upstream (clients/http.ts), and a check that `storeSet` finds refused counts
 * as unknown.
 * One item: a batch that a platform's error ends is `unknown`, goes stale and comes last the next time.
 * Resumes: at the proofs that were confirmed or checked least recently; one that failed is checked last.
 */
export const proofRecheck = defineJob({
  name: "proof-recheck",
  readsUntrusted: true,
  // Runs more often than each proof is due, which spreads the requests over the day.
  schedule: { everyMs: 10_000 },
  async run(context) {
    const runs = await Promise.all(
      Object.entries(context.proofs).map(([platform, source]) =>
        recheck(context, platform as ProofPlatformKey, source),
      ),
    );
    // The results of finished checks are stored; the run then fails for the others.
    for (const { failure } of runs) if (failure) throw failure;
    return runs.reduce((sum, { looked }) => sum + looked, 0);
  },
});

type Source = Pick<ProofReader<unknown>, "batch" | "recheck">;
type RecheckResult = { looked: number; failure: Failure | null };

async function recheck(context: JobContext, platform: ProofPlatformKey, source: Source): Promise<RecheckResult> {
  const { db, clock, config, log } = context;
  const { recheckMs, readsPerDay: perDay } = config.upstreams.proofChecks[platform];
  const before = new Date(clock().getTime() - recheckMs);
  const left = await readsLeft(db, platform, perDay, clock());
  const due = left < 1 ? [] : await proofsDue(db, { platform, before, limit: Math.min(CHECKS_PER_RUN, left) });
  const run: RecheckResult = { looked: 0, failure: null };
  /** The allowance is used up: proofs that were not checked stay as they are, for the next run. */
  let spent = false;

  async function spend(rate: Rate, count: number): Promise<number> {
    const reads = { perDay, count: Math.abs(count) };
    if (count < 0) {
      await takeTokens(db, readsOfRechecks(platform, reads, clock()), -1, clock());
      return 0;
    }
    const seconds = await takeForRecheck(db, platform, rate, reads, clock());
    spent ||= seconds > 0;
    return seconds;
  }

  async function look(proofs: ProofRecord[]): Promise<ProofCheck[]> {
    let seen: Awaited<ReturnType<Source["recheck"]>>;
    try {
      const { prefix } = config.service;
      const known = proofs.map((proof) => ({ ...proof, evidence: proof.evidence as KnownProof["evidence"], prefix }));
      seen = await source.recheck(known, spend);
    } catch (error) {
      if (spent) return [];
      const failure = error instanceof Failure && error.code === "upstream_unavailable" ? error : null;
      if (!failure) log.error({ err: error, platform }, "proofs could not be checked again");
      run.failure ??= failure ?? new Failure("upstream_unavailable", "Some proofs could not be looked at again.");
      seen = proofs.map(() => null);
    }
    return proofs.map(({ tokenId, accountId }, i): ProofCheck => {
      const proof = seen[i] ?? null;
      if (proof === null) return { tokenId, accountId, outcome: "unknown" };
      if ("reason" in proof) {
        log.info({ platform, tokenId, reason: proof.reason }, "a proof lapses");
        return { tokenId, accountId, outcome: "vanished" };
      }
      return { ...proof, tokenId, accountId, outcome: "stands" };
    });
  }

  const batches = Array.from({ length: Math.ceil(due.length / source.batch) }, (_, i) =>
    due.slice(i * source.batch, (i + 1) * source.batch),
  );
  for (let next = 0; next < batches.length && !spent; next += AT_ONCE) {
    const startedAt = clock();
    const checks = (await Promise.all(batches.slice(next, next + AT_ONCE).map(look))).flat();
    await storeSet(db, checks, {
      store: (tx, sound) => storeLooks(tx, platform, sound, startedAt),
      async settle(tx, _, refused) {
        for (const { item, error } of refused)
          log.error(
            { err: error, platform, tokenId: item.tokenId },
            "the result of a proof's check could not be stored",
          );
        const unknown = refused.map(({ item: { tokenId, accountId } }) => ({
          tokenId,
          accountId,
          outcome: "unknown" as const,
        }));
        await storeChecks(tx, platform, unknown, startedAt);
      },
    });
    run.looked += checks.filter(({ outcome }) => outcome !== "unknown").length;
  }
  return run;
}

/** Stores the results of checks, with the new scores of agents whose proofs lapse. */
async function storeLooks(
  tx: Queryable,
  platform: ProofPlatformKey,
  checks: readonly ProofCheck[],
  now: Date,
): Promise<void> {
  const lapsed = await storeChecks(tx, platform, checks, now);
  await appendEvents(
    tx,
    lapsed.map(({ tokenId, handle }) => ({
      type: "proof.lapsed",
      data: { platform, handle },
      fact: `${tokenId} ${platform} ${handle} ${now.toISOString()}`,
      tokenId,
      at: now,
    })),
  );
  await recomputeCred(tx, { tokenIds: lapsed.map(({ tokenId }) => tokenId) }, { now, cause: "proof.lapsed" });
}
