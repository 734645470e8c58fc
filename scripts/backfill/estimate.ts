/** `npm run backfill -- --estimate`: says before the start what a backfill needs, from a sample of the chain. */
import type pg from "pg";
import { openRpcPool, type RpcPool } from "../../clients/rpc/pool.ts";
import type { Config } from "../../config/config.ts";
import { INCOME_BLOCKS } from "../../core/income/rules.ts";
import { COHORT_SIZE, followableWallets } from "../../db/income/followed.ts";
import { openClient } from "../../db/sql/connect.ts";
import { FINALITY_BLOCKS } from "../../indexer/block-hashes.ts";
import { COMPUTE_UNITS, type Estimate, estimateBackfill } from "../../indexer/estimate/estimate.ts";
import { cachedRanges } from "../../indexer/ponder-tables.ts";
import { logsPrice, RANGE_BLOCKS } from "../../workers/chain-ranges.ts";
import { CommandError, indexedContracts, type Part, selectionOf } from "./arguments.ts";
import { columns, count, duration, percent, rate } from "./screen.ts";

/** Max milliseconds of one request: a window of logs is large. */
const TIMEOUT_MS = 15_000;

/** @throws CommandError, Failure in words for the operator */
export async function printEstimate(config: Config, part: Part): Promise<void> {
  if (config.chain.nodes.length === 0) throw new CommandError("RPC_URL is not set and no local stack is running.");
  const { chain, proxies } = config;
  const nodes = openRpcPool({ chainId: chain.id, nodes: chain.nodes, proxies, timeoutMs: TIMEOUT_MS, warn });
  try {
    const estimate = await estimateOf(config, part, nodes);
    const income = { wallets: await walletsOf(config), perDay: config.incomeRequestsPerDay };
    const { logsRange } = estimate.sample;
    const { contracts, commerceRequestsPerDay: perDay } = config;
    const head = Number(await nodes.request("eth_blockNumber", []));
    const blocks = contracts.agentCommerce && Math.max(0, head - contracts.agentCommerce.startBlock + 1);
    const lines = [
      ...estimateLines(estimate),
      ...incomeLines({ ...income, logsRange }),
      ...jobLines({ blocks, logsRange, perDay }),
    ];
    for (const line of lines) console.log(line);
  } finally {
    nodes.close();
  }
}

const warn = (sentence: string) => console.error(sentence);

async function estimateOf(config: Config, part: Part, nodes: RpcPool): Promise<Estimate> {
  const head = Number(await nodes.request("eth_blockNumber", []));
  const end = config.chain.endBlock ?? Number.POSITIVE_INFINITY;
  const { contracts, to } = selectionOf(part, indexedContracts(config), Math.min(head - FINALITY_BLOCKS, end));
  const cached = await cacheOf(config);
  return estimateBackfill(config, { contracts, to, cached, nodes });
}

/** What the cache has; nothing where there is no database yet. */
async function cacheOf({ database, chain }: Config): ReturnType<typeof cachedRanges> {
  if (!database.indexerUrl || !chain.cache) return new Map();
  const cached = await askDatabase(database.indexerUrl, (db) => cachedRanges(db, chain.id));
  if (cached === null) console.error("The database does not answer: the estimate is for an empty cache.");
  return cached ?? new Map();
}

/** How many wallets of agents the directory has; null where there is no database yet, or nothing in it. */
const walletsOf = async ({ database }: Config): Promise<number | null> =>
  (database.url && (await askDatabase(database.url, followableWallets))) || null;

/** @returns null when the database does not answer */
async function askDatabase<T>(url: string, ask: (db: pg.Client) => Promise<T>): Promise<T | null> {
  const db = openClient({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await db.connect();
    return await ask(db);
  } catch {
    return null;
  } finally {
    await db.end().catch(() => {});
  }
}

/**
 * What reading some blocks range by range takes, without what is found in them: a request for each block with a log near the
 * head, and where nodes send no times with logs.
 * @param logsRange blocks of logs that the nodes take at once; null: any number
 * @returns `past`: requests until they are read, `budget`: what they count; `pass`: requests each time that the newest are read
 *   (the mark before, the last block twice, the logs)
 */
export function rangeRequests(blocks: number, logsRange: number | null, filters = 1) {
  const ranges = filters * Math.ceil(blocks / RANGE_BLOCKS);
  const past = ranges * (2 + Math.ceil(RANGE_BLOCKS / Math.min(logsRange ?? RANGE_BLOCKS, RANGE_BLOCKS)));
  return { past, budget: ranges * (2 + logsPrice(RANGE_BLOCKS)), pass: 4 * filters };
}

/** What following some addresses of a kind takes: each cohort of them is one filter of logs. */
export const incomeRequests = (addresses: number, logsRange: number | null) =>
  rangeRequests(INCOME_BLOCKS, logsRange, Math.ceil(addresses / COHORT_SIZE));

type Reading = { logsRange: number | null; perDay: number };
/** What the payments to agents' wallets take, as lines. @param wallets null: not known */
export function incomeLines({ wallets, logsRange, perDay }: Reading & { wallets: number | null }): string[] {
  const { past, pass, budget } = incomeRequests(wallets ?? COHORT_SIZE, logsRange);
  const whose =
    wallets === null ? `each ${count(COHORT_SIZE)} wallets of agents` : `${count(wallets)} wallets of agents`;
  const units = past * COMPUTE_UNITS.eth_getLogs!;
  return [
    "",
    `Payments to ${whose}, read by the workers afterwards: ${count(past)} requests for 90 days, at most ${count(units)} compute units; ${count(pass)} each time that the newest blocks are read.`,
    perDay === 0
      ? "The daily budget income-requests is 0: none are read."
      : `Those who paid and owners of paid agents are read, too: as much for each ${count(COHORT_SIZE)}. The daily budget income-requests is ${count(perDay)}, which is ${duration((budget / perDay) * 86_400)} for the 90 days.`,
  ];
}

/** What agents' jobs take, as lines. @param blocks since the contract's first; undefined: none is set */
export function jobLines({ blocks, logsRange, perDay }: Reading & { blocks: number | undefined }): string[] {
  if (blocks === undefined) return ["", "CONTRACTS names no agentCommerce: no agents' jobs are read."];
  const { past, budget, pass } = rangeRequests(blocks, logsRange);
  return [
    "",
    `Agents' jobs of ${count(blocks)} blocks, read by the workers afterwards: ${count(past)} requests, at most ${count(past * COMPUTE_UNITS.eth_getLogs!)} compute units; ${count(pass)} each time that the newest blocks are read.`,
    perDay === 0
      ? "The daily budget job-requests is 0: none are read."
      : `The daily budget job-requests is ${count(perDay)}, which is ${duration((budget / perDay) * 86_400)} for these.`,
  ];
}

/** The estimate as lines. */
export function estimateLines(estimate: Estimate): string[] {
  const { contracts, requests, sample } = estimate;
  const contractRows = contracts.map(({ name, from, blocks, missingBlocks, events }) => [
    name,
    count(from),
    count(blocks),
    count(missingBlocks),
    count(events),
  ]);
  const total = Object.values(requests).reduce((sum, of) => sum + of, 0);
  const methods = Object.entries(requests).filter(([, requested]) => requested > 0);
  const methodRows = methods.map(([method, requested]) => {
    const units = COMPUTE_UNITS[method] ?? 0;
    return [method, count(requested), String(units), count(requested * units)];
  });
  const range = sample.logsRange === null ? "" : `, at most ${count(sample.logsRange)} blocks in one eth_getLogs`;
  return [
    `Blocks ${count(estimate.from)} to ${count(estimate.to)}, ${count(estimate.to - estimate.from + 1)} in all`,
    "",
    ...columns([["contract", "from block", "blocks", "not in the cache", "events"], ...contractRows], "lrrrr"),
    "",
    ...columns(
      [
        ["method", "requests", "units each", "compute units"],
        ...methodRows,
        ["all", count(total), "", count(estimate.computeUnits)],
      ],
      "lrrr",
    ),
    "",
    `Time: ${duration(estimate.seconds)} with ${count(estimate.lanes)} lanes; the node answered ${rate(sample.nodeRate)} requests a second${range}`,
    `Sample: ${count(sample.requests)} requests, ${percent(sample.share)} of the blocks. Compute units: Alchemy's table of 2026; providers change theirs.`,
  ];
}
