/** The paid cred report, and the check of its receipt. */
import { randomUUID } from "node:crypto";
import { object, z } from "zod";
import type { Config } from "../../config/config.ts";
import { checksum } from "../../core/addresses.ts";
import type { AgentFacts, AgentRef, Hex } from "../../core/agents/facts.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { receiptDigest, signerOf } from "../../core/cred/report/check.ts";
import { type CredReportInput, type CredReportView, credReportView } from "../../core/cred/report/cred-report.ts";
import { type ReceiptDomain, readPayload, receiptData, receiptMessage } from "../../core/cred/report/receipt.ts";
import { credReportSchema, receiptCheckSchema, type SealedReport } from "../../core/cred/report/sealed-report.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { fail } from "../../core/errors.ts";
import { formatUsdc } from "../../core/payments/prices.ts";
import { caveatsOf } from "../../core/views/agent.ts";
import { sessionCounts } from "../../db/callers/sessions.ts";
import { findDirectoryId } from "../../db/directory/rows.ts";
import { offeringOf } from "../../db/discovery/offering.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { agentRef } from "../parameters.ts";
import { credRankOf, factsOf, ownerAttested } from "../services/agent-facts.ts";
import { reportEpoch } from "./cred.ts";

/**
 * Check then write: the report is computed, then `fulfil` and the answer; the agent may change: the report states its
 * time, and nothing else rests on it.
 */
export const credReport = endpoint({
  path: "/api/v2/agent/{ref}/cred-report",
  operationId: "getCredReport",
  tag: "Cred",
  summary: "The score taken apart: evidence, rank, advice, and a signed receipt",
  description:
    "Computed first, then paid for, then given out: a report that cannot be made costs nothing. The receipt is EIP-712 typed data that anyone can check offline.",
  guard: { price: "credReport" },
  data: true,
  params: object({ ref: agentRef }),
  responses: { 200: { description: "The report with its receipt", schema: credReportSchema } },
  errors: ["not_found", "upstream_unavailable"],
  async handler({ deps, params: { ref }, at, payment }, json) {
    const draft = await draftReport(deps, ref, formatUsdc(payment.price), at);
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
  body: object({
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

/** A report without its payment: computed before anything is charged. */
export type DraftReport = { facts: AgentFacts; input: Omit<CredReportInput, "payment">; at: Date };

/**
 * Computes a report.
 * @throws Failure not_found; upstream_unavailable when the service has no key to sign a receipt with
 */
async function draftReport(deps: HandlerDeps, ref: AgentRef, price: string, at: Date): Promise<DraftReport> {
  if (!deps.receipts) return fail("upstream_unavailable", "The service cannot sign receipts at the moment.");
  return snapshot(deps.db, async (db) => {
    const facts = await factsOf({ db, config: deps.config }, ref);
    const ranking = await credRankOf(deps, db, shownCred(facts, at).score);
    const sessions = await sessionCounts(db, { tokenId: facts.tokenId });
    const onchain = await reportEpoch(db, facts.tokenId);
    const attested = await ownerAttested(deps, db, facts, at);
    const id = await findDirectoryId(db, String(facts.tokenId), OWN_PLATFORM);
    const known = {
      attested,
      reservations: caveatsOf(facts, at),
      offering: id === null ? null : await offeringOf(db, id, at),
    };
    return { facts, at, input: { reportId: randomUUID(), ...ranking, sessions, price, ...known, onchain } };
  });
}

/**
 * Completes a paid report.
 * @param payment the payment's reference, which the receipt binds
 */
async function sealReport(deps: HandlerDeps, draft: DraftReport, payment: string): Promise<SealedReport> {
  const signer = deps.receipts!;
  const report = credReportView(draft.facts, { ...draft.input, payment }, deps.site, draft.at);
  const payload = JSON.stringify(report);
  const data = receiptData(payload, report, receiptDomain(deps.config));
  return {
    ...report,
    receipt: {
      reportId: report.reportId,
      payload,
      signature: await signer.sign(receiptDigest(data.domain, data.message)),
      algorithm: "EIP-712",
      signer: checksum(signer.address),
      ...data,
      types: { [data.primaryType]: [...data.types[data.primaryType]] },
      domain: { ...data.domain, verifyingContract: checksum(data.domain.verifyingContract) },
      verifyEndpoint: `${deps.config.service.publicUrl}/api/v2/cred-report/verify-receipt`,
    },
  };
}

/** The report of a receipt; null unless a present or former signer of this service signed it. */
function reportOfReceipt(deps: HandlerDeps, payload: string, signature: Hex): CredReportView | null {
  const report = readPayload(payload);
  if (!report) return null;
  const signer = signerOf(receiptDigest(receiptDomain(deps.config), receiptMessage(payload, report)), signature);
  const signers = [...(deps.receipts ? [deps.receipts.address] : []), ...deps.config.receipts.formerSigners];
  return signer !== null && signers.includes(signer) ? report : null;
}

/** Of everything that the receipts' key signs. */
export const receiptDomain = ({ service, chain, contracts }: Config): ReceiptDomain => ({
  name: service.name,
  version: "1",
  chainId: chain.id,
  verifyingContract: contracts.identity.address,
});
