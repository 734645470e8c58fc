/** Planned failures: the next answers of an upstream fail, hang, or say something else. */
import { z } from "zod";

const plan = z.object({
  source: z.string(),
  status: z.int().min(200).max(599).optional(),
  delayMs: z.int().min(0).max(600_000).optional(),
  /** There is no answer. */
  hangs: z.literal(true).optional(),
  /** A text is sent unchanged (HTML), anything else as JSON. */
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** How many answers; 0 clears what was planned before. */
  times: z.int().min(0).default(1),
});
type FaultPlan = z.output<typeof plan>;

export type PlannedFaults = {
  /** @throws ZodError for what is no plan */
  plan(body: unknown): FaultPlan;
  /** The failure of the next answer of a source, used up by this call. */
  take(source: string): FaultPlan | undefined;
};

export function plannedFaults(): PlannedFaults {
  const plans = new Map<string, FaultPlan>();
  return {
    plan(body) {
      const planned = plan.parse(body);
      if (planned.times === 0) plans.delete(planned.source);
      else plans.set(planned.source, { ...planned });
      return planned;
    },
    take(source) {
      const planned = plans.get(source);
      if (!planned) return undefined;
      if (--planned.times <= 0) plans.delete(source);
      return planned;
    },
  };
}
