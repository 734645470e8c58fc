/** What handlers get: the parts that the process was started with, and what the API keeps in memory itself. */

import type { Config } from "../config/config.ts";
import type { StandingQueue } from "../core/operations/standing-queues.ts";
import type { OwnRegistry } from "../db/agents/facts.ts";
import { factsReader, type ReadFacts } from "../db/agents/facts-reader.ts";
import { tokensWithoutUri } from "../db/agents/token-uris.ts";
import { type AgentTotals, agentTotals } from "../db/lists/agent-list-sql.ts";
import { type DirectoryList, openDirectoryList } from "../db/lists/directory.ts";
import { answersReads } from "../db/operations/index-state.ts";
import { standingJobs } from "../db/operations/job-runs.ts";
import { staleScores } from "../db/operations/service-status.ts";
import type { ApiDeps } from "./deps.ts";
import { type RateLimits, rateLimits } from "./guards/rate-limits.ts";
import { type SignedTexts, signedTexts } from "./guards/signed-text.ts";
import { type ConcurrencyLimit, concurrencyLimit } from "./http/concurrency-limit.ts";
import { type EventStreams, eventStreams } from "./http/event-stream.ts";
import { openPaymentService, type PaymentService } from "./payments/payment-service.ts";
import {
  type BalanceCache,
  type BlockTimes,
  balanceCache,
  blockTimes,
  type ContractCache,
  contractCache,
  directMint,
} from "./services/contract-facts.ts";
import { type LogStreams, logStreams } from "./services/log-streams.ts";
import { type MessageActs, messageActs } from "./services/message-acts.ts";
import { type MessageStreams, messageStreams } from "./services/message-streams.ts";
import { type OperatorState, operatorStateReader, sharedCount, sharedFor } from "./services/operator-state.ts";

/** The parts that handlers get: those above, and the state that the API keeps in memory. */
export type HandlerDeps = ApiDeps & {
  directory: Pick<DirectoryList, "list" | "shown" | "totals" | "shows">;
  facts: ReadFacts;
  /** Whether a wallet signed a text that a request carries in its body. */
  signed: SignedTexts;
  limits: RateLimits;
  payments: PaymentService;
  totals(): Promise<AgentTotals>;
  /** How many scores do not belong to their agent's present state. */
  staleScores(): Promise<number>;
  /** Whether a read is answered within a time, or waits while others are. */
  answersReads(withinMs: number): Promise<boolean>;
  /** What operators see, at most five seconds old. */
  operatorState(): Promise<OperatorState>;
  /** Tokens without a URI on chain. */
  tokensWithoutUri(): Promise<number>;
  /** Queues on which work is due and nothing moves, at most two seconds old. @throws the database's error */
  standing(): Promise<StandingQueue[]>;
  /** The newest block's number, at most half a second old. @throws Failure upstream_unavailable */
  chainHead(): Promise<number>;
  contract: ContractCache;
  blockTimes: BlockTimes;
  balances: BalanceCache;
  groups: MessageActs;
  /** Limit of reads with `minBlock`, which may wait for their block. */
  minBlockReads: ConcurrencyLimit;
  /** All event streams of the process, of every kind. */
  streams: EventStreams;
  messageStreams: MessageStreams;
  logStreams: LogStreams;
  /** Limit of queries of the index that run at the same time. */
  indexSlots: ConcurrencyLimit;
  /** Limit of exports that run at the same time. */
  exports: ConcurrencyLimit;
};

/** Milliseconds for which one answer serves all requests: an answer costs dozens of statements, or a call of the node. */
const QUEUES_MS = 1_000;
const STANDING_MS = 2_000;
const HEAD_MS = 500;
const TOKEN_URIS_MS = 5_000;

export function openDeps(deps: ApiDeps): HandlerDeps {
  const { contracts, rates, streams, minBlockReadsPerClient } = deps.config;
  const limits = rateLimits(rates, deps.rateBuckets);
  const reads = deps.replicas?.db ?? deps.db;
  const contract = contractCache(deps.chain, contracts.identity.address, deps.now);
  return {
    ...deps,
    directory: deps.directory ?? openDirectoryList({ url: "", db: reads, enabled: false }),
    facts: factsReader(reads, ownRegistry(deps.config)),
    signed: signedTexts(deps.chain, limits),
    limits,
    payments: openPaymentService({
      ...deps,
      directMint: () => directMint(contracts.identity.address, deps.config.chain.id, contract.known.mintPriceWei),
    }),
    totals: sharedCount({ db: reads, index: deps.index }, agentTotals),
    staleScores: sharedCount({ db: reads, index: deps.index }, staleScores),
    answersReads: (withinMs) => answersReads(reads, deps.replicas?.pools ?? [deps.db], withinMs),
    operatorState: operatorStateReader(deps.db),
    tokensWithoutUri: sharedFor(() => tokensWithoutUri(reads), TOKEN_URIS_MS),
    queues: sharedFor(deps.queues, QUEUES_MS),
    standing: sharedFor(() => standingJobs(deps.db, deps.queues), STANDING_MS),
    chainHead: sharedFor(() => deps.chain.headBlock(), HEAD_MS),
    contract,
    blockTimes: blockTimes(deps.chain, limits, deps.now),
    balances: balanceCache(
      deps.chain,
      limits,
      { usdc: contracts.usdc.address, neynarScores: contracts.neynarScores.address },
      deps.now,
    ),
    groups: messageActs(deps),
    streams: eventStreams(streams),
    messageStreams: messageStreams(deps),
    logStreams: logStreams(deps),
    indexSlots: concurrencyLimit("index-queries"),
    exports: concurrencyLimit("exports"),
    minBlockReads: concurrencyLimit("min-block-reads", { perHolder: minBlockReadsPerClient }),
  };
}

/**
 * The parts for a request. This alone decides where a request reads: one that only reads (`onlyReads`) has the replicas'
 * pool as its `db`, every other one has the primary's. A handler uses its `db` and need not know which it is.
 */
export const depsForReads = (deps: HandlerDeps): HandlerDeps =>
  deps.replicas ? { ...deps, db: deps.replicas.db } : deps;

/** How the service's agents are named. */
export const ownRegistry = ({ contracts }: Config): OwnRegistry => ({ identity: contracts.identity.address });
