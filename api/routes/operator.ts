/** The state of the service for its operators: what the metrics count, in one answer. */
import { checksum } from "../../core/addresses.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import type { OpenWork, Totals } from "../../db/operations/service-counts.ts";
import type { FailingWebhook } from "../../db/webhooks/failing.ts";
import type { ApiDeps } from "../deps.ts";
import { CACHE, endpoint } from "../endpoint.ts";
import { operatorSchema } from "../schemas/operator.ts";
import type { OperatorState } from "../services/operator-state.ts";

export const operatorState = endpoint({
  path: "/api/v2/operator",
  operationId: "getOperatorState",
  tag: "Service",
  summary: "Ledger, transactions, events and failing webhooks, for the operator",
  description:
    "The same reads as the metrics, at most five seconds old. Chain, backfill, sources and queues are in GET /api/v2/status.",
  guard: { caller: "operatorKey", bucket: "reads" },
  responses: { 200: { description: "State of the service", schema: operatorSchema } },
  cache: CACHE.never,
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
