/** The rows of a table of pages: the figures of each, alone or beside those of an earlier version. */
import type { Metrics } from "./measure.ts";

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
export const medians = (runs: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    (["lcp", "cls", "inp", "script", "style", "font", "data", "requests"] as const).map((key) => [
      key,
      median(runs.map((run) => run[key])),
    ]),
  ) as Metrics;

const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
const COLUMNS: readonly (readonly [head: string, cell: (found: Metrics) => string])[] = [
  ["LCP", ({ lcp }) => `${lcp.toFixed(0)} ms`],
  ["CLS", ({ cls }) => cls.toFixed(3)],
  ["INP", ({ inp }) => (inp === 0 ? "< 16 ms" : `${inp.toFixed(0)} ms`)],
  ["script", ({ script }) => kb(script)],
  ["style", ({ style }) => kb(style)],
  ["fonts", ({ font }) => kb(font)],
  ["data", ({ data }) => kb(data)],
  ["requests", ({ requests }) => String(requests)],
];

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** @param compares whether each figure stands beside one of before */
export function headOf(compares: boolean): string {
  const figures = COLUMNS.flatMap(([head]) => (compares ? [`${head} before`, head] : [head]));
  const heads = ["page", "device", "visit", ...figures];
  return `${line(heads)}\n|${heads.map(() => "---").join("|")}|`;
}

/** @param before null: the earlier version has no such page; left out: nothing is compared */
export const rowOf = (names: readonly string[], found: Metrics, before?: Metrics | null): string =>
  line([
    ...names,
    ...COLUMNS.flatMap(([, cell]) => [
      ...(before === undefined ? [] : [before === null ? "none" : cell(before)]),
      cell(found),
    ]),
  ]);
