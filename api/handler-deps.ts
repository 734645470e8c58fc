/** What handlers get: the parts that the process was started with, and what the API keeps in memory itself. */

import { setTimeout as pause } from "node:timers/promises";
import { expiringCache } from "../core/expiring-cache.ts";
import type { SnapshotManifest } from "../core/snapshots/manifest.ts";
import { factsReader } from "../db/agents/facts-reader.ts";
import { tokensWithoutUri } from "../db/agents/token-uris.ts";
import { staleScores } from "../db/cred/cred-passes.ts";
import { agentTotals } from "../db/lists/agent-list-sql.ts";
import { openDirectoryList } from "../db/lists/directory.ts";
import { answersReads } from "../db/operations/index-state.ts";
import { stalledJobs } from "../db/operations/job-runs.ts";
import type { SnapshotPlace } from "../db/snapshots/place.ts";
import { type ApiDeps, ownRegistry, siteOf } from "./deps.ts";
import { rateLimits } from "./guards/rate-limits.ts";
import { signedTexts } from "./guards/signed-text.ts";
import { concurrencyLimit } from "./http/concurrency-limit.ts";
import { eventStreams } from "./http/event-stream.ts";
import { openPaymentService } from "./payment-service.ts";
import { balanceCache, blockTimes, contractCache, directMint } from "./services/contract-facts.ts";
import { liveTerms } from "./services/live-terms.ts";
import { logStreams } from "./services/log-streams.ts";
import { messageActs } from "./services/message-acts.ts";
import { messageStreams } from "./services/message-streams.ts";
import { operatorStateReader, sharedCount, sharedFor } from "./services/operator-state.ts";

/** Milliseconds for which one answer serves all requests: an answer costs dozens of statements, or a call of the node. */
const QUEUES_MS = 1_000;
const STALLED_MS = 2_000;
const HEAD_MS = 500;
const TOKEN_URIS_MS = 5_000;
const SNAPSHOTS_MS = 2_000;

export function openDeps(deps: ApiDeps) {
  const { contracts, rates, streams, minBlockReadsPerClient } = deps.config;
  const limits = rateLimits(rates, deps.rateBuckets);
  const reads = deps.replicas?.db ?? deps.db;
  const directory: NonNullable<ApiDeps["directory"]> =
    deps.directory ?? openDirectoryList({ url: "", db: reads, enabled: false });
  const wait = deps.wait ?? ((ms: number) => pause(ms, undefined, { ref: false }));
  const contract = contractCache(deps.chain, contracts.identity.address, deps.now);
  return {
    ...deps,
    wait,
    /** How views name the service. */
    site: siteOf(deps.config),
    directory,
    facts: factsReader(reads, ownRegistry(deps.config)),
    /** Whether a wallet signed a text that a request carries in its body. */
    signed: signedTexts(deps.chain, limits),
    limits,
    payments: openPaymentService({
      ...deps,
      directMint: () => directMint(contracts.identity.address, deps.config.chain.id, contract.known.mintPriceWei),
    }),
    totals: sharedCount({ db: reads, index: deps.index }, agentTotals),
    /** How many scores do not belong to their agent's present state. */
    staleScores: sharedCount({ db: reads, index: deps.index }, staleScores),
    /** Whether a read is answered within a time, or waits while others are. */
    answersReads: (withinMs: number) => answersReads(reads, deps.replicas?.pools ?? [deps.db], withinMs),
    /** What operators see, at most five seconds old. */
    operatorState: operatorStateReader(deps.db),
    /** Tokens without a URI on chain. */
    tokensWithoutUri: sharedFor(() => tokensWithoutUri(reads), TOKEN_URIS_MS),
    queues: sharedFor(deps.queues, QUEUES_MS),
    /** Queues on which work is due and nothing moves, at most two seconds old. @throws the database's error */
    stalled: sharedFor(() => stalledJobs(deps.db, deps.queues), STALLED_MS),
    /** The newest block's number, at most half a second old. @throws Failure upstream_unavailable */
    chainHead: sharedFor(() => deps.chain.headBlock(), HEAD_MS),
    contract,
    blockTimes: blockTimes(deps.chain, limits, deps.now),
    balances: balanceCache(
      deps.chain,
      limits,
      { usdc: contracts.usdc.address, neynarScores: contracts.neynarScores.address },
      deps.now,
    ),
    /** What an endpoint asks for now, by its URL. */
    liveTerms: liveTerms(deps.endpoints, deps.now, wait),
    /** Verdicts as they were answered, by what was asked: 40 KB each at most. */
    preflights: expiringCache<Promise<string>>(500),
    groups: messageActs(deps),
    /** All event streams of the process, of every kind. */
    streams: eventStreams(streams),
    messageStreams: messageStreams(deps),
    logStreams: logStreams(deps),
    /** Limit of queries of the index that run at the same time. */
    indexSlots: concurrencyLimit("index-queries"),
    snapshots: deps.snapshots && served(deps.snapshots),
    /** Limit of files of snapshots that are sent at the same time. */
    downloads: concurrencyLimit("downloads"),
    /** Limit of exports that run at the same time. */
    exports: concurrencyLimit("exports"),
    /** Limit of reads with `minBlock`, which may wait for their block. */
    minBlockReads: concurrencyLimit("min-block-reads", { perHolder: minBlockReadsPerClient }),
  };
}

/** The place of snapshots, which is asked seldom: once in a moment for their ids, and once for each manifest, as none changes. */
function served(place: SnapshotPlace): SnapshotPlace {
  const ids = sharedFor(() => place.ids(), SNAPSHOTS_MS);
  const manifests = new Map<string, SnapshotManifest>();
  return {
    ...place,
    ids,
    async manifest(id) {
      const there = await ids();
      for (const one of manifests.keys()) if (!there.includes(one)) manifests.delete(one);
      const manifest = manifests.get(id) ?? (there.includes(id) ? await place.manifest(id) : null);
      if (manifest !== null) manifests.set(id, manifest);
      return manifest;
    },
  };
}

/** The parts that handlers get: those of the process, and the state that the API keeps in memory. */
export type HandlerDeps = ReturnType<typeof openDeps>;

/**
 * The parts for a request. This alone decides where a request reads: one that only reads (`onlyReads`) has the replicas'
 * pool as its `db`, every other one has the primary's. A handler uses its `db` and need not know which it is.
 */
export const depsForReads = (deps: HandlerDeps): HandlerDeps =>
  deps.replicas ? { ...deps, db: deps.replicas.db } : deps;
