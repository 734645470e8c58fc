/** The launcher's own view: the chain's head, how far the running index is, and what Ponder counts itself. */
import type { Registry } from "prom-client";
import type { Report } from "../../indexer/run.ts";
import { onScrape } from "./metric.ts";

/** Max milliseconds to wait for Ponder's metrics. */
const PONDER_MS = 2_000;

/** @returns takes every report of the launcher, and tells Ponder's own metrics (`ponder_…`) in Prometheus' text */
export function indexerGauges(registry: Registry, now: () => number = () => performance.now()) {
  let last: { report: Report; at: number } | undefined;
  const gauge = (name: string, help: string, value: (report: Report, ageMs: number) => number | null | undefined) =>
    onScrape(registry, { name, help, type: "gauge" }, () => {
      const read = last && value(last.report, now() - last.at);
      return read === null || read === undefined ? [] : [{ value: read }];
    });
  gauge("agents_chain_head_block", "The chain's newest block at the watchdog's last look", ({ head }) => head);
  gauge("agents_indexer_block", "The last block of the running index", ({ progress }) => progress?.block);
  gauge(
    "agents_indexer_finalized_block",
    "Up to here the running index never rolls back",
    ({ progress }) => progress?.finalizedBlock,
  );
  gauge("agents_indexer_published", "1 when the running index is the one served", (report) => Number(report.published));
  gauge("agents_indexer_report_age_seconds", "Since the launcher last read its progress", (_, ageMs) => ageMs / 1_000);
  return {
    onReport(report: Report): void {
      last = { report, at: now() };
    },
    async ponderMetrics(): Promise<string> {
      if (!last) return "";
      try {
        const answer = await fetch(last.report.metricsUrl, { signal: AbortSignal.timeout(PONDER_MS) });
        return ownFamilies(await answer.text());
      } catch {
        return "";
      }
    },
  };
}

/** The lines of Ponder's families; those of its process would stand twice beside ours. */
function ownFamilies(text: string): string {
  const own = text.split("\n").filter((line) => /^(# (HELP|TYPE) )?ponder_/.test(line));
  return own.length === 0 ? "" : `${own.join("\n")}\n`;
}
