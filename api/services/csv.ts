/** Rows as CSV (RFC 4180), safe to open in a spreadsheet: no cell is interpreted as a formula. */

/** The first line of a file. */
export const csvHead = (columns: readonly string[]): string => `${columns.join(",")}\r\n`;

/** One line of it. */
export const csvLine = <K extends string>(columns: readonly K[], row: Record<K, unknown>): string =>
  `${columns.map((column) => cell(row[column])).join(",")}\r\n`;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  // Names are untrusted: a spreadsheet would run a cell that begins like a formula, in full width as well.
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
