/** What an operator should look at, as sentences; the alerts of ops/alerts.yml say the same with their own delays. */
import type { OperatorState, Status } from "../api/types.ts";
import { say } from "../say.tsx";
import { problemsOf } from "../status/problems.ts";

export function troublesOf({ ledger, transactions, sender, webhooks }: OperatorState, status: Status): string[] {
  const refunds = ledger.refundDue.rows;
  return [
    ...problemsOf(status).flatMap(({ level, text }) => (level === "bad" ? [text] : [])),
    refunds > 0 && say("operator.trouble.refunds", { n: refunds }),
    transactions.nonceGap > 0 && say("operator.trouble.gap"),
    sender?.funded === false && say("operator.trouble.funds"),
    sender?.paused && say("operator.trouble.paused"),
    webhooks.failing.length > 0 && say("operator.trouble.webhooks", { n: webhooks.failing.length }),
  ].filter((one) => typeof one === "string");
}
