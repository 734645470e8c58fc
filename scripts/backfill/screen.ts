/** How the backfill's progress looks: a block of lines in a terminal, one line in a log. Pure functions of the record. */
import { styleText } from "node:util";
import type { BackfillProgress, LastFailure } from "../../db/operations/backfill-progress.ts";
import { columns, count, duration, percent, rate } from "./formats.ts";

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
