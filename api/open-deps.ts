/** Builds the parts that handlers get: those the process was started with, and what the API itself keeps in memory. */
import { directMint } from "../core/payments/direct-mint.ts";
import { factsReader } from "../db/agents/facts-reader.ts";
import { tokensWithoutUri } from "../db/agents/token-uris.ts";
import { agentTotals } from "../db/lists/agent-list-sql.ts";
import { openDirectoryList } from "../db/lists/directory.ts";
import { answersReads } from "../db/operations/index-state.ts";
import { standingJobs } from "../db/operations/job-runs.ts";
import { staleScores } from "../db/operations/service-status.ts";
import type { ApiDeps } from "./deps.ts";
import { rateLimits } from "./guards/rate-limits.ts";
import { signedTexts } from "./guards/signed-text.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import { concurrencyLimit } from "./http/concurrency-limit.ts";
import { eventStreams } from "./http/event-stream.ts";
import { openPaymentService } from "./payments/payment-service.ts";
import { ownRegistry } from "./services/agent-facts.ts";
import { balanceCache } from "./services/balances.ts";
import { blockTimes } from "./services/block-times.ts";
import { contractCache } from "./services/contract-facts.ts";
import { logStreams } from "./services/log-streams.ts";
import { messageActs } from "./services/message-acts.ts";
import { messageStreams } from "./services/message-streams.ts";
import { operatorStateReader } from "./services/operator-state.ts";
import { sharedCount, sharedFor } from "./services/shared-answers.ts";

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
