/** Samples the chain through the configured nodes: how many blocks have events, how many events, how fast nodes answer. */
import { type Hex, numberToHex, zeroHash } from "viem";
import type { RpcPool } from "../../clients/rpc/pool.ts";
import type { BlockRange, IndexedContract } from "../progress/meter.ts";
import type { LogFilter } from "./log-filters.ts";
import { missingRanges, type Stratum } from "./request-model.ts";

/** The nodes: the pool splits what a node refuses, and learns its limits. */
export type SampledNodes = Pick<RpcPool, "request" | "stats">;

/** A contract of the part that is estimated, with the first block to fetch. */
export type SampledContract = IndexedContract & { from: number };

export type SampleOptions = {
  nodes: SampledNodes;
  contracts: readonly SampledContract[];
  filters: readonly LogFilter[];
  to: number;
  /** Blocks whose logs are in the cache, by address. */
  cached: ReadonlyMap<string, readonly BlockRange[]>;
  /** Max windows of the sample; each costs a request for each kind of filter. */
  windows: number;
};

export type HistorySample = {
  strata: Stratum[];
  /** Events by contract. */
  events: Record<string, number>;
  /** Events of the identity contract in a block of the newest window. */
  latestIdentityEvents: number;
  /** Registrations of identity tokens. */
  mints: number;
  /** Registrations through another contract, whose input does not show them. */
  indirectMints: number;
  /** Max blocks of one eth_getLogs that the nodes take; null when none was refused. */
  logsRange: number | null;
  /** Requests a second with 25 in flight. */
  nodeRate: number;
  /** Requests that the sample made. */
  requests: number;
  /** The share of the history whose logs were read, 0 to 1. */
  share: number;
};

/** Max blocks of one window. */
const WINDOW_BLOCKS = 500;
/** Blocks of the one request that finds the nodes' limit. */
const PROBE_BLOCKS = 10_000;
/** Requests in flight when the node's pace is measured: as many as Ponder has. */
const REQUESTS_IN_FLIGHT = 25;
/** Blocks that are fetched to measure the pace. */
const TIMED_BLOCKS = 50;
/** Topics of an ERC-721 Transfer from the zero address: a registration. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

type Log = { address: string; blockNumber: Hex; topics: Hex[]; transactionHash: Hex };
type Block = { transactions: { hash: Hex; to: string | null }[] };

/** Reads a stratified sample: the history in equal shares, and a window in the middle of each. */
export async function sampleHistory(options: SampleOptions): Promise<HistorySample> {
  const { contracts, to, cached, windows } = options;
  const { nodes } = options;
  const requestsBefore = requestsOf(nodes);
  const from = Math.min(...contracts.map((contract) => contract.from));
  const reader = logReader(nodes, options.filters);
  await reader.probe([Math.max(from, to - PROBE_BLOCKS + 1), to]);
  const shares = sharesOf([from, to], Math.max(1, Math.floor(windows / reader.requestsPerWindow)));
  const byAddress = new Map(contracts.map((contract) => [contract.address, contract]));
  const missing = new Map(
    contracts.map(({ address, from: first }) => [address, missingRanges([first, to], cached.get(address) ?? [])]),
  );
  const found: { stratum: Stratum; logs: Log[]; weight: number; read: number }[] = [];
  for (const range of shares) {
    const window = middleOf(range, WINDOW_BLOCKS);
    const logs = (await reader.read(window)).filter(
      (log) => Number(log.blockNumber) >= (byAddress.get(log.address)?.from ?? Infinity),
    );
    const needed = new Set(
      logs
        .filter(({ address, blockNumber }) => contains(missing.get(address)!, Number(blockNumber)))
        .map(({ blockNumber }) => blockNumber),
    );
    const read = window[1] - window[0] + 1;
    const weight = (range[1] - range[0] + 1) / read;
    found.push({ stratum: { range, blocks: needed.size * weight, events: logs.length * weight }, logs, weight, read });
  }
  const events: Record<string, number> = Object.fromEntries(contracts.map(({ name }) => [name, 0]));
  let mints = 0;
  for (const { logs, weight } of found)
    for (const log of logs) {
      const { name } = byAddress.get(log.address)!;
      events[name]! += weight;
      if (isMint(log, name)) mints += weight;
    }
  const nameOf = (address: string) => byAddress.get(address)?.name;
  const latest = found.at(-1)!;
  const sampled = found.flatMap(({ logs }) => logs);
  const timed = await timeBlocks(nodes, sampled, [from, to]);
  const sampledMints = sampled.filter((log) => isMint(log, byAddress.get(log.address)!.name));
  return {
    strata: found.map(({ stratum }) => stratum),
    events,
    latestIdentityEvents: latest.logs.filter(({ address }) => nameOf(address) === "Identity").length / latest.read,
    mints,
    indirectMints: mints * indirectShare(sampledMints, timed.blocks),
    logsRange: logsRangeOf(nodes),
    nodeRate: timed.rate,
    requests: requestsOf(nodes) - requestsBefore,
    share: found.reduce((sum, { read }) => sum + read, 0) / Math.max(1, to - from + 1),
  };
}

const isMint = ({ topics }: Log, contract: string): boolean =>
  contract === "Identity" && topics[0] === TRANSFER && topics[1] === zeroHash;

const requestsOf = (nodes: SampledNodes): number =>
  nodes.stats().reduce((sum, { requests }) => sum + Object.values(requests).reduce((all, of) => all + of, 0), 0);

/** The smallest limit that the nodes for logs have shown. */
function logsRangeOf(nodes: SampledNodes): number | null {
  const limits = nodes.stats().flatMap(({ roles, logsRange }) => (roles.includes("logs") ? (logsRange ?? []) : []));
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Reads the logs of all filters in a window with few requests. */
function logReader({ request }: SampledNodes, filters: readonly LogFilter[]) {
  // Filters without arguments are one query; what else it finds is left out.
  const plain = filters.filter(({ args }) => args === undefined);
  const queries = [
    ...(plain.length > 0
      ? [{ address: plain.map(({ address }) => address), topics: [plain.flatMap(({ events }) => events)] }]
      : []),
    ...filters.flatMap(({ address, events, args }) => (args ? [{ address, topics: [events, ...args] }] : [])),
  ];
  const indexed = new Set(filters.flatMap(({ address, events }) => events.map((event) => `${address} ${event}`)));
  const ends = ([from, to]: BlockRange) => ({ fromBlock: numberToHex(from), toBlock: numberToHex(to) });
  return {
    requestsPerWindow: queries.length,
    /** One large request, so that the pool meets the nodes' limit. */
    probe: (range: BlockRange) => request("eth_getLogs", [{ ...queries.at(-1), ...ends(range) }]),
    async read(window: BlockRange): Promise<Log[]> {
      const answers = await Promise.all(
        queries.map((query) => request("eth_getLogs", [{ ...query, ...ends(window) }])),
      );
      return (answers as Log[][])
        .flat()
        .map((log) => ({ ...log, address: log.address.toLowerCase() }))
        .filter(({ address, topics }) => indexed.has(`${address} ${topics[0]}`));
    },
  };
}

/** Equal shares of a range, at most `count`, none smaller than a window. */
function sharesOf([from, to]: BlockRange, count: number): BlockRange[] {
  const blocks = to - from + 1;
  const shares = Math.max(1, Math.min(count, Math.ceil(blocks / WINDOW_BLOCKS)));
  const bound = (i: number) => from + Math.floor((blocks * i) / shares);
  return Array.from({ length: shares }, (_, i) => [bound(i), bound(i + 1) - 1]);
}

/** A window of at most `size` blocks in the middle of a share. */
function middleOf([from, to]: BlockRange, size: number): BlockRange {
  const blocks = Math.min(size, to - from + 1);
  const first = from + Math.floor((to - from + 1 - blocks) / 2);
  return [first, first + blocks - 1];
}

const contains = (ranges: readonly BlockRange[], block: number): boolean =>
  ranges.some(([first, last]) => first <= block && block <= last);

/** Fetches blocks with events, 25 at a time, as Ponder does. @returns the pace and the blocks by number */
async function timeBlocks({ request }: SampledNodes, logs: readonly Log[], [from, to]: BlockRange) {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const step = Math.max(1, Math.floor(numbers.length / TIMED_BLOCKS));
  const chosen = numbers.filter((_, i) => i % step === 0).slice(0, TIMED_BLOCKS);
  // Without events any blocks do.
  if (chosen.length === 0)
    for (let i = 0; i < REQUESTS_IN_FLIGHT; i++)
      chosen.push(numberToHex(from + Math.floor(((to - from) * i) / REQUESTS_IN_FLIGHT)));
  const blocks = new Map<Hex, Block>();
  const waiting = [...chosen];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: REQUESTS_IN_FLIGHT }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const block = (await request("eth_getBlockByNumber", [next, true])) as Block | null;
        if (block !== null) blocks.set(next, block);
      }
    }),
  );
  return { blocks, rate: chosen.length / Math.max((performance.now() - startedAt) / 1_000, 0.001) };
}

/** The share of registrations whose transaction calls another contract than the token's. */
function indirectShare(mints: readonly Log[], blocks: ReadonlyMap<Hex, Block>): number {
  const seen = mints.flatMap((log) => {
    const transaction = blocks.get(log.blockNumber)?.transactions.find(({ hash }) => hash === log.transactionHash);
    return transaction === undefined ? [] : [transaction.to?.toLowerCase() !== log.address];
  });
  return seen.length === 0 ? 0 : seen.filter(Boolean).length / seen.length;
}
