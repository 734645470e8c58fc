/** The only constructor of things: each process asks here for what it is made of, and gives it back when it ends. */
import { join } from "node:path";
import pg from "pg";
import type { Logger } from "pino";
import type { ApiDeps } from "../api/deps.ts";
import { createCardRenderer } from "../card-renderer/renderer.ts";
import { createChain } from "../clients/chain.ts";
import { dexScreener } from "../clients/dexscreener.ts";
import { foreignDocuments } from "../clients/documents.ts";
import { ethosScores } from "../clients/ethos.ts";
import { createHttpFacilitator } from "../clients/facilitator-http.ts";
import { tokenAuthorization } from "../clients/facilitator-token.ts";
import { farcasterProofs } from "../clients/farcaster.ts";
import { hubReader } from "../clients/farcaster-hub.ts";
import { githubProofs } from "../clients/github.ts";
import { isLoopback } from "../clients/http/public-address.ts";
import { type Http, openHttp } from "../clients/http.ts";
import { createIdentityProvider } from "../clients/identity-provider.ts";
import { neynarReader } from "../clients/neynar.ts";
import type {
  Chain,
  Ethos,
  Facilitator,
  MachinePayments,
  ProofPlatforms,
  Registries,
  SecretBox,
} from "../clients/ports.ts";
import { openPublicHttp } from "../clients/public-http.ts";
import { openRateBuckets } from "../clients/rate-buckets.ts";
import { createReceiptSigner } from "../clients/receipt-signer.ts";
import {
  agentverseRegistry,
  mcpRegistryPages,
  scan8004Registry,
  virtualsRegistry,
  x402BazaarRegistry,
} from "../clients/registries.ts";
import { createSecretBox } from "../clients/secret-box.ts";
import { createSigner } from "../clients/signer.ts";
import { unconfiguredProofs } from "../clients/unavailable.ts";
import { openWebhookReceivers, webhookTargets } from "../clients/webhook-receivers.ts";
import { xProofs } from "../clients/x.ts";
import { MemoryBudget } from "../columns/memory-budget.ts";
import type { Config } from "../config/config.ts";
import { trackIndexedBlock } from "../db/index-state.ts";
import { openAgentList } from "../db/lists/agents.ts";
import { openDirectoryList } from "../db/lists/directory.ts";
import { boardAccess } from "../ops/board-access.ts";
import { eventGauges } from "../ops/metrics/events.ts";
import { indexGauges } from "../ops/metrics/index-served.ts";
import { jobMeter, queueGauges } from "../ops/metrics/jobs.ts";
import { listGauges, poolGauge } from "../ops/metrics/process.ts";
import { requestMeter } from "../ops/metrics/requests.ts";
import { tableGauges } from "../ops/metrics/tables.ts";
import { webhookMeter } from "../ops/metrics/webhooks.ts";
import { type Ops, openOps } from "../ops/open.ts";
import { openTraces } from "../ops/open-traces.ts";
import { traceStatements } from "../ops/traced-pool.ts";
import { faultAt } from "../runtime/faults.ts";
import { createLog } from "../runtime/log.ts";
import { isTracing } from "../runtime/tracing.ts";
import type { JobContext } from "../workers/context.ts";
import { JOBS } from "../workers/jobs.ts";
import { openQueues } from "../workers/queue.ts";

/** A composed value and the way to let go of its connections. */
export type Composed<T> = { value: T; close(): Promise<void> };

/** What a process must not start without, as one sentence. */
function required<T>(value: T | undefined, sentence: string): T {
  if (value === undefined) throw new Error(sentence);
  return value;
}

const databaseUrl = (config: Config) =>
  required(config.database.url, "DATABASE_URL is not set and no local stack is running (npm start).");

/** @param connectMs an unreachable database must become an answer where somebody waits for one; a job has time */
function openPool(config: Config, name: string, log: Logger, connectMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl(config),
    application_name: name,
    max: config.database.pool,
    connectionTimeoutMillis: connectMs,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  pool.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  if (isTracing()) traceStatements(pool);
  return pool;
}

function openChain(config: Config, ops: Ops | undefined) {
  if (config.chain.rpcUrls.length === 0)
    throw new Error("RPC_URL is not set and no local stack is running (npm start).");
  return createChain({ id: config.chain.id, rpcUrls: config.chain.rpcUrls, meter: ops?.upstreams });
}

const openQueuesOf = (config: Config, log: Logger, connectMs?: number) =>
  openQueues({
    databaseUrl: databaseUrl(config),
    redisUrl: config.redisUrl,
    prefix: config.queuePrefix,
    log,
    names: JOBS.map((job) => job.name),
    connectMs,
  });

/** A job has time: it waits for its turn where a person is told to come back. */
const WORKING_PATIENCE_MS = 30_000;
/** A person waits for the answer: an upstream whose allowance is used up for longer is told of at once. */
const ASKING_PATIENCE_MS = 1_000;

/** Names the service to its upstreams. */
const userAgent = ({ service }: Config) => `${service.name} (${service.publicUrl})`;

/** What settles payments by signature: another service, or this process with a key of its own. */
async function openFacilitator(
  { payments, sender, chain: { id } }: Config,
  chain: Chain,
  ops: Ops | undefined,
): Promise<Composed<Facilitator | null>> {
  const { url, authorization, apiKey, timeoutMs, privateKey } = payments.facilitator;
  const nothing = async () => {};
  if (url) {
    const fixed = authorization === undefined ? undefined : async () => authorization;
    const authorize = apiKey ? tokenAuthorization(apiKey) : fixed;
    const facilitator = createHttpFacilitator({ url, authorize, timeoutMs, meter: ops?.upstreams });
    return { value: facilitator, close: () => facilitator.close() };
  }
  if (!privateKey) return { value: null, close: nothing };
  // Loaded where it is needed only: it brings a second half of viem.
  const { createLocalFacilitator } = await import("../clients/facilitator-local.ts");
  return { value: createLocalFacilitator(chain, createSigner(privateKey, id), sender), close: nothing };
}

/** Payments by MPP, where they are configured. */
async function openMachinePayments({ mpp }: Config): Promise<MachinePayments | null> {
  if (!mpp) return null;
  const { chainId, rpcUrl, ...rest } = mpp;
  // Loaded where it is offered only: it brings another copy of much of viem.
  const { createMachinePayments } = await import("../clients/mpp.ts");
  return createMachinePayments({ chain: createChain({ id: chainId, rpcUrls: [rpcUrl] }), ...rest });
}

/** The platforms that accounts prove agents on, at the rates they allow; without its key one cannot be asked. */
function openProofPlatforms(config: Config, http: Http): Composed<ProofPlatforms> {
  const { x, github, farcaster } = config.upstreams;
  const raw = openPublicHttp({
    userAgent: userAgent(config),
    origins: [new URL(github.rawUrl).origin],
    loopback: isLoopback(github.rawUrl),
  });
  const bearer = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const neynarKey: Record<string, string> = farcaster.neynarKey ? { "x-api-key": farcaster.neynarKey } : {};
  const perFarcaster = { name: "Farcaster", headers: neynarKey, rate: { burst: 100, perSecond: 10 } };
  const farcasterReader = () => {
    if (farcaster.hubUrl) return hubReader(http.upstream({ ...perFarcaster, baseUrl: farcaster.hubUrl }));
    if (farcaster.neynarKey) return neynarReader(http.upstream({ ...perFarcaster, baseUrl: farcaster.neynarUrl }));
    return null;
  };
  const reader = farcasterReader();
  return {
    value: {
      x: x.token
        ? xProofs(
            http.upstream({
              name: "X",
              baseUrl: x.url,
              headers: bearer(x.token),
              rate: { burst: 300, perSecond: 300 / 900 },
            }),
          )
        : unconfiguredProofs("X"),
      github: githubProofs(
        http.upstream({
          name: "GitHub",
          baseUrl: github.url,
          headers: {
            accept: "application/vnd.github+json",
            "x-github-api-version": "2022-11-28",
            ...bearer(github.token),
          },
          rate: github.token ? { burst: 500, perSecond: 5_000 / 3_600 } : { burst: 60, perSecond: 60 / 3_600 },
          maxBytes: 4_000_000,
        }),
        raw,
      ),
      farcaster: reader ? farcasterProofs(reader) : unconfiguredProofs("Farcaster"),
    },
    close: () => raw.close(),
  };
}

const openEthos = (config: Config, http: Http): Ethos =>
  ethosScores(
    http.upstream({
      name: "Ethos",
      baseUrl: config.upstreams.ethos.url,
      headers: { "x-ethos-client": userAgent(config) },
      rate: { burst: 50, perSecond: 3 },
    }),
  );

/** The registries that the directory is filled from, at rates they put up with. */
function openRegistries({ chain, upstreams: { registries: urls, scan8004Key } }: Config, http: Http): Registries {
  const per = (name: string, baseUrl: string, perSecond: number, headers: Record<string, string> = {}) => {
    // A registry on this machine is a simulated one, which needs no sparing.
    const rate = isLoopback(baseUrl) ? { burst: 10_000, perSecond: 10_000 } : { burst: 10, perSecond };
    return http.upstream({ name, baseUrl, headers, rate, maxBytes: 16_000_000 });
  };
  return {
    virtuals: virtualsRegistry(per("Virtuals", urls.virtuals, 3)),
    agentverse: agentverseRegistry(per("Agentverse", urls.agentverse, 3)),
    "mcp-registry": mcpRegistryPages(per("The MCP registry", urls["mcp-registry"], 3)),
    "x402-bazaar": x402BazaarRegistry(per("The x402 Bazaar", urls["x402-bazaar"], 3)),
    "8004scan": scan8004Registry(
      scan8004Key
        ? per("8004scan", urls["8004scan"], 5, { "x-api-key": scan8004Key })
        : per("8004scan", urls["8004scan"], 0.4),
      chain.id,
    ),
  };
}

/** What keeps the secrets of webhooks; null without a key. */
function openSecretBox({ webhooks: { keys } }: Config): SecretBox | null {
  const [first, ...rest] = keys;
  return first ? createSecretBox([first, ...rest]) : null;
}

/** What the API process is made of. */
export async function composeApi(config: Config): Promise<Composed<ApiDeps>> {
  const log = createLog(config, "api");
  const closeTraces = await openTraces(config, "api");
  const ops = openOps(config, "api", log);
  const chain = openChain(config, ops);
  const facilitator = await openFacilitator(config, chain, ops);
  const db = openPool(config, "api", log, 1_000);
  const index = await trackIndexedBlock(databaseUrl(config));
  const lists = {
    url: databaseUrl(config),
    db,
    enabled: config.listMemoryBytes > 0,
    memory: new MemoryBudget(config.listMemoryBytes),
    log,
  };
  const agentList = openAgentList(lists);
  const directory = openDirectoryList(lists);
  const queues = await openQueuesOf(config, log);
  const http = openHttp({ userAgent: userAgent(config), patienceMs: ASKING_PATIENCE_MS, meter: ops?.upstreams });
  const proofs = openProofPlatforms(config, http);
  const rateBuckets = openRateBuckets({ redisUrl: config.redisUrl, prefix: config.queuePrefix, log });
  const secrets = openSecretBox(config);
  const cards = createCardRenderer({ cacheDir: join(config.dataDir, "cards") });
  if (ops) {
    poolGauge(ops.registry, db);
    indexGauges(ops.registry, index);
    listGauges(ops.registry, { agents: agentList, directory });
    await ops.listen();
  }
  return {
    value: {
      config,
      db,
      index,
      agentList,
      directory,
      chain,
      facilitator: facilitator.value,
      machinePayments: await openMachinePayments(config),
      identityProvider: config.identityProvider ? createIdentityProvider(config.identityProvider, http) : null,
      rateBuckets,
      proofs: proofs.value,
      cards,
      webhooks: secrets && { secrets, targets: webhookTargets(config.webhooks) },
      receipts: config.receipts.privateKey ? createReceiptSigner(config.receipts.privateKey) : null,
      queues: () => queues.counts(),
      log,
      meter: ops && requestMeter(ops.registry),
      fault: faultAt(config.faultPoint),
      now: Date.now,
    },
    async close() {
      await ops?.close();
      await cards.close();
      await proofs.close();
      await facilitator.close();
      await http.close();
      rateBuckets.close();
      await queues.close();
      await directory.close();
      await agentList.close();
      await index.close();
      await db.end();
      await closeTraces();
    },
  };
}

/** What the worker process is made of. */
export async function composeWorkers(config: Config): Promise<Composed<JobContext>> {
  const log = createLog(config, "workers");
  const closeTraces = await openTraces(config, "workers");
  const ops = openOps(config, "workers", log);
  const db = openPool(config, "workers", log, WORKING_PATIENCE_MS);
  const queue = await openQueuesOf(config, log, WORKING_PATIENCE_MS);
  const { privateKey } = config.sender;
  const http = openHttp({ userAgent: userAgent(config), patienceMs: WORKING_PATIENCE_MS, meter: ops?.upstreams });
  const proofs = openProofPlatforms(config, http);
  const secrets = openSecretBox(config);
  const webhookReceivers = openWebhookReceivers({
    userAgent: userAgent(config),
    allowLoopback: config.webhooks.allowLoopback,
  });
  const documentHttp = openPublicHttp({
    userAgent: userAgent(config),
    loopback: config.upstreams.gateways.allowLoopback,
    limits: { headersMs: 5_000, totalMs: 5_000 },
  });
  if (ops) {
    poolGauge(ops.registry, db);
    queueGauges(ops.registry, () => queue.counts());
    tableGauges(ops.registry, db);
    eventGauges(ops.registry, db);
    // Loaded where it is shown only: it brings the page of the board along.
    const { BOARD_PATH, queueBoard } = await import("../ops/queue-board.ts");
    await ops.listen({ mounts: { [BOARD_PATH]: queueBoard(queue.boards(), boardAccess(db)) } });
  }
  return {
    value: {
      db,
      proofs: proofs.value,
      ethos: openEthos(config, http),
      registries: openRegistries(config, http),
      markets: dexScreener(
        http.upstream({
          name: "DexScreener",
          baseUrl: config.upstreams.dexscreener.url,
          rate: { burst: 60, perSecond: 4 },
        }),
      ),
      webhooks: secrets && {
        ...{ secrets, receivers: webhookReceivers, random: Math.random },
        disableAfterMs: config.webhooks.disableAfterMs,
        meter: ops && webhookMeter(ops.registry),
      },
      documents: foreignDocuments(documentHttp, { meter: ops?.upstreams }),
      chain: openChain(config, ops),
      machinePayments: await openMachinePayments(config),
      signer: privateKey ? createSigner(privateKey, config.chain.id) : null,
      queue,
      clock: () => new Date(),
      log,
      meter: ops && jobMeter(ops.registry),
      fault: faultAt(config.faultPoint),
      config,
    },
    async close() {
      await ops?.close();
      await documentHttp.close();
      await webhookReceivers.close();
      await proofs.close();
      await http.close();
      await queue.close();
      await db.end();
      await closeTraces();
    },
  };
}
