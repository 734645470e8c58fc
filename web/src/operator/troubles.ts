/** What an operator should look at, as sentences; the alerts of ops/alerts.yml say the same with their own delays. */
import type { OperatorState, Status } from "../api/types.ts";
import { counted } from "../formats.ts";
import { problemsOf } from "../status/problems.ts";

export function troublesOf({ ledger, transactions, sender, webhooks }: OperatorState, status: Status): string[] {
  const refunds = ledger.refundDue.rows;
  return [
    ...problemsOf(status).flatMap(({ level, text }) => (level === "bad" ? [text] : [])),
    refunds > 0 && `${counted(refunds, "refund is", "refunds are")} due.`,
    transactions.nonceGap > 0 && "Transactions wait behind a gap of nonces.",
    sender?.funded === false && "The sender has not enough ether for new writes.",
    sender?.paused && "The sender's budget of the day is used up.",
    webhooks.failing.length > 0 && `${counted(webhooks.failing.length, "webhook fails", "webhooks fail")}.`,
  ].filter((one) => typeof one === "string");
}
