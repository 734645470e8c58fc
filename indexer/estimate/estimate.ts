/** The estimate of a backfill: a sample of the chain, what the cache has, and the request model. */
import type { Config } from "../../config/config.ts";
import type { BlockRange } from "../progress/meter.ts";
import { logFilters } from "./log-filters.ts";
import { missingRanges, predictRequests } from "./request-model.ts";
import { type HistorySample, type SampledContract, type SampledNodes, sampleHistory } from "./sample.ts";

/**
 * Compute units of Alchemy's published table (alchemy.com/docs/reference/compute-unit-costs, read in November 2026). Other
 * providers use similar weights; all of them change theirs, so a bill follows the provider's own table.
 */
export const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_getBlockByNumber: 20,
  eth_getBlockByHash: 20,
  eth_call: 26,
  eth_getLogs: 60,
};

/** Weight of a method that is not in the table. */
const OTHER_METHOD_UNITS = 20;

/** @param requests by method */
export const computeUnitsOf = (requests: Readonly<Record<string, number>>): number =>
  Object.entries(requests).reduce(
    (sum, [method, count]) => sum + count * (COMPUTE_UNITS[method] ?? OTHER_METHOD_UNITS),
    0,
  );

/** Max requests of the sample for logs. */
const SAMPLE_REQUESTS = 150;
/** Tokens whose wallets one contract read returns (src/later-wallets.ts). */
const TOKENS_PER_READ = 100;

type ContractEstimate = { name: string; from: number; blocks: number; missingBlocks: number; events: number };

export type Estimate = {
  from: number;
  to: number;
  contracts: ContractEstimate[];
  events: number;
  requests: Record<string, number>;
  computeUnits: number;
  seconds: number;
  lanes: number;
  sample: Pick<HistorySample, "requests" | "share" | "logsRange" | "nodeRate">;
};

/**
 * @param options.contracts chosen contracts with the first block to fetch
 * @param options.cached blocks whose logs are in the cache, by address
 */
export async function estimateBackfill(
  config: Pick<Config, "chain" | "indexed" | "attesters" | "attestationSchemas">,
  options: {
    contracts: readonly SampledContract[];
    to: number;
    cached: ReadonlyMap<string, readonly BlockRange[]>;
    nodes: SampledNodes;
  },
): Promise<Estimate> {
  const { contracts, to, cached, nodes } = options;
  const filters = logFilters(
    config,
    contracts.map(({ name }) => name),
  );
  const sample = await sampleHistory({ nodes, contracts, filters, to, cached, windows: SAMPLE_REQUESTS });
  const missingOf = ({ address, from }: SampledContract) => missingRanges([from, to], cached.get(address) ?? []);
  const byName = new Map(contracts.map((contract) => [contract.name, contract]));
  const lanes = config.chain.lanes * config.chain.nodes.length;
  const { requests, seconds } = predictRequests({
    strata: sample.strata,
    filters: filters.map(({ contract }) => missingOf(byName.get(contract)!)),
    identityEventsPerBlock: sample.latestIdentityEvents,
    reads: contractReads(sample),
    logsRange: sample.logsRange,
    lanes,
    nodeRate: sample.nodeRate,
  });
  const rows = contracts.map((contract) => ({
    name: contract.name,
    from: contract.from,
    blocks: to - contract.from + 1,
    missingBlocks: missingOf(contract).reduce((sum, [first, last]) => sum + last - first + 1, 0),
    events: Math.round(sample.events[contract.name]!),
  }));
  return {
    from: Math.min(...contracts.map(({ from }) => from)),
    to,
    contracts: rows,
    events: rows.reduce((sum, { events }) => sum + events, 0),
    requests,
    computeUnits: computeUnitsOf(requests),
    seconds,
    lanes,
    sample,
  };
}

/**
 * Contract reads of the handlers (src/): one read and one block number for the wallets of 100 tokens, and one read for
 * each registration that the input of its transaction does not show.
 */
function contractReads({ mints, indirectMints }: HistorySample): Record<string, number> {
  const groups = mints > 0 ? Math.ceil(mints / TOKENS_PER_READ) : 0;
  return { eth_call: groups + Math.round(indirectMints), eth_blockNumber: groups };
}
