/** Numbers, times and addresses as people read them. */

const whole = new Intl.NumberFormat("en");
const money = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumFractionDigits: 1,
  style: "currency",
  currency: "USD",
});

export const count = (value: number): string => whole.format(value);
export const usd = (value: number): string => money.format(value);
export const percent = (value: number): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(1)}%`;

/** `0x1234…abcd`; short texts stay whole. */
export const short = (text: string): string => (text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text);

/** Age in the largest unit that fits: `12s`, `5m`, `3h`, `40d`, `2y`. */
export function age(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  if (seconds < 730 * 86_400) return `${Math.floor(seconds / 86_400)}d`;
  return `${Math.floor(seconds / (365 * 86_400))}y`;
}

const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
export const moment = (iso: string): string => dateTime.format(new Date(iso));
export const date = (iso: string): string => day.format(new Date(iso));

const ORIGINS: Record<string, string> = {
  HUMAN: "by a human",
  AGENT_SIWA: "by itself",
  API: "by the API",
  OWNER: "by its owner",
};
/** Who registered an agent, after the word "registered". */
export const originWords = (origin: string): string => ORIGINS[origin] ?? origin;

/** A small price in US dollars with all its digits: `$0.03`, `$0.0005`. */
export const dollars = (value: number): string =>
  `$${value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
