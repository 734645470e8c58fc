/** Quantiles of a run and the lines that show them. */

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const QUANTILES_HEAD = "p50     p95     p99   worst";
const figures = (values: readonly number[]): string =>
  [0.5, 0.95, 0.99, 1].map((q) => quantile(values, q).toFixed(2).padStart(7)).join(" ");
export const line = (name: string, ...columns: (readonly number[])[]): string =>
  `${name.padEnd(40)} ${columns.map(figures).join("   ")}`;
