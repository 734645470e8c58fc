/** What a load test has found: figures with their goals, and facts that can be counted and hold on any machine. */
import { median, sum, table } from "../../harness/figures.ts";

/** @property counted true: no time in it, so that a test may insist on it anywhere */
export type Check = { what: string; value: string; goal: string; met: boolean; counted: boolean };

export const counted = (what: string, value: number, goal: string, met: boolean): Check => ({
  ...{ what, goal, met, counted: true },
  value: value.toLocaleString("en"),
});
/** What must not have been. */
export const none = (what: string, value: number): Check => counted(what, value, "0", value === 0);

export const measured = (what: string, value: string, goal: string, met: boolean): Check => ({
  ...{ what, value, goal, met, counted: false },
});
export const reported = (what: string, value: string): Check => measured(what, value, "no goal", true);

/** Reads during a storm. A refusal with Retry-After is no failure: other work may keep the machine busy. */
export const ofReads = (all: readonly { failures: number; refusals: number }[]): Check[] => {
  const refusals = sum(all.map((one) => one.refusals));
  return [
    none("reads that failed", sum(all.map(({ failures }) => failures)) - refusals),
    measured("reads refused (429, 503)", String(refusals), "0", refusals === 0),
  ];
};

/** How p99 of keyed reads has changed; both sides of one run. */
export const ratioOfP99 = (quiet: readonly { p99Ms: number }[], loud: readonly { p99Ms: number }[], goal: number) => {
  const [before, during] = [quiet, loud].map((all) => median(all.map(({ p99Ms }) => p99Ms))) as [number, number];
  const ratio = during / before;
  return measured(
    "p99 of keyed reads against quiet",
    `${ratio.toFixed(2)} × (${during.toFixed(1)} / ${before.toFixed(1)} ms)`,
    `≤ ${goal} ×`,
    ratio <= goal,
  );
};

export const tableOf = (checks: readonly Check[]): string =>
  table(
    ["", "", "goal", ""],
    checks.map(({ what, value, goal, met }) => [what, value, goal, met ? "met" : "NOT met"]),
  );
