/** Is it alive, can it serve, how far behind is it: /health, /ready, /api/v2/status, and what operators see. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { stalledSentence } from "../../core/operations/stalled-queues.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import { latestPublished } from "../../db/cred/cred-epochs.ts";
import { pullProgress } from "../../db/directory/pulls.ts";
import { type RecordedProgress, readBackfillProgress } from "../../db/operations/backfill-progress.ts";
import { scheduledRuns } from "../../db/operations/job-runs.ts";
import type { OpenWork, Totals } from "../../db/operations/service-counts.ts";
import type { FailingWebhook } from "../../db/webhooks/failing.ts";
import { inTime } from "../../runtime/in-time.ts";
import type { ApiDeps } from "../deps.ts";
import { CACHE, endpointsOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { integer } from "../parameters.ts";
import { operatorSchema } from "../schemas/operator.ts";
import { healthSchema, readySchema, statusSchema } from "../schemas/service.ts";
import type { OperatorState } from "../services/operator-state.ts";

const endpoint = endpointsOf({ tag: "Service", cache: CACHE.never });

const CHECKS_TIMEOUT_MS = 2_000;

export const health = endpoint({
  path: "/health",
  operationId: "getHealth",
  summary: "The process lives; nothing else is checked",
  guard: { bucket: "unlimited" },
  responses: { 200: { description: "Alive", schema: healthSchema } },
  handler: ({ deps: { config, contract } }, json) =>
    json({
      status: "ok",
      version: "v2",
      port: config.http.port,
      contractDeployed: contract.known.contractDeployed,
    }),
});

export const ready = endpoint({
  path: "/ready",
  operationId: "getReady",
  summary: "Whether requests should be sent here, dependency by dependency",
  guard: { bucket: "unlimited" },
  responses: {
    200: { description: "Ready", schema: readySchema },
    503: { description: "Not ready; `checks` says what is missing", schema: readySchema },
  },
  async handler({ deps }, json) {
    const [answering, chained, queued] = await Promise.all([database(deps), chain(deps), queues(deps)]);
    const checks = { database: answering, index: index(deps), chain: chained, queues: queued };
    // Reads need no chain and no job: an API without them still serves, so it only reports them.
    const isReady = checks.database.ok && checks.index.ok;
    return json({ ready: isReady, checks }, { status: isReady ? 200 : 503 });
  },
});

type Check = { ok: boolean; message: string | null };
const good: Check = { ok: true, message: null };
const bad = (message: string): Check => ({ ok: false, message });

const database = async ({ answersReads }: HandlerDeps): Promise<Check> =>
  (await answersReads(CHECKS_TIMEOUT_MS)) ? good : bad("The database does not answer.");

function index({ index: { state } }: HandlerDeps): Check {
  if (!state.ready) return bad("The index is being built.");
  if (state.stale) return bad(state.reason ?? "The index is being rebuilt.");
  // The rows that exist are right: the message says which are missing, and requests are still served.
  return { ok: true, message: state.reason };
}

async function chain(parts: HandlerDeps): Promise<Check> {
  return (await headOf(parts)) === null ? bad("The chain cannot be reached.") : good;
}

async function queues({ stalled }: HandlerDeps): Promise<Check> {
  const queues = await inCheck(stalled());
  if (queues === null) return bad("It cannot be read whether the jobs run.");
  const sentence = stalledSentence(queues);
  return sentence === null ? good : bad(sentence);
}

/** The newest block's number; null when no node answers in time. */
const headOf = ({ chainHead }: HandlerDeps): Promise<number | null> => inCheck(chainHead());

/** Null when the answer fails, or takes longer than clients of `/ready` wait. */
const inCheck = <T>(answer: Promise<T>): Promise<T | null> => inTime(answer, CHECKS_TIMEOUT_MS, () => null);

export const status = endpoint({
  path: "/api/v2/status",
  operationId: "getStatus",
  summary: "How far the service is behind the chain and itself",
  query: z.object({
    maxLagSeconds: integer({
      min: 0,
      max: 86_400,
      what: "For monitors: 503 when the index is further behind than this",
    }).optional(),
  }),
  responses: {
    200: { description: "State of chain, sources, queues and scores", schema: statusSchema },
    503: { description: "The same body: further behind than maxLagSeconds allows", schema: statusSchema },
  },
  errors: ["upstream_unavailable", "timeout"],
  async handler({ deps, query, now, at }, json) {
    const state = await inTime(deps.index.refresh(), CHECKS_TIMEOUT_MS, () => deps.index.state);
    const [head, runs, pulls, stale, withoutUri, queues, recorded, epoch] = await Promise.all([
      headOf(deps),
      scheduledRuns(deps.db),
      pullProgress(deps.db),
      state.ready ? deps.staleScores() : 0,
      state.ready ? deps.tokensWithoutUri() : 0,
      deps.queues(),
      readBackfillProgress(deps.db),
      latestPublished(deps.db),
    ]);
    const lagSeconds = lag(state, head, now);
    const late = query.maxLagSeconds !== undefined && (lagSeconds === null || lagSeconds > query.maxLagSeconds);
    const body = {
      chain: {
        head,
        indexed: state.indexedBlock,
        lagSeconds,
        synced:
          head !== null &&
          state.indexedBlock !== null &&
          state.indexedBlock >= head - 1 &&
          !state.stale &&
          state.reason === null,
        difference: state.reason,
        progress: progress(deps, head),
      },
      sources: [
        ...runs.map(({ name, ...run }) => ({ key: name, ...run, note: null, quarantined: null, progress: null })),
        // A pull that runs, or was interrupted, continues now.
        ...pulls.map(({ running, done, expected, ...pull }) => ({
          ...pull,
          nextRunAt: pull.nextRunAt ?? at,
          progress: running ? { done, expected } : null,
        })),
      ].map(sourceView),
      queues,
      cred: {
        stale,
        lastSweepAt: runs.find(({ name }) => name === CRED_SWEEP)?.lastSuccessAt?.toISOString() ?? null,
        epoch: epoch && {
          number: epoch.epoch,
          root: epoch.root,
          leaves: epoch.leaves,
          contract: epoch.contract,
          transaction: epoch.txHash,
          computedAt: epoch.computedAt.toISOString(),
          publishedAt: epoch.publishedAt!.toISOString(),
        },
      },
      backfill: recorded && backfillView(recorded, now),
      tokenUris: { without: withoutUri },
    };
    return json(body, { status: late ? 503 : 200 });
  },
});

type SourceView = z.output<typeof statusSchema>["sources"][number];
type Source = Omit<SourceView, "lastSuccessAt" | "nextRunAt"> & { lastSuccessAt: Date | null; nextRunAt: Date };

const sourceView = ({ key, lastSuccessAt, nextRunAt, ...rest }: Source): SourceView => ({
  key,
  lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
  nextRunAt: nextRunAt.toISOString(),
  ...rest,
});

/** The scheduled job that compares every stored score with its agent. */
const CRED_SWEEP = "reconcile";

/**
 * Age of the data shown, in seconds. It is 0 for an index that has the chain's newest block, however old that block is.
 */
function lag(state: HandlerDeps["index"]["state"], head: number | null, now: number): number | null {
  if (state.indexedAt === null || state.indexedBlock === null) return null;
  if (head !== null && state.indexedBlock >= head) return 0;
  return Math.max(0, Math.round(now / 1000 - state.indexedAt));
}

/** The launcher's record as readers see it: its state follows from its age and from its stall. */
function backfillView({ age, silent, ...record }: RecordedProgress, now: number) {
  const stalled = record.stalledSeconds !== null && record.state !== "done";
  return {
    ...record,
    state: silent ? ("stopped" as const) : stalled ? ("stalled" as const) : record.state,
    updatedAt: new Date(now - age * 1_000).toISOString(),
  };
}

/** Share of the chain's history that is indexed, counted from the first block of any contract. */
function progress({ index, config }: HandlerDeps, head: number | null): number {
  const start = config.firstBlock;
  const { indexedBlock } = index.state;
  if (indexedBlock === null) return 0;
  if (head === null || head <= start) return 1;
  return Math.min(1, Math.max(0, Math.floor(((indexedBlock - start) / (head - start)) * 10_000) / 10_000));
}

export const operatorState = endpoint({
  path: "/api/v2/operator",
  operationId: "getOperatorState",
  summary: "Ledger, transactions, events and failing webhooks, for the operator",
  description:
    "The same reads as the metrics, at most five seconds old. Chain, backfill, sources and queues are in GET /api/v2/status.",
  guard: { caller: "operatorKey", bucket: "reads" },
  responses: { 200: { description: "State of the service", schema: operatorSchema } },
  handler: async ({ deps }, json) =>
    json({ ...view(await deps.operatorState()), replicas: replicasView(deps.replicas) }),
});

/** Sums come from the database as floats: they are for reading, never for paying. */
const amount = (units: number): string => formatUsdc(BigInt(Math.round(units)));

function view({ open, events, totals, day, failing }: OperatorState) {
  return {
    ledger: {
      open: open.payments,
      refundDue: {
        rows: open.refundDue.rows,
        amount: amount(open.refundDue.units),
        oldestSeconds: open.refundDue.oldestSeconds,
      },
      byState: totals.payments,
      day: day.map(({ units, ...of }) => ({ ...of, amount: amount(units) })),
    },
    transactions: transactionsView(open, totals),
    sender: open.sender,
    events: {
      head: events.head,
      handedOut: events.handedOut,
      unplaced: events.unplaced,
      undispatched: open.undispatched,
    },
    webhooks: {
      ...events.webhooks,
      pending: events.pending,
      dead: events.dead,
      failing: failing.map(failingView),
    },
    directory: { rows: totals.directoryRows, quarantined: totals.quarantined, offerSources: totals.offerSources },
  };
}

/** Of the process that answers: each API decides for itself. */
const replicasView = (pool: ApiDeps["replicas"]) => ({
  primaryReads: pool?.primaryReads ?? null,
  servers: (pool?.replicas ?? []).map(({ lagMs, ...replica }) => ({
    ...replica,
    lagSeconds: lagMs === null ? null : lagMs / 1_000,
  })),
});

const transactionsView = (open: OpenWork, { transactions }: Totals) => ({
  open: open.transactions,
  waiting: open.waitingTransactions,
  nonceGap: open.nonceGap,
  byState: transactions,
  pendingMints: open.pendingMints,
});

/** Only the host of the URL: its path may hold a secret of the receiver. */
function failingView({ webhookId, owner, url, log, ...webhook }: FailingWebhook) {
  const last = log?.at(-1);
  return {
    id: webhookId,
    owner: checksum(owner),
    host: new URL(url).host,
    ...webhook,
    failingSince: webhook.failingSince?.toISOString() ?? null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    lastAnswer: last ? (last.error ?? (last.status === null ? null : String(last.status))) : null,
  };
}
