/** The API's view of an agent's jobs. Amounts are decimal strings of USDC. */
import { z } from "zod";
import { checksum } from "../addresses.ts";
import type { Removal } from "../income/money.ts";
import { WINDOWS } from "../income/rules.ts";
import { isoSeconds } from "../times.ts";
import { type UnitsAsText, usdcText } from "../units-text.ts";
import { count, inWords, usdc } from "../views/fields.ts";
import type { JobPlace } from "./job-logs.ts";
import type { Job } from "./jobs.ts";
import { JOB_REMOVED, JOB_RULES_VERSION, type JobRemovedKey, jobSays } from "./rules.ts";
import { evaluationOf, type JobFigures } from "./weigh.ts";

/** Figures as they are stored: units as decimal strings. */
export type StoredJobFigures = UnitsAsText<JobFigures>;
export type StoredJobWindow = StoredJobFigures["windows"][number];

export const jobRule = z.enum(JOB_REMOVED.map(({ key }) => key) as unknown as [string, ...string[]]);
const value = usdc.meta({ description: "Value of the completed ones in USDC, decimal" });
const sums = z.object({
  funded: count,
  completed: count,
  rejected: count,
  expired: count,
  usdc: value,
  clients: count.meta({ description: "In `organic`, clients whose money had one source are one" }),
  evaluators: count.meta({ description: "Accounts that completed or rejected, other than each job's client" }),
  evaluatedByClient: count.meta({ description: "Completed ones that the client itself evaluated" }),
  notEvaluated: count.meta({ description: "Completed ones that nobody evaluated" }),
});
export const jobWindowSchema = z.object({
  days: z.int().min(1),
  raw: sums.meta({ description: "All that were funded, whoever the client is" }),
  organic: sums.meta({ description: "What no rule removes" }),
  removed: z
    .array(z.object({ rule: jobRule, says: inWords, funded: count, completed: count, usdc: value }))
    .meta({ description: "The others, by the rule that removes them" }),
});
export const jobWindowsSchema = z.array(jobWindowSchema).meta({ description: "The last 7, 30 and 90 days" });

/** Of an own agent, in its view and report. */
export const agentJobsSchema = z
  .object({ rules: z.int().min(1), windows: jobWindowsSchema })
  .nullable()
  .meta({
    id: "AgentJobFigures",
    description:
      "Jobs (ERC-8183) that the agent's wallet was the provider of: `GET /api/v2/agent/{ref}/jobs`. Null where none are known. No figure is part of the cred score",
  });

const sumsView = <T>({ units, ...sums }: T & { units: string }) => ({ ...sums, usdc: usdcText(units) });
const NONE = {
  funded: 0,
  completed: 0,
  rejected: 0,
  expired: 0,
  units: "0",
  clients: 0,
  evaluators: 0,
  evaluatedByClient: 0,
  notEvaluated: 0,
};
const windowOf = (days: number): StoredJobWindow => ({ days, raw: NONE, organic: NONE, removed: [] });

export const jobWindowView = ({ days, raw, organic, removed }: StoredJobWindow) => ({
  days,
  raw: sumsView(raw),
  organic: sumsView(organic),
  removed: removed.map(({ rule, ...sums }) => ({ rule, says: jobSays(rule), ...sumsView(sums) })),
});

/** The figures; of an agent without jobs they are zero. */
export const jobFiguresView = (figures: StoredJobFigures | null) => ({
  rules: figures?.rules ?? JOB_RULES_VERSION,
  windows: (figures?.windows ?? WINDOWS.map(windowOf)).map(jobWindowView),
});

/** The figures of an own agent; null where no job of it is known. */
export const agentJobsView = (figures: StoredJobFigures | null): z.output<typeof agentJobsSchema> =>
  figures && jobFiguresView(figures);

const timeOf = (place: JobPlace | null) => place && isoSeconds(place.at);

/** One job that was funded. @param usdcAddress lower-case */
export function jobView(job: Job & { funded: JobPlace }, usdcAddress: string, removed: Removal<JobRemovedKey> | null) {
  const { jobId, state, client, evaluator, token, units, expiresAt, funded, submitted, ended } = job;
  const by = evaluationOf(job);
  return {
    jobId,
    state,
    client: checksum(client),
    evaluator: evaluator && checksum(evaluator),
    evaluation: { by, says: jobSays(by) },
    token: token && checksum(token),
    units: String(units ?? 0n),
    usdc: token === usdcAddress ? usdcText(String(units ?? 0n)) : null,
    expiresAt: isoSeconds(expiresAt),
    fundedAt: isoSeconds(funded.at),
    submittedAt: timeOf(submitted),
    endedAt: timeOf(ended),
    block: funded.block,
    txHash: funded.txHash,
    endTxHash: ended?.txHash ?? null,
    organic: removed === null,
    removed: removed && {
      rule: removed.rule,
      says: jobSays(removed.rule),
      through: removed.through && checksum(removed.through),
    },
  };
}
