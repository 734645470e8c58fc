/** The paid cred report, and the check of its receipt. */
import { z } from "zod";
import type { Hex } from "../../core/agents/facts.ts";
import { credReportSchema, receiptCheckSchema } from "../../core/cred/report/sealed-report.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import { endpoint } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { draftReport, reportOfReceipt, sealReport } from "../services/issue-cred-report.ts";

/**
 * Check then write: the report is computed, then `fulfil` and the answer; the agent may change: the report states its
 * time, and nothing else rests on it.
 */
export const credReport = endpoint({
  path: "/api/v2/agent/{ref}/cred-report",
  operationId: "getCredReport",
  tag: "Cred",
  summary: "The score taken apart: evidence, standing, advice, and a signed receipt",
  description:
    "Computed first, then paid for, then given out: a report that cannot be made costs nothing. The receipt is EIP-712 typed data that anyone can check offline.",
  guard: { price: "credReport" },
  data: true,
  params: z.object({ ref: agentRef }),
  responses: { 200: { description: "The report with its receipt", schema: credReportSchema } },
  errors: ["not_found", "upstream_unavailable"],
  async handler({ deps, params: { ref }, now, payment }, json) {
    const draft = await draftReport(deps, ref, formatUsdc(payment.price), now);
    const paid = await payment.settle();
    // A price shown a moment ago is accepted too: the report names the amount really paid.
    draft.input.price = formatUsdc(paid.amountUnits);
    const report = await sealReport(deps, draft, paid.reference);
    await paid.fulfil(deps.db, `cred-report:${report.reportId}`);
    return json(report);
  },
});

export const verifyReceipt = endpoint({
  method: "post",
  path: "/api/v2/cred-report/verify-receipt",
  operationId: "verifyReceipt",
  tag: "Cred",
  summary: "Whether a receipt is this service's, and the report it is about",
  description: "A forged or changed receipt is an answer, not an error: `valid` is false.",
  guard: { bucket: "reads" },
  body: z
    .object({
      payload: z.string().max(200_000).meta({ description: "`receipt.payload`, byte for byte" }),
      signature: z
        .string()
        .regex(/^0x[0-9a-fA-F]{130}$/, { error: "must be 0x and 130 hex digits" })
        .transform((signature) => signature as Hex)
        .meta({ documented: { type: "string", pattern: "^0x[0-9a-fA-F]{130}$" }, description: "`receipt.signature`" }),
    })
    .strict()
    .meta({ id: "ReceiptToCheck" }),
  responses: { 200: { description: "The verdict", schema: receiptCheckSchema } },
  handler: ({ deps, body: { payload, signature } }, json) => {
    const report = reportOfReceipt(deps, payload, signature);
    return json({ valid: report !== null, report });
  },
});
