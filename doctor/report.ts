/** The doctor's results as text for a terminal and as JSON for machines. Both are redacted by the caller. */
import { styleText } from "node:util";
import type { VariableValue } from "../config/variable-values.ts";
import { withVisibleControls } from "../core/quoted.ts";
import { type Finding, LEVELS, type Level } from "./check.ts";
import type { Result } from "./run.ts";

type Colour = Parameters<typeof styleText>[0];
const MARKS: Record<Level, { mark: string; colour: Colour; word: string }> = {
  ok: { mark: "✓", colour: "green", word: "ok" },
  warning: { mark: "!", colour: "yellow", word: "warnings" },
  error: { mark: "✗", colour: "red", word: "errors" },
  skipped: { mark: "·", colour: "gray", word: "not checked" },
};

/** Columns of the names of checks, and of a whole line at most. */
const NAME_WIDTH = 22;
const MAX_WIDTH = 120;

export type ReportOptions = { colours: boolean; width?: number; seconds: number };

/** Number of findings at each level. */
export function countsOf(results: readonly Result[]): Record<Level, number> {
  const counts: Record<Level, number> = { ok: 0, warning: 0, error: 0, skipped: 0 };
  for (const { level } of results.flatMap(({ findings }) => findings)) counts[level]++;
  return counts;
}

/** The report for a terminal: groups of checks, a line for each finding, and what to do below those that need it. */
export function textReport(results: readonly Result[], { colours, width = MAX_WIDTH, seconds }: ReportOptions): string {
  const paint = (colour: Colour, text: string) => (colours ? styleText(colour, text, { validateStream: false }) : text);
  const wide = Math.min(MAX_WIDTH, Math.max(60, width));
  const lines: string[] = [];
  for (const [group, own] of Map.groupBy(results, (result) => result.group)) {
    lines.push("", paint("bold", group));
    for (const { name, findings } of own)
      for (const [i, finding] of findings.entries())
        lines.push(...findingLines(i === 0 ? name : "", finding, { paint, wide }));
  }
  lines.push("", summaryOf(countsOf(results), seconds, paint), "");
  return lines.join("\n");
}

type Drawing = { paint(colour: Colour, text: string): string; wide: number };

function findingLines(name: string, { level, subject, found, advice }: Finding, { paint, wide }: Drawing): string[] {
  const { mark, colour } = MARKS[level];
  const indent = " ".repeat(NAME_WIDTH + 5);
  const room = wide - indent.length;
  const [first = "", ...rest] = wrapped(subject ? `${subject}: ${found}` : found, room);
  const tone = (text: string) => (level === "skipped" ? paint("gray", text) : text);
  return [
    `  ${paint(colour, mark)} ${tone(name.padEnd(NAME_WIDTH))} ${tone(first)}`,
    ...rest.map((line) => indent + tone(line)),
    ...wrapped(advice ?? "", room - 2).map((line, i) => indent + paint(colour, `${i === 0 ? "→" : " "} ${line}`)),
  ];
}

function summaryOf(counts: Record<Level, number>, seconds: number, paint: Drawing["paint"]): string {
  const parts = LEVELS.filter((level) => counts[level] > 0).map((level) => {
    const { colour, word } = MARKS[level];
    const one = counts[level] === 1 ? word.replace(/s$/, "") : word;
    return paint(colour, `${counts[level]} ${one}`);
  });
  return `${parts.join(" · ")}  ${paint("gray", `(${seconds.toFixed(1)} s)`)}`;
}

/**
 * Breaks a text at spaces into lines of at most `width` characters; a longer word has a line of its own. Nodes and
 * registries wrote parts of it, so controls become visible.
 */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of withVisibleControls(text).split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Every variable: its value, meaning and readers. */
export function variablesReport(variables: readonly VariableValue[], { colours }: { colours: boolean }): string {
  const paint = (colour: Colour, text: string) => (colours ? styleText(colour, text, { validateStream: false }) : text);
  const lines: string[] = [];
  for (const group of new Set(variables.map((each) => each.group))) {
    lines.push("", paint("bold", group));
    for (const { name, meaning, readBy, state, value, secret } of variables.filter((each) => each.group === group)) {
      const shown = secret ? (state === "set" ? "set (secret)" : "unset") : (value ?? "unset");
      const origin = state === "default" ? paint("gray", " (default)") : "";
      lines.push(`  ${paint(state === "set" ? "green" : "gray", name)}=${shown}${origin}`);
      lines.push(`    ${paint("gray", `${meaning}. Read by: ${readBy.join(", ") || "the local stack"}`)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The whole result for machines. */
export function jsonReport(
  results: readonly Result[],
  { variables, seconds }: { variables: readonly VariableValue[]; seconds: number },
): string {
  const counts = countsOf(results);
  return JSON.stringify({ ok: counts.error === 0, counts, seconds, checks: results, variables }, null, 2);
}
