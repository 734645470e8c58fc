/** The parts of the API process: opened for its lifetime, closed in the reverse order. */
import { join } from "node:path";
import { createKeccak } from "hash-wasm";
import type { Logger } from "pino";
import type { ApiDeps } from "../api/deps.ts";
import { LIVE_MS } from "../api/services/live-terms.ts";
import { openQuestions } from "../api/services/questions.ts";
import { createCardRenderer } from "../card-renderer/renderer.ts";
import { isPublicUrl } from "../clients/http/public-address.ts";
import { createIdentityProvider } from "../clients/identity-provider.ts";
import { openIndexQueries } from "../clients/index-queries.ts";
import { openRateBuckets } from "../clients/rate-buckets.ts";
import { createReceiptSigner } from "../clients/signer.ts";
import { webhookTargets } from "../clients/webhook-receivers.ts";
import { MemoryBudget } from "../columns/memory-budget.ts";
import type { Config } from "../config/config.ts";
import { hashAddressesBy } from "../core/addresses.ts";
import type { ServerRoom } from "../core/operations/connection-plan.ts";
import { openAgentList } from "../db/lists/agents.ts";
import { openDirectoryList } from "../db/lists/directory.ts";
import { trackIndexedBlock } from "../db/operations/index-state.ts";
import { stalledJobs } from "../db/operations/job-runs.ts";
import { setListBudget } from "../db/sql/list-budget.ts";
import { requestMeter } from "../ops/metrics/meters.ts";
import { indexGauges, listGauges, poolGauge, replicaMetrics, stalledGauge } from "../ops/metrics/process.ts";
import { type Ops, openOps, openTraces } from "../ops/open.ts";
import { faultAt } from "../runtime/faults.ts";
import { createLog } from "../runtime/log.ts";
import { type Assembly, assemble } from "./assemble.ts";
import {
  countsOf,
  databaseUrl,
  openAuthorizationServer,
  openChain,
  openEmbeddings,
  openForeignEndpoints,
  openProofs,
  openQueuesOf,
  openReplicas,
  openRequestSigner,
  openSecretBox,
  openServicePool,
  openSnapshots,
  openUpstreamHttp,
  REQUEST_WAIT_MS,
  requireStores,
} from "./connections.ts";
import { openFacilitator, openMpp } from "./payments.ts";

/** Max ms until a connection to the database is made: a database that is away is told to clients within two seconds. */
const CONNECT_MS = 1_500;
/** Max wait of a request for its turn at the database, ms; beyond it the client gets 503 `overloaded`. */
const TURN_MS = 15_000;
/** Max ms of a request for the vector of a question; the search itself waits less. */
const EMBEDDINGS_MS = 5_000;

/** @throws Error, one sentence, when a part cannot be opened; the parts opened before it are closed */
export const wireApi = (config: Config): Promise<Assembly<ApiDeps>> =>
  assemble(async (parts) => {
    const [room] = await Promise.all([requireStores(config), openKeccak()]);
    const log = createLog(config, "api");
    parts.defer(await openTraces(config, "api"));
    const ops = openOps(config, "api", log);
    const chain = openChain(parts, { ...config.chain, proxies: config.proxies }, log, ops);
    const facilitator = await openFacilitator(parts, config, chain, ops);
    const reads = await openReads(parts, config, room, log);
    const queues = await openQueuesOf(config, log);
    parts.defer(() => queues.close());
    const counts = countsOf(reads.db, queues);
    const rateBuckets = openRateBuckets({ redisUrl: config.redisUrl, prefix: config.queuePrefix, log });
    parts.defer(() => rateBuckets.close());
    const http = openUpstreamHttp(config, ops, REQUEST_WAIT_MS);
    parts.defer(() => http.close());
    const indexQueries = config.indexer.url ? openIndexQueries(config.indexer.url, { meter: ops?.upstreams }) : null;
    if (indexQueries) parts.defer(() => indexQueries.close());
    const secrets = openSecretBox(config);
    const cards = createCardRenderer({ cacheDir: join(config.dataDir, "cards") });
    parts.defer(() => cards.close());
    const embeddings = openEmbeddings(config, http, EMBEDDINGS_MS);
    const mpp = await openMpp(parts, config, log, ops);
    // Measured here, because the workers themselves may be without progress.
    if (ops) stalledGauge(ops.registry, () => stalledJobs(reads.db, counts));
    if (ops) await listen(parts, ops, reads);
    return {
      config,
      ...reads,
      snapshots: openSnapshots(parts, config),
      chain,
      facilitator,
      mpp,
      identityProvider: config.identityProvider ? createIdentityProvider(config.identityProvider, http) : null,
      authorizationServer: openAuthorizationServer(config, http),
      rateBuckets,
      questions:
        embeddings &&
        openQuestions({
          embeddings,
          log,
          db: reads.db,
          perDay: config.embeddings!.questionsPerDay,
          now: Date.now,
        }),
      indexQueries,
      isPublicUrl: (url) => isPublicUrl(url, { loopback: config.upstreams.gateways.allowLoopback }),
      // Who is asked for its terms sends nobody elsewhere.
      endpoints: openForeignEndpoints(parts, config, ops, { db: reads.db, of: "live" }, LIVE_MS, log, async () => 60),
      proofs: openProofs(parts, config, http),
      cards,
      requestSigner: openRequestSigner(config),
      webhooks: secrets && { secrets, targets: webhookTargets(config.webhooks) },
      receipts: config.receipts.privateKey ? createReceiptSigner(config.receipts.privateKey) : null,
      queues: counts,
      log,
      meter: ops && requestMeter(ops.registry),
      fault: faultAt(config.faultPoint),
      now: Date.now,
    };
  });

type Reads = Awaited<ReturnType<typeof openReads>>;

/** What the API reads from: the database, the block of the index, and the column tables of agents and directory. */
async function openReads(parts: AsyncDisposableStack, config: Config, room: ServerRoom | null, log: Logger) {
  const url = databaseUrl(config);
  const db = openServicePool(config, room, "api", log, {
    ...{ connectMs: CONNECT_MS, turnMs: TURN_MS },
    noticesSilence: true,
  });
  parts.defer(() => db.end());
  const replicas = await openReplicas(parts, config, db, log);
  const { lists: connections } = config.database;
  if (connections < db.options.max)
    for (const one of replicas?.pools ?? [db]) setListBudget(one, { connections, maxWaitMs: TURN_MS });
  const index = await trackIndexedBlock(url);
  parts.defer(() => index.close());
  const memory = new MemoryBudget(config.listMemoryBytes);
  const lists = { url, db: replicas?.db ?? db, enabled: config.listMemoryBytes > 0, memory, log };
  const agentList = openAgentList(lists);
  parts.defer(() => agentList.close());
  const directory = openDirectoryList(lists);
  parts.defer(() => directory.close());
  return { db, replicas, index, agentList, directory };
}

async function listen(parts: AsyncDisposableStack, ops: Ops, { db, replicas, index, agentList, directory }: Reads) {
  poolGauge(ops.registry, db);
  replicaMetrics(ops.registry, replicas);
  indexGauges(ops.registry, index);
  listGauges(ops.registry, { agents: agentList, directory });
  await ops.listen();
  parts.defer(() => ops.close());
}

async function openKeccak(): Promise<void> {
  const keccak = await createKeccak(256);
  hashAddressesBy((digits) => keccak.init().update(digits).digest("binary"));
}
