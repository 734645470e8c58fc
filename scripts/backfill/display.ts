/** Shows progress while a backfill runs: a block of lines that is redrawn in a terminal, a line now and then in a log. */
import type { BackfillProgress } from "../../db/operations/backfill-progress.ts";
import { logLine, screenLines } from "./screen.ts";

/** Milliseconds between two redraws of the terminal. */
const TERMINAL_MS = 500;
/** Milliseconds between two lines in a log. */
const LOG_MS = 10_000;

/** A place to write to: standard output, or a test's. */
export type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown; hasColors?(): boolean };

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
