/** Checks of the running service: the API's readiness, queues, scheduled jobs, the sender. */
import { formatEther } from "viem/utils";
import { z } from "zod";
import { stalledSentence } from "../../core/operations/stalled-queues.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { scheduledRuns, stalledJobs } from "../../db/operations/job-runs.ts";
import { transactionsUnderWay } from "../../db/operations/server-health.ts";
import { senderState } from "../../db/transactions/sender-state.ts";
import { type Check, error, type Finding, ok, skipped, warning } from "../check.ts";

const readiness = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), message: z.string().nullable() })),
});

const api: Check = {
  name: "API",
  needs: ["service"],
  async run({ service }) {
    const { ready, checks } = readiness.parse((await service("/ready")).json);
    const bad = Object.entries(checks).filter(([, check]) => !check.ok);
    if (ready && bad.length === 0) return ok("ready");
    return bad.map(([subject, { message }]) =>
      warning(message ?? "not ready", "See the check of the same name in this report.", subject),
    );
  },
};

const status = z.object({
  queues: z.array(
    z.object({ name: z.string(), waiting: z.number(), failed: z.number(), oldestSeconds: z.number().nullable() }),
  ),
});

/** Age of the oldest waiting job, in seconds, from which on a queue counts as without progress. */
const OLD_JOB_SECONDS = 300;

const queues: Check = {
  name: "queues",
  needs: ["service"],
  async run({ service }) {
    const { queues } = status.parse((await service("/api/v2/status")).json);
    const findings: Finding[] = queues
      .filter(({ failed, oldestSeconds }) => failed > 0 || (oldestSeconds ?? 0) > OLD_JOB_SECONDS)
      .map(({ name, waiting, failed, oldestSeconds }) =>
        warning(
          `${waiting} waiting, the oldest ${Math.round(oldestSeconds ?? 0)} s; ${failed} failed`,
          "Start workers, or read why jobs fail: the board of the queues shows each (docs/operate/monitoring.md).",
          name,
        ),
      );
    const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
    return findings.length > 0 ? findings : ok(`${queues.length} queues, ${waiting} jobs waiting, none failed`);
  },
};

const jobs: Check = {
  name: "scheduled jobs",
  needs: ["database"],
  async run({ db }) {
    const [runs, pulls] = await Promise.all([scheduledRuns(db), pullProgress(db)]);
    if (runs.length === 0) return skipped("no job has run yet: start the workers");
    const stalled = stalledSentence(await stalledJobs(db, async () => []));
    if (stalled !== null)
      return error(stalled, "Start the workers, or read their log; the alert QueueStalled lists causes.");
    const failed = [
      ...runs.map(({ name, error: why }) => ({ name, why })),
      ...pulls.map(({ key, error: why }) => ({ name: key, why })),
    ]
      .filter((each): each is { name: string; why: string } => each.why !== null)
      .map(({ name, why }) => warning(why, "It runs again on schedule; read the workers' log if it stays.", name));
    return failed.length > 0
      ? failed
      : ok(`${runs.length} jobs and ${pulls.length} pulls, the last run of each succeeded`);
  },
};

/** Seconds after which the sender's published state is old, and an unsent transaction too. */
const OLD_STATE_SECONDS = 300;

const sender: Check = {
  name: "sender",
  needs: ["database"],
  async run({ db, accounts, now }) {
    const state = await senderState(db);
    if (state === null) return skipped("the sender has not run yet");
    const { queued, signed, old } = await transactionsUnderWay(db, {
      before: new Date(now() - OLD_STATE_SECONDS * 1000),
    });
    const way = `${queued} queued, ${signed} signed, ${formatEther(state.balanceWei)} ETH`;
    if (accounts.deployer !== null && accounts.deployer !== state.address.toLowerCase())
      return error(
        `the sender ran as ${state.address}, which is not the account of DEPLOYER_PRIVATE_KEY`,
        "After a change of the key restart the workers; docs/operate/operations.md, Keys, has the order.",
      );
    if (!state.funded) return error(`out of funds: ${way}`, `Fund ${state.address}.`);
    if (state.pausedUntil !== null && state.pausedUntil.getTime() > now())
      return warning(
        `paused until ${state.pausedUntil.toISOString()}: the day's budget is used up; ${way}`,
        "Raise TX_DAILY_BUDGET_MILLIETHER, or wait.",
      );
    const age = Math.round((now() - state.checkedAt.getTime()) / 1000);
    if (old > 0)
      return warning(
        `${old} transactions wait for more than ${OLD_STATE_SECONDS / 60} minutes; ${way}; last run ${age} s ago`,
        "Read the sender's log; the alerts TransactionUnsent and TransactionUnmined list causes.",
      );
    return ok(`${way}; last run ${age} s ago`);
  },
};

export const RUNNING_CHECKS: readonly Check[] = [api, queues, jobs, sender];
