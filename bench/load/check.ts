/** What a load test has found: figures with their goals, and facts that can be counted and hold on any machine. */

/** @param counted true: no time in it, so that a test may insist on it anywhere */
export type Check = { what: string; value: string; goal: string; met: boolean; counted: boolean };

export const counted = (what: string, value: number, goal: string, met: boolean): Check => ({
  ...{ what, goal, met, counted: true },
  value: value.toLocaleString("en"),
});

export const measured = (what: string, value: string, goal: string, met: boolean): Check => ({
  ...{ what, value, goal, met, counted: false },
});

/** Reads beside a storm. To be told to come back, by a machine that is busy with other things too, is no failure of the service's. */
export const ofReads = (failures: number, refusals: number): Check[] => [
  counted("reads that failed", failures, "0", failures === 0),
  measured("reads refused (429, 503)", String(refusals), "0", refusals === 0),
];

/** How p99 of keyed reads has changed; both sides of one run. */
export const ratioOfP99 = (quiet: number[], loud: number[], goal: number): Check => {
  const [before, during] = [median(quiet), median(loud)];
  const ratio = during / before;
  return measured(
    "p99 of keyed reads against quiet",
    `${ratio.toFixed(2)} × (${during.toFixed(1)} / ${before.toFixed(1)} ms)`,
    `≤ ${goal} ×`,
    ratio <= goal,
  );
};

export const table = (checks: readonly Check[]): string =>
  checks
    .map(
      ({ what, value, goal, met }) =>
        `  ${what.padEnd(52)} ${value.padStart(30)}   ${`goal ${goal}`.padEnd(20)} ${met ? "met" : "NOT met"}`,
    )
    .join("\n");

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const quantile = (values: number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN;
