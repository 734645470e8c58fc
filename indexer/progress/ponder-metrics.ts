/** Ponder's own counters, read from its /metrics: what it has fetched, requested and indexed since its start. */

/** Max milliseconds to wait for an answer; Ponder's event loop can be busy with a batch. */
const TIMEOUT_MS = 2_000;

export type PonderCounters = {
  /** Last block that Ponder has fetched; null before the first. */
  fetchedBlock: number | null;
  /** Indexed events by contract. */
  events: Record<string, number>;
  /** Answered JSON-RPC requests by method. */
  answered: Record<string, number>;
  /** JSON-RPC requests that ended without a result. */
  failed: number;
};

/** @returns null while Ponder does not answer */
export async function readPonderCounters(metricsUrl: string): Promise<PonderCounters | null> {
  try {
    const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return parsePonderCounters(await answer.text());
  } catch {
    return null;
  }
}

/** @param text metrics in Prometheus' text format */
export function parsePonderCounters(text: string): PonderCounters {
  const counters: PonderCounters = { fetchedBlock: null, events: {}, answered: {}, failed: 0 };
  const add = (sums: Record<string, number>, key: string, value: number) => {
    sums[key] = (sums[key] ?? 0) + value;
  };
  for (const [, name, labels, written] of text.matchAll(/^(ponder_\w+)\{([^}]*)\} ([\d.e+]+)$/gm)) {
    const value = Number(written);
    const label = (wanted: string) => new RegExp(`\\b${wanted}="([^"]*)"`).exec(labels!)?.[1] ?? "";
    if (name === "ponder_sync_block") counters.fetchedBlock = value;
    else if (name === "ponder_indexing_completed_events") add(counters.events, label("event").split(":")[0]!, value);
    else if (name === "ponder_rpc_request_duration_count") add(counters.answered, label("method"), value);
    else if (name === "ponder_rpc_request_error_total") counters.failed += value;
  }
  return counters;
}
