/** Figures of a run as every command computes and prints them: quantiles, tables, and goals with what was reached. */

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The value below which a share of all lies, by nearest rank; NaN of nothing. @param q 0 to 1 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Does something. @returns the milliseconds it took, and what came of it */
export async function stopwatch<T>(work: () => T | Promise<T>): Promise<[ms: number, result: T]> {
  const began = performance.now();
  const result = await work();
  return [performance.now() - began, result];
}

/** Milliseconds of CPU of this process, all threads, since an earlier `process.cpuUsage()`. */
export function cpuMsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** What p50, p95, p99 and the worst are, for the columns of the same names. */
export const spread = (values: readonly number[]): number[] => [0.5, 0.95, 0.99, 1].map((q) => quantile(values, q));
export const SPREAD: readonly Column[] = [
  ["p50", 2],
  ["p95", 2],
  ["p99", 2],
  ["worst", 2],
];

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

/** A goal with what was reached, in a line. */
export const goal = (what: string, reached: string, met: boolean): string =>
  `${met ? "met    " : "NOT MET"}  ${what}: ${reached}`;

type Unit = { unit?: string; digits?: number };
/** A figure that must not be above another. @param unit behind both numbers, with its space; @param digits of the figure */
export const atMost = (what: string, figure: number, most: number, { unit = "", digits = 0 }: Unit = {}): string =>
  goal(`${what} ≤ ${most}${unit}`, `${figure.toFixed(digits)}${unit}`, figure <= most);
/** A figure that must not be below another. */
export const atLeast = (what: string, figure: number, least: number, { unit = "", digits = 0 }: Unit = {}): string =>
  goal(`${what} ≥ ${least}${unit}`, `${figure.toFixed(digits)}${unit}`, figure >= least);

/** A column of figures, and how many digits behind the point they have: none where it is a text alone. */
export type Column = string | readonly [head: string, digits: number];
export type Cell = string | number | undefined;

/** A cell's text; what was not measured is a dash. */
const textOf = (cell: Cell, column: Column): string => {
  if (typeof cell === "string") return cell;
  return cell === undefined || Number.isNaN(cell) ? "–" : cell.toFixed(typeof column === "string" ? 0 : column[1]);
};

/** Prints the head of a table, and gives what prints a row of it at once. @param width of the names, which are the first column */
export function printTable(
  title: string,
  columns: readonly Column[],
  width = 40,
): (name: string, ...cells: Cell[]) => void {
  const heads = columns.map((column) => (typeof column === "string" ? column : column[0]));
  const line = (name: string, cells: readonly string[]) =>
    console.log(
      [name.padEnd(width), ...cells.map((cell, i) => cell.padStart(Math.max(8, heads[i]!.length)))].join("  "),
    );
  line(title, heads);
  return (name, ...cells) =>
    line(
      name,
      cells.map((cell, i) => textOf(cell, columns[i]!)),
    );
}

/** A table as wide as its content. @param options.texts all columns are aligned to the left, not the first alone */
export function table(
  head: readonly string[],
  body: readonly (readonly (string | number)[])[],
  { texts = false } = {},
): string {
  const rows = [head, ...body].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const cellOf = (cell: string, column: number) =>
    texts || column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(cellOf).join("  ").trimEnd()).join("\n");
}
