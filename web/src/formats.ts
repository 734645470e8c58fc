/** Numbers, times and addresses as people read them, written as the browser's language writes them. */
import { usdcIn } from "./usdc.ts";

/** The browser's own languages decide how numbers and dates are written; the words are English. */
export const LOCALES = [...navigator.languages];
const whole = new Intl.NumberFormat(LOCALES);
const money = new Intl.NumberFormat(LOCALES, {
  notation: "compact",
  maximumFractionDigits: 1,
  style: "currency",
  currency: "USD",
});
const change = new Intl.NumberFormat(LOCALES, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

export const count = (value: number): string => whole.format(value);
/** A number with its noun: `1 agent`, `1,200 agents`. */
export const counted = (value: number, one: string, other: string): string =>
  `${count(value)} ${value === 1 ? one : other}`;
export const usd = (value: number): string => money.format(value);
/** A change in per cent with its sign: `+3.2%`. */
export const percent = (value: number): string => change.format(value / 100);

/** USDC units as dollars and cents: `1,000.00`. */
export const usdc = (amount: string | bigint): string => usdcIn(LOCALES, amount);

/** `0x1234…abcd`; short texts stay whole. */
export const short = (text: string): string => (text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text);

/** Age in the largest unit that fits: `12s`, `5m`, `3h`, `40d`, `2y`. */
export function age(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${count(seconds)}s`;
  if (seconds < 3600) return `${count(Math.floor(seconds / 60))}m`;
  if (seconds < 86_400) return `${count(Math.floor(seconds / 3600))}h`;
  if (seconds < 730 * 86_400) return `${count(Math.floor(seconds / 86_400))}d`;
  return `${count(Math.floor(seconds / (365 * 86_400)))}y`;
}

const dateTime = new Intl.DateTimeFormat(LOCALES, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(LOCALES, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(LOCALES, { timeStyle: "short" });
/** The time of day: `14:05`. */
export const time = (at: Date): string => clock.format(at);
export const moment = (iso: string): string => dateTime.format(new Date(iso));
export const date = (iso: string): string => day.format(new Date(iso));

const ORIGINS: Record<string, string> = {
  HUMAN: "by a human",
  AGENT_SIWA: "by itself",
  API: "by the API",
  OWNER: "by its owner",
};
/** A number with as many decimals as stated: `12.50`. */
export const decimals = (value: number, digits: number): string =>
  value.toLocaleString(LOCALES, { minimumFractionDigits: digits, maximumFractionDigits: digits });
/** A length of time: seconds with one decimal below a minute, then minutes, hours, days. */
export const duration = (seconds: number): string =>
  seconds < 60
    ? `${decimals(seconds, 1)} s`
    : seconds < 7_200
      ? `${count(Math.round(seconds / 60))} min`
      : seconds < 172_800
        ? `${count(Math.round(seconds / 3_600))} h`
        : `${count(Math.round(seconds / 86_400))} d`;

/** Who registered an agent, after the word "registered". */
export const originWords = (origin: string): string => ORIGINS[origin] ?? origin;

/** A small price in US dollars with all its digits: `$0.03`, `$0.0005`. */
export const dollars = (value: number): string =>
  `$${value.toLocaleString(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;

const LABELS: Record<string, string> = { twitter: "X", github: "GitHub" };

/** The name of a field for people: `openToWork` → `Open to work`. */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return LABELS[name] ?? words.slice(0, 1).toUpperCase() + words.slice(1).replaceAll("_", " ");
}
