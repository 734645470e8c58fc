/** How the backfill's progress looks: a block of lines that is redrawn in a terminal, a line now and then in a log, and the numbers and durations in them. */
import { styleText } from "node:util";
import type { BackfillProgress, LastFailure } from "../../core/views/backfill.ts";

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

const BAR_WIDTH = 40;

/** What the lines say in addition to the record. */
export type ScreenOptions = {
  /** Unix milliseconds. */
  now: number;
  /** Escape sequences for colours are allowed. */
  colour: boolean;
  /** Columns of the terminal; longer lines are cut, because a wrapped line cannot be redrawn. */
  width: number;
};

/** The progress as lines for a terminal. */
export function screenLines(progress: BackfillProgress, { now, colour, width }: ScreenOptions): string[] {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  const fit = (text: string) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
  const { block, toBlock, contracts, nodes } = progress;
  const filled = Math.round(progress.progress * BAR_WIDTH);
  const bar = style("cyan", "█".repeat(filled)) + style("dim", "░".repeat(BAR_WIDTH - filled));
  const at = `block ${block === null ? "–" : count(block)} of ${toBlock === null ? "–" : count(toBlock)}`;
  const contractRows = contracts.map((contract) => [
    contract.name,
    count(contract.fromBlock),
    percent(contract.totalBlocks === 0 ? 1 : contract.fetchedBlocks / contract.totalBlocks),
    count(contract.events),
    rate(contract.eventsPerSecond),
  ]);
  const [contractHead, ...contractLines] = columns(
    [["contract", "from block", "fetched", "events", "a second"], ...contractRows],
    "lrrrr",
  );
  const nodeRows = nodes.map((node) => [
    node.host,
    count(node.requests),
    rate(node.requestsPerSecond),
    count(node.failed),
    node.state,
  ]);
  const [nodeHead, ...nodeLines] = columns([["node", "requests", "a second", "failed", "state"], ...nodeRows], "lrrrl");
  const stalled = stallWords(progress, now);
  return [
    `${bar}  ${percent(progress.progress)}`,
    fit([at, ...pace(progress)].join("   ")),
    "",
    style("dim", fit(contractHead!)),
    ...contractLines.map(fit),
    ...(nodeRows.length > 0 ? ["", style("dim", fit(nodeHead!)), ...nodeLines.map(fit)] : []),
    ...(stalled === null ? [] : ["", ...wrapped(stalled, width).map((line) => style("yellow", line))]),
  ];
}

/** A sentence in lines of at most `width` characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word.slice(0, width));
    else lines[lines.length - 1] = line === "" ? word.slice(0, width) : `${line} ${word}`;
  }
  return lines;
}

/** The progress as one line for a log. */
export function logLine(progress: BackfillProgress, { now }: Pick<ScreenOptions, "now">): string {
  const { block, toBlock } = progress;
  const at = `block ${block ?? "–"} of ${toBlock ?? "–"}`;
  const stalled = stallWords(progress, now);
  return [percent(progress.progress), at, ...pace(progress), ...(stalled === null ? [] : [stalled])].join(", ");
}

const pace = ({ eventsPerSecond, requestsPerSecond, secondsLeft }: BackfillProgress): string[] => [
  `${rate(eventsPerSecond)} events/s`,
  `${rate(requestsPerSecond)} requests/s`,
  ...(secondsLeft === null || secondsLeft === 0 ? [] : [`${duration(secondsLeft)} left`]),
];

/** @returns null while there is progress */
function stallWords({ stalledSeconds, lastFailure }: BackfillProgress, now: number): string | null {
  if (stalledSeconds === null) return null;
  const reason = lastFailure === null ? "no failure is known" : failureWords(lastFailure, now);
  return `stalled: no progress for ${duration(stalledSeconds)}; ${reason}`;
}

const failureWords = ({ at, reason }: LastFailure, now: number) =>
  `last failure ${duration(Math.max(0, (now - Date.parse(at)) / 1_000))} ago: ${reason}`;

/** Milliseconds between two redraws of the terminal. */
const TERMINAL_MS = 500;
/** Milliseconds between two lines in a log. */
const LOG_MS = 10_000;

/** A place to write to: standard output, or a test's. */
type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown; hasColors?(): boolean };

export type Display = ReturnType<typeof openDisplay>;

/** @param now Unix milliseconds */
export function openDisplay(output: Output = process.stdout, now: () => number = Date.now) {
  const terminal = output.isTTY === true;
  const everyMs = terminal ? TERMINAL_MS : LOG_MS;
  let shownAt = Number.NEGATIVE_INFINITY;
  let drawn = 0;
  /** Moves to the first line that was drawn and clears everything below. */
  const erase = () => (drawn > 0 ? `\x1b[${drawn}A\r\x1b[J` : "");
  return {
    /** Milliseconds between two calls of `show` that make sense. */
    everyMs: TERMINAL_MS,
    /** Shows the progress when a redraw is due; `force` shows it at once. */
    show(progress: BackfillProgress, { force = false } = {}) {
      if (!force && now() - shownAt < everyMs) return;
      shownAt = now();
      if (!terminal) {
        output.write(`${logLine(progress, { now: now() })}\n`);
        return;
      }
      const colour = output.hasColors?.() ?? false;
      const width = output.columns ?? 80;
      const lines = screenLines(progress, { now: now(), colour, width });
      output.write(`${erase()}${lines.join("\n")}\n`);
      drawn = lines.length;
    },
    /** Leaves what is shown and writes a line below it. */
    line(text: string) {
      output.write(`${text}\n`);
      drawn = 0;
    },
  };
}
