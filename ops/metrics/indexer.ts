/** The launcher's own view: the chain's head, how far the running index is, and what Ponder counts itself. */
import type { Registry } from "prom-client";
import type { BackfillProgress, ContractProgress } from "../../core/views/backfill.ts";
import type { Report } from "../../indexer/run.ts";
import { type MetricsOf, showOnScrape } from "./metric.ts";

/** Max milliseconds to wait for Ponder's metrics. */
const PONDER_MS = 2_000;

/** @returns receives every report of the launcher, and writes Ponder's own metrics (`ponder_…`) in Prometheus' text */
export function indexerGauges(registry: Registry, now: () => number = () => performance.now()) {
  let last: { report: Report; at: number } | undefined;
  let backfill: BackfillProgress | undefined;
  showOnScrape(registry, () => backfill, BACKFILL);
  showOnScrape(registry, () => last, {
    agents_chain_head_block: ["The chain's newest block at the watchdog's last look", ({ report }) => report.head],
    agents_indexer_block: ["The last block of the running index", ({ report }) => report.progress?.block],
    agents_indexer_finalized_block: [
      "Up to here the running index never rolls back",
      ({ report }) => report.progress?.finalizedBlock,
    ],
    agents_indexer_published: ["1 when the running index is the one served", ({ report }) => report.published],
    agents_indexer_report_age_seconds: ["Since the launcher last read its progress", ({ at }) => (now() - at) / 1_000],
  });
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

const byContract =
  (value: (contract: ContractProgress) => number) =>
  ({ contracts }: BackfillProgress) =>
    contracts.map((contract) => ({ labels: { contract: contract.name }, value: value(contract) }));

/** The backfill's record: blocks, rates, time left, stall, and each contract's share. */
const BACKFILL: MetricsOf<BackfillProgress> = {
  agents_backfill_from_block: ["First block of any contract", ({ fromBlock }) => fromBlock],
  agents_backfill_target_block: ["The block that the backfill goes to", ({ toBlock }) => toBlock],
  agents_backfill_block: ["The last block that is indexed", ({ block }) => block],
  agents_backfill_fetched_block: [
    "The block up to which every contract is fetched",
    ({ fetchedBlock }) => fetchedBlock,
  ],
  agents_backfill_progress_ratio: ["Share of the blocks that is indexed", ({ progress }) => progress],
  agents_backfill_events_per_second: ["Indexed events a second over the last minute", (p) => p.eventsPerSecond],
  agents_backfill_requests_per_second: ["JSON-RPC requests a second over the last minute", (p) => p.requestsPerSecond],
  agents_backfill_remaining_seconds: ["Estimated seconds until the head is reached", ({ secondsLeft }) => secondsLeft],
  agents_backfill_stalled_seconds: [
    "Seconds without progress, 0 below a minute",
    ({ stalledSeconds }) => stalledSeconds ?? 0,
  ],
  agents_backfill_contract_fetched_blocks: [
    "Blocks of a contract's history whose logs are fetched",
    byContract((c) => c.fetchedBlocks),
  ],
  agents_backfill_contract_blocks: ["Blocks of a contract's history", byContract((c) => c.totalBlocks)],
  agents_backfill_contract_events: [
    "Events of a contract indexed since the indexer's start",
    byContract((c) => c.events),
  ],
};

/** The lines of Ponder's families, without those of its process, which would be there twice with ours. */
function ownFamilies(text: string): string {
  const own = text.split("\n").filter((line) => /^(# (HELP|TYPE) )?ponder_/.test(line));
  return own.length === 0 ? "" : `${own.join("\n")}\n`;
}
