/** Judges a soak by its samples: what may not have grown, and what may not have happened. Pure, so that a test can show it a leak. */
import { median, megabytes, table } from "../../harness/figures.ts";
import type { PartSample, Sample } from "./sampler.ts";

/** What happened besides the samples. */
export type Incidents = {
  errors: number;
  refusals: number;
  answers: number;
  /** Parts that ended and were started again. */
  restarts: string[];
  /** Lines in the logs about rejections or exceptions that no code caught. */
  uncaught: string[];
};

/** One row of the table. `early` and `late` are medians of the two windows; times of their own unit. */
type Row = { what: string; early: string; late: string; growth: string; pass: boolean };
export type Verdict = { rows: Row[]; pass: boolean; windows: Record<"early" | "late", [from: number, to: number]> };

/** Everything may grow by so much. */
const MAX_GROWTH = 0.05;
/** Handles and connections come and go with requests: this number more is no growth. */
const SLACK = 3;
/** Of all answers: a machine that is busy with other things for a second may say so. */
const MAX_REFUSED = 0.001;
/** Completed jobs are kept up to a number for each queue, which an hour does not reach; what waits must not pile up. */
const MAX_WAITING = 200;
/** Tables whose number of rows is bounded by finality and retention. */
const BOUNDED = /\._reorg__/;
const ROWS_SLACK = 500;

/**
 * The early window is the second sixth, the late one the last sixth: minutes 10–20 and 50–60 of an hour.
 * A window without samples passes nothing. @param seconds how long the traffic lasted
 */
export function judge(samples: readonly Sample[], seconds: number, happened: Incidents): Verdict {
  const windows: Verdict["windows"] = { early: [seconds / 6, seconds / 3], late: [(seconds * 5) / 6, seconds * 2] };
  const within = ([from, to]: [number, number]) => samples.filter(({ second }) => second >= from && second <= to);
  const [early, late] = [within(windows.early), within(windows.late)];
  const rows: Row[] = [];
  const compare = (
    what: string,
    pick: (sample: Sample) => number | undefined,
    allowed: (early: number) => number,
    show: (value: number) => string = (value) => value.toFixed(0),
  ) => {
    const [a, b] = [early, late].map((window) => median(window.flatMap((sample) => pick(sample) ?? []))) as [
      number,
      number,
    ];
    const growth = a === b ? "0 %" : `${b >= a ? "+" : ""}${((b / a - 1) * 100).toFixed(1)} %`;
    // What was never seen is no number, and passes nothing.
    rows.push({ what, early: show(a), late: show(b), growth, pass: b <= allowed(a) });
  };
  const few = (value: number) => Math.max(value * (1 + MAX_GROWTH), value + SLACK);
  const share = (value: number) => value * (1 + MAX_GROWTH);

  const parts = [...new Set(samples.flatMap((sample) => Object.keys(sample.parts)))];
  for (const part of parts) {
    const of = (key: keyof PartSample) => (sample: Sample) => sample.parts[part]?.[key];
    compare(`${part}: resident memory`, of("rssBytes"), share, megabytes);
    compare(`${part}: heap after a collection`, of("usedBytes"), share, megabytes);
    compare(`${part}: open files and sockets`, of("openFiles"), few);
    compare(`${part}: handles`, of("handles"), few);
  }
  const holders = [...new Set([...early, ...late].flatMap(({ connections }) => Object.keys(connections)))];
  for (const holder of holders) compare(`connections: ${holder}`, ({ connections }) => connections[holder] ?? 0, few);
  const tables = [...new Set(samples.flatMap(({ rows }) => Object.keys(rows ?? {})))];
  const counted = ({ rows }: Sample, name: string) => (rows === null ? undefined : (rows[name] ?? 0));
  for (const name of tables.filter((table) => BOUNDED.test(table)))
    compare(
      `rows: ${name}`,
      (sample) => counted(sample, name),
      (value) => share(value) + ROWS_SLACK,
    );
  compare(
    "jobs that wait",
    ({ waitingJobs }) => waitingJobs,
    () => MAX_WAITING,
  );

  const none = (what: string, n: number) => rows.push({ what, early: "", late: String(n), growth: "", pass: n === 0 });
  none("5xx other than 503, or no answer at all", happened.errors);
  const refused = happened.refusals / happened.answers;
  const shown = `${(refused * 100).toFixed(2)} %`;
  rows.push({ what: "503: come back later", early: "", late: shown, growth: "", pass: refused <= MAX_REFUSED });
  none("parts that ended", happened.restarts.length);
  none("uncaught rejections and exceptions", happened.uncaught.length);
  return { rows, pass: rows.every(({ pass }) => pass), windows };
}

/** The verdict as a table of text. */
export const tableOf = ({ rows }: Verdict): string =>
  table(
    ["", "early", "late", "growth", ""],
    rows.map(({ what, early, late, growth, pass }) => [what, early, late, growth, pass ? "met" : "NOT met"]),
  );
