/** Numbers and durations as the terminal shows them. */

const WHOLE = new Intl.NumberFormat("en");

export const count = (value: number): string => WHOLE.format(Math.round(value));

/** A rate: one decimal below 10. */
export const rate = (value: number): string => (value < 10 ? value.toFixed(1) : count(value));

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Seconds in the two largest units: `3 h 12 min`, `4 min 5 s`, `12 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

/** Rows as columns: the first left-aligned, the others by `align` (r or l), two spaces between. */
export function columns(rows: readonly (readonly string[])[], align: string): string[] {
  const widths = align.split("").map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (align[i] === "r" ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd(),
  );
}
