/** The launcher's own view: the chain's head, how far the running index is, and what Ponder counts itself. */
import type { Registry } from "prom-client";
import type { BackfillProgress, ContractProgress } from "../../db/operations/backfill-progress.ts";
import type { Report } from "../../indexer/run.ts";
import { onScrape } from "./metric.ts";

/** Max milliseconds to wait for Ponder's metrics. */
const PONDER_MS = 2_000;

/** @returns receives every report of the launcher, and writes Ponder's own metrics (`ponder_…`) in Prometheus' text */
export function indexerGauges(registry: Registry, now: () => number = () => performance.now()) {
  let last: { report: Report; at: number } | undefined;
  let backfill: BackfillProgress | undefined;
  backfillGauges(registry, () => backfill);
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
    onReport(report: Report, progress?: BackfillProgress): void {
      last = { report, at: now() };
      backfill = progress;
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

/** The backfill's record: blocks, rates, time left, stall, and each contract's share. */
function backfillGauges(registry: Registry, latest: () => BackfillProgress | undefined): void {
  const gauge = (name: string, help: string, value: (progress: BackfillProgress) => number | null) =>
    onScrape(registry, { name: `agents_backfill_${name}`, help, type: "gauge" }, () => {
      const progress = latest();
      const read = progress ? value(progress) : null;
      return read === null ? [] : [{ value: read }];
    });
  gauge("from_block", "First block of any contract", ({ fromBlock }) => fromBlock);
  gauge("target_block", "The block that the backfill goes to", ({ toBlock }) => toBlock);
  gauge("block", "The last block that is indexed", ({ block }) => block);
  gauge("fetched_block", "The block up to which every contract is fetched", ({ fetchedBlock }) => fetchedBlock);
  gauge("progress_ratio", "Share of the blocks that is indexed", ({ progress }) => progress);
  gauge("events_per_second", "Indexed events a second over the last minute", (p) => p.eventsPerSecond);
  gauge("requests_per_second", "JSON-RPC requests a second over the last minute", (p) => p.requestsPerSecond);
  gauge("remaining_seconds", "Estimated seconds until the head is reached", ({ secondsLeft }) => secondsLeft);
  gauge("stalled_seconds", "Seconds without progress, 0 below a minute", ({ stalledSeconds }) => stalledSeconds ?? 0);
  const byContract = (name: string, help: string, value: (contract: ContractProgress) => number) =>
    onScrape(registry, { name: `agents_backfill_contract_${name}`, help, type: "gauge" }, () =>
      (latest()?.contracts ?? []).map((contract) => ({ labels: { contract: contract.name }, value: value(contract) })),
    );
  byContract("fetched_blocks", "Blocks of a contract's history whose logs are fetched", (c) => c.fetchedBlocks);
  byContract("blocks", "Blocks of a contract's history", (c) => c.totalBlocks);
  byContract("events", "Events of a contract indexed since the indexer's start", (c) => c.events);
}

/** The lines of Ponder's families, without those of its process, which would be there twice with ours. */
function ownFamilies(text: string): string {
  const own = text.split("\n").filter((line) => /^(# (HELP|TYPE) )?ponder_/.test(line));
  return own.length === 0 ? "" : `${own.join("\n")}\n`;
}
