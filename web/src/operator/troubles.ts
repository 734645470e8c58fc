/** What an operator should look at, as sentences; the alerts of ops/alerts.yml say the same with their own delays. */
import type { OperatorState, Status } from "../api/types.ts";
import { say } from "../say.tsx";
import { duration } from "../words.ts";

/** Seconds behind the chain above which it is shown, as in the banner of every page. */
const LATE_SECONDS = 60;

export function troublesOf({ ledger, transactions, sender, webhooks }: OperatorState, status: Status): string[] {
  const { chain, backfill, sources, queues } = status;
  const troubled = sources.filter(({ error }) => error !== null).length;
  const failed = queues.reduce((sum, queue) => sum + queue.failed, 0);
  const refunds = ledger.refundDue.rows;
  return [
    chain.head === null && say("operator.trouble.away"),
    (chain.lagSeconds ?? 0) > LATE_SECONDS && say("operator.trouble.lag", { age: duration(chain.lagSeconds!) }),
    backfill?.state === "stalled" && say("operator.trouble.stalled", { reason: backfill.lastFailure?.reason ?? "" }),
    backfill?.state === "stopped" && say("operator.trouble.stopped"),
    troubled > 0 && say("operator.trouble.sources", { n: troubled }),
    failed > 0 && say("operator.trouble.queues", { n: failed }),
    refunds > 0 && say("operator.trouble.refunds", { n: refunds }),
    transactions.nonceGap > 0 && say("operator.trouble.gap"),
    sender?.funded === false && say("operator.trouble.funds"),
    sender?.paused && say("operator.trouble.paused"),
    webhooks.failing.length > 0 && say("operator.trouble.webhooks", { n: webhooks.failing.length }),
  ].filter((one) => typeof one === "string");
}
