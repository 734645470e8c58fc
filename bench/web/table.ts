/** The rows of a table of pages. */
import { median } from "../../harness/figures.ts";
import type { Metrics } from "./measure.ts";

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
const HEADS = ["page", "device", "visit", ...COLUMNS.map(([head]) => head)];
export const HEAD = `${line(HEADS)}\n|${HEADS.map(() => "---").join("|")}|`;
export const rowOf = (names: readonly string[], found: Metrics): string =>
  line([...names, ...COLUMNS.map(([, cell]) => cell(found))]);
