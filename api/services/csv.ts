/** Rows as CSV (RFC 4180), safe to open in a spreadsheet: no cell is interpreted as a formula. */

/** The first line of a file. */
export const csvHead = (columns: readonly string[]): string => `${columns.join(",")}\r\n`;

/** One line of it. */
export const csvLine = <K extends string>(columns: readonly K[], row: Record<K, unknown>): string =>
  `${columns.map((column) => cell(row[column])).join(",")}\r\n`;

/**
 * Names are untrusted: a spreadsheet would run a cell that begins like a formula, in full width as well. One that takes
 * semicolons or tabs for separators begins a cell behind each of them, and a row behind each line break.
 */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = value.replaceAll(FORMULA, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
