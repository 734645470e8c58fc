/** The parts of the worker process: opened for its lifetime, closed in the reverse order. */
import { foreignDocuments, REDIRECTED_BY_SITE, REDIRECTED_PER_DAY } from "../clients/foreign-endpoints.ts";
import { openRegistries } from "../clients/registries.ts";
import { createReceiptSigner, createSigner } from "../clients/signer.ts";
import { openWebhookReceivers } from "../clients/webhook-receivers.ts";
import type { Config } from "../config/config.ts";
import { ofDay } from "../core/agents/social-proof-allowances.ts";
import { takeAll } from "../db/callers/allowances.ts";
import { stalledJobs } from "../db/operations/job-runs.ts";
import { notifications } from "../db/sql/notifications.ts";
import { jobMeter, webhookMeter } from "../ops/metrics/meters.ts";
import { poolGauge, queueGauges, stalledGauge } from "../ops/metrics/process.ts";
import { credGauges, credRootGauges, meaningGauges, proofGauges } from "../ops/metrics/scores.ts";
import { eventGauges, tableGauges } from "../ops/metrics/tables.ts";
import { type Ops, openOps, openTraces } from "../ops/open.ts";
import { boardAccess } from "../ops/queue-board.ts";
import { faultAt } from "../runtime/faults.ts";
import { createLog } from "../runtime/log.ts";
import type { JobContext } from "../workers/context.ts";
import { type Assembly, assemble } from "./assemble.ts";
import {
  countsOf,
  JOB_WAIT_MS,
  openChain,
  openEmbeddings,
  openEthos,
  openForeignEndpoints,
  openMarkets,
  openProofs,
  openQueuesOf,
  openSecretBox,
  openServicePool,
  openSnapshots,
  openUpstreamHttp,
  requireStores,
  userAgent,
} from "./connections.ts";
import { openMpp } from "./payments.ts";

/** Max ms until a connection to the database is made: no client waits for it. */
const JOB_CONNECT_MS = 10_000;
/** Max ms of a request for the vectors of a batch of texts. */
const EMBEDDINGS_MS = 60_000;

/** @throws Error, one sentence, when a part cannot be opened; the parts opened before it are closed */
export const wireWorkers = (config: Config): Promise<Assembly<JobContext>> => wireRole(config, "workers");

/** The parts of the process of readers: those of the workers, without what signs, delivers and pays. */
export const wireReaders = (config: Config): Promise<Assembly<JobContext>> => wireRole(config, "readers");

const wireRole = (config: Config, role: "workers" | "readers"): Promise<Assembly<JobContext>> =>
  assemble(async (parts) => {
    const room = await requireStores(config);
    const log = createLog(config, role);
    parts.defer(await openTraces(config, role));
    const ops = openOps(config, role, log);
    const db = openServicePool(config, room, role, log, { connectMs: JOB_CONNECT_MS, turnMs: JOB_WAIT_MS });
    parts.defer(() => db.end());
    const queue = await openQueuesOf(config, log, JOB_WAIT_MS, notifications(db));
    parts.defer(() => queue.close());
    const sends = role === "workers";
    const { privateKey } = config.sender;
    const http = openUpstreamHttp(config, ops, JOB_WAIT_MS);
    parts.defer(() => http.close());
    const webhooks = sends ? openWebhooks(parts, config, ops) : null;
    const endpoints = openForeignEndpoints(parts, config, ops, { db, of: "jobs" }, 5_000, log, (host, bySite) => {
      const now = new Date();
      const all = ofDay(`redirected:${host}`, REDIRECTED_PER_DAY, 1, now);
      return takeAll(db, [all, ofDay(`redirected:${host} ${bySite}`, REDIRECTED_BY_SITE, 1, now)], now);
    });
    const chain = openChain(parts, { ...config.chain, proxies: config.proxies }, log, ops);
    const mpp = sends ? await openMpp(parts, config, log, ops) : null;
    const embeddings = openEmbeddings(config, http, EMBEDDINGS_MS);
    if (ops && sends) {
      meaningGauges(ops.registry, db, embeddings);
      await listen(parts, ops, db, queue, config);
    } else if (ops) {
      poolGauge(ops.registry, db);
      await ops.listen();
      parts.defer(() => ops.close());
    }
    return {
      db,
      proofs: openProofs(parts, config, http),
      ethos: openEthos(config, http),
      embeddings,
      registries: openRegistries(config.upstreams.registries, { http, chainId: config.chain.id }),
      markets: openMarkets(config, http),
      webhooks,
      documents: foreignDocuments(endpoints),
      endpoints,
      chain,
      mpp,
      signer: privateKey && sends ? createSigner(privateKey, config.chain.id) : null,
      snapshots: openSnapshots(parts, config),
      snapshotSigner: config.receipts.privateKey && sends ? createReceiptSigner(config.receipts.privateKey) : null,
      queue,
      clock: () => new Date(),
      log,
      meter: ops && jobMeter(ops.registry),
      fault: faultAt(config.faultPoint),
      config,
    };
  });

/** Delivery of webhooks; null without a key for their secrets. */
function openWebhooks(parts: AsyncDisposableStack, config: Config, ops: Ops | undefined): JobContext["webhooks"] {
  const secrets = openSecretBox(config);
  const receivers = openWebhookReceivers({
    userAgent: userAgent(config),
    proxies: config.untrustedProxies,
    allowLoopback: config.webhooks.allowLoopback,
  });
  parts.defer(() => receivers.close());
  return (
    secrets && {
      secrets,
      receivers,
      random: Math.random,
      meter: ops && webhookMeter(ops.registry),
    }
  );
}

async function listen(
  parts: AsyncDisposableStack,
  ops: Ops,
  db: JobContext["db"],
  queue: Awaited<ReturnType<typeof openQueuesOf>>,
  config: Config,
) {
  poolGauge(ops.registry, db);
  const counts = countsOf(db, queue);
  queueGauges(ops.registry, counts);
  stalledGauge(ops.registry, () => stalledJobs(db, counts));
  tableGauges(ops.registry, db);
  eventGauges(ops.registry, db);
  credGauges(ops.registry, db);
  credRootGauges(ops.registry, db, config.credRoots);
  proofGauges(ops.registry, db, config.upstreams.proofChecks);
  // Imported on demand: it loads the page of the board.
  const { BOARD_PATH, queueBoard } = await import("../ops/queue-board.ts");
  await ops.listen({ mounts: { [BOARD_PATH]: queueBoard(queue.boards(), boardAccess(db)) } });
  parts.defer(() => ops.close());
}
