/** Rows as CSV (RFC 4180), safe to open in a spreadsheet: no cell is taken for a formula. */

export function csvOf<K extends string>(columns: readonly K[], rows: readonly Record<K, unknown>[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  // Names come from strangers; what begins like a formula would be run by whoever opens the file.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
