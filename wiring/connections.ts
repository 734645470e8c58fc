/** Connections that the API and the workers both have: database, queues, the chain, HTTP to upstreams. */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import type { Logger } from "pino";
import { createAuthorizationServer } from "../clients/authorization-server.ts";
import { openBucket } from "../clients/bucket.ts";
import { createChain } from "../clients/chain.ts";
import { dexScreener } from "../clients/dexscreener.ts";
import { embeddings, maxAnswerBytes } from "../clients/embeddings.ts";
import { ethosScores } from "../clients/ethos.ts";
import { foreignEndpoints, HOSTS_OF_SITE, UNTRUSTED_HOST_RATE } from "../clients/foreign-endpoints.ts";
import { type Http, openHttp } from "../clients/http.ts";
import type { Chain, Embeddings, Ethos, ForeignEndpoints, Markets, SecretBox } from "../clients/ports.ts";
import { openProofReaders } from "../clients/proof-platforms.ts";
import { openPublicHttp } from "../clients/public-http.ts";
import { createRequestSigner } from "../clients/request-signer.ts";
import { openRpcPool } from "../clients/rpc/pool.ts";
import { createSecretBox } from "../clients/secret-box.ts";
import type { Config } from "../config/config.ts";
import { type ConnectionRole, poolsOf, type ServerRoom } from "../core/operations/connection-plan.ts";
import type { RpcNode } from "../core/operations/rpc-roles.ts";
import { isBucketUrl, readBucketUrl } from "../core/snapshots/bucket.ts";
import { takeTurn } from "../db/callers/allowances.ts";
import { jobCounts } from "../db/operations/job-runs.ts";
import { fittedPool, requirePrimary } from "../db/operations/server-at-start.ts";
import { openReadPool, type ReadPool } from "../db/replicas/read-pool.ts";
import { snapshotBucket } from "../db/snapshots/bucket.ts";
import { snapshotFolder } from "../db/snapshots/folder.ts";
import type { SnapshotPlace } from "../db/snapshots/place.ts";
import { openPool } from "../db/sql/connect.ts";
import type { Notifications } from "../db/sql/notifications.ts";
import type { Ops } from "../ops/open.ts";
import { traceStatements } from "../ops/traced-pool.ts";
import { requireSingleRedis } from "../runtime/redis.ts";
import { isTracing } from "../runtime/tracing.ts";
import { JOBS } from "../workers/jobs.ts";
import { openQueues, type Queues } from "../workers/operations/queue.ts";

/** Reputation scores. */
export const openEthos = (config: Config, http: Http): Ethos =>
  ethosScores(
    http.upstream({
      name: "Ethos",
      baseUrl: config.upstreams.ethos.url,
      headers: { "x-ethos-client": userAgent(config) },
      rate: { burst: 50, perSecond: 3 },
    }),
  );

/** Market data of tokens. */
export const openMarkets = (config: Config, http: Http): Markets =>
  dexScreener(
    http.upstream({
      name: "DexScreener",
      baseUrl: config.upstreams.dexscreener.url,
      rate: { burst: 60, perSecond: 4 },
    }),
  );

/** The readers of social proofs. */
export const openProofs = (parts: AsyncDisposableStack, config: Config, http: Http) =>
  openProofReaders(config.upstreams.proofPlatforms, {
    ...{ http, userAgent: userAgent(config), proxies: config.proxies },
    onClose: (close) => parts.defer(close),
  });

/** Null without a client id. */
export const openAuthorizationServer = ({ identityProvider }: Pick<Config, "identityProvider">, http: Http) =>
  identityProvider?.client ? createAuthorizationServer(identityProvider, http) : null;

/** @throws Error, one sentence, when the process has no database */
export function databaseUrl({ database: { url } }: Config): string {
  if (url === undefined) throw new Error("DATABASE_URL is not set and no local stack is running (npm start).");
  return url;
}

/**
 * Refuses at the start what cannot hold the data of the service; stores that are away pass.
 * @returns the connections that Postgres allows; null while it is away
 * @throws Error, one sentence
 */
export async function requireStores(config: Config): Promise<ServerRoom | null> {
  const [room] = await Promise.all([
    requirePrimary(databaseUrl(config), "DATABASE_URL"),
    config.redisUrl && requireSingleRedis(config.redisUrl),
  ]);
  return room;
}

/** Connections of a pool that stay open without use: on a busy host a new one takes long. */
const WARM = 2;
/** Max milliseconds without use of the others: longer than between two runs of most jobs. */
const IDLE_MS = 60_000;

/** Max milliseconds of connecting, and of waiting for a connection; and whether clients have to be told soon of silence. */
export type PoolLimits = { connectMs: number; turnMs: number; noticesSilence?: true };

/**
 * @param limits short in the API, where a client waits; long in the workers
 * @throws TooFewConnections, one sentence
 */
export function openServicePool(
  config: Config,
  room: ServerRoom | null,
  name: Exclude<ConnectionRole, "indexer">,
  log: Logger,
  limits: PoolLimits,
): pg.Pool {
  const pool = openPool({
    connectionString: databaseUrl(config),
    // What tells this process from others of its kind (db/operations/server-at-start.ts).
    application_name: `${name} ${randomBytes(3).toString("hex")}`,
    max: poolsOf(fittedPool(room, name, config.database.pool, (sentence) => log.warn(sentence)))[name],
    min: WARM,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: limits.connectMs,
    turnMs: limits.turnMs,
    noticesSilence: limits.noticesSilence,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  pool.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  pool.onFull = (kept) =>
    log.warn({ kept }, "Postgres refuses further connections; requests and jobs wait for those kept");
  void pool.warm(WARM);
  if (isTracing()) traceStatements(pool);
  return pool;
}

/** The replicas that take an API's reads, if there are any. */
export async function openReplicas(
  parts: AsyncDisposableStack,
  config: Config,
  primary: pg.Pool,
  log: Logger,
): Promise<ReadPool | undefined> {
  const { urls, maxLagMs } = config.database.replicas;
  if (urls.length === 0) return undefined;
  const replicas = await openReadPool({ primary, url: databaseUrl(config), replicaUrls: urls, maxLagMs, log });
  parts.defer(() => replicas.close());
  if (isTracing()) for (const pool of replicas.pools) if (pool !== primary) traceStatements(pool);
  return replicas;
}

/** A chain over its nodes. @throws Error, one sentence, without a node */
export function openChain(
  parts: AsyncDisposableStack,
  { id, nodes, proxies }: { id: number; nodes: readonly RpcNode[]; proxies: Config["proxies"] },
  log: Logger,
  ops: Ops | undefined,
): Chain {
  if (nodes.length === 0) throw new Error("RPC_URL is not set and no local stack is running (npm start).");
  const pool = openRpcPool({
    chainId: id,
    nodes,
    proxies,
    meter: ops?.upstreams,
    warn: (sentence) => log.error(sentence),
  });
  parts.defer(() => pool.close());
  ops?.watchNodes(() => pool.stats());
  return createChain(pool);
}

/** The queues of the jobs that have one. @param listen the notifications of a process that works them */
export const openQueuesOf = (config: Config, log: Logger, connectMs?: number, listen?: Notifications) =>
  openQueues({
    databaseUrl: databaseUrl(config),
    redisUrl: config.redisUrl,
    prefix: config.queuePrefix,
    log,
    names: JOBS.filter(({ queued }) => queued).map(({ name }) => name),
    connectMs,
    listen,
  });

/** The state of every job: what is queued of it, and its scheduled run. */
export const countsOf = (db: pg.Pool, queues: Pick<Queues, "counts">) => () =>
  jobCounts(
    db,
    JOBS.map(({ name }) => name),
    () => queues.counts(),
  );

/** Max wait of a job for its turn at an upstream, ms. */
export const JOB_WAIT_MS = 30_000;
/** Max wait of an API request for its turn at an upstream, ms; beyond it the client gets 503 with Retry-After at once. */
export const REQUEST_WAIT_MS = 1_000;

/** Names the service to its upstreams. */
export const userAgent = ({ service }: Config) => `${service.name} (${service.publicUrl})`;

/** @param waitMs max wait of a request for its turn at an upstream, ms */
export const openUpstreamHttp = (config: Config, ops: Ops | undefined, waitMs: number): Http =>
  openHttp({ userAgent: userAgent(config), proxies: config.proxies, maxWaitMs: waitMs, meter: ops?.upstreams });

/** Where snapshots are kept; null where none are made. */
export function openSnapshots(parts: AsyncDisposableStack, { snapshots, proxies }: Config): SnapshotPlace | null {
  const { place } = snapshots;
  if (place === undefined) return null;
  if (!isBucketUrl(place)) return snapshotFolder(place);
  const bucket = openBucket(readBucketUrl(place), proxies);
  parts.defer(() => bucket.close());
  return snapshotBucket(bucket, join(tmpdir(), "agent-snapshots"));
}

/** Encrypts the secrets of webhooks; null without a key: the service has no webhooks. */
export function openSecretBox({ webhooks: { keys } }: Config): SecretBox | null {
  const [first, ...rest] = keys;
  return first ? createSecretBox([first, ...rest]) : null;
}

/** Signs requests to untrusted hosts; null without a key, and where the directory is not at an https URL, which hosts refuse. */
export const openRequestSigner = ({ webhooks: { keys }, service: { publicUrl } }: Config) =>
  keys.length > 0 && publicUrl.startsWith("https:") ? createRequestSigner(keys, publicUrl) : null;

/** Null without EMBEDDINGS_URL. @param maxMs of a request */
export function openEmbeddings({ embeddings: set }: Config, http: Http, maxMs: number): Embeddings | null {
  if (!set) return null;
  const api = http.upstream({
    name: "The provider of embeddings",
    baseUrl: set.url,
    headers: set.apiKey ? { authorization: `Bearer ${set.apiKey}` } : {},
    rate: { burst: 20, perSecond: 10 },
    maxBytes: maxAnswerBytes(set.dimensions),
    maxMs,
  });
  return embeddings(api, set);
}

/**
 * Untrusted documents and endpoints: public addresses only, each host at one rate for all processes.
 * @param turns of hosts: what any caller can cause takes none of those of jobs @param totalMs max milliseconds of one request
 */
export function openForeignEndpoints(
  parts: AsyncDisposableStack,
  config: Config,
  ops: Ops | undefined,
  turns: { db: pg.Pool; of: "live" | "jobs" },
  totalMs: number,
  log: Logger,
  takeRedirected: (host: string, bySite: string) => Promise<number>,
): ForeignEndpoints {
  const http = openPublicHttp({
    userAgent: userAgent(config),
    signer: openRequestSigner(config),
    proxies: config.untrustedProxies,
    loopback: config.upstreams.gateways.allowLoopback,
    limits: { headersMs: totalMs, totalMs },
  });
  parts.defer(() => http.close());
  // What may be on this machine is a developer's own.
  const isLocal = config.upstreams.gateways.allowLoopback;
  const { burst: most, perSecond } = UNTRUSTED_HOST_RATE;
  return foreignEndpoints(http, {
    ...(!isLocal && {
      rate: UNTRUSTED_HOST_RATE,
      robot: config.service.name,
      takeTurn(host, site, maxMs) {
        const bucket = (name: string, of: number) => ({
          ...{ name: `pace:${turns.of}:${name}`, most: of * most, perSecond: of * perSecond },
        });
        return takeTurn(turns.db, [bucket(host, 1), bucket(`site:${site}`, HOSTS_OF_SITE)], maxMs, new Date());
      },
    }),
    ...{ meter: ops?.upstreams, takeRedirected },
    warn: (err) => log.warn({ err }, "no turn of a host that all processes share"),
  });
}
