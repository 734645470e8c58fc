/** Payments by transaction hash: what a mined transaction proves, and for whom. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { Checked } from "../../core/payments/checked.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import { transfersOf } from "../../core/payments/transfers.ts";
import {
  authorizationFact,
  digestOf,
  type Payment,
  type PaymentTerms,
  paymentsOf,
  transferFact,
} from "../../db/payments/payments.ts";
import { presentPayment } from "../../db/payments/present-payment.ts";
import { isDeepEnough, settlementAt } from "../../settlement/evidence.ts";
import type { OpenCheckout, SettleOptions } from "./checkout.ts";
import { LEASE_MS } from "./lease.ts";
import { alreadyUsed, refuse } from "./payment-refusals.ts";
import type { PaymentService } from "./payment-service.ts";
import { claimOf } from "./presented.ts";
import { type CollectedPayment, resume } from "./resume.ts";

/** Max age of a transfer in milliseconds: an old one may be income for something else. */
const MAX_AGE_MS = 3_600_000;

/**
 * Check then write: receipt, depth and age, then `presentPayment` as paid; another request may take the transfer, or a
 * reorganisation undo it: its fact is unique, and the sweep watches its block until it is final.
 */
export async function collectTransfer(
  service: PaymentService,
  checkout: OpenCheckout,
  hash: Hex,
  options: SettleOptions,
): Promise<CollectedPayment> {
  const payer = checkout.request.wallet ?? (await checkout.request.signedIn());
  if (!payer) refuse(checkout, "payer_unknown");
  const found = await checkTransfers(service, checkout, hash, payer);
  if (typeof found === "string") return refuse(checkout, found);
  for (const checked of found) {
    const { block } = checked.terms.settlement!;
    const claim = claimOf(checkout, options, { by: "payer", sinceBlock: block, client: null });
    const presented = await presentPayment(service.db, checked, claim, null, LEASE_MS);
    if (presented.kind !== "other") return resume(service, checkout, presented, options);
  }
  return alreadyUsed();
}

/**
 * The transfers in a transaction that could pay for a request; those known to belong to it come first.
 * @param payer the wallet that has signed in: the money must have come from it, whichever account sent the transaction
 * @returns the reason where there is none
 * @throws Failure upstream_unavailable
 */
async function checkTransfers(
  service: PaymentService,
  checkout: OpenCheckout,
  hash: Hex,
  payer: Address,
): Promise<Checked<PaymentTerms>[] | Refusal> {
  const { chain, db, config, now } = service;
  const { domain, payTo, honoured } = checkout.terms!;
  const receipt = await chain.receipt(hash);
  if (receipt === null) return "transaction_not_found";
  if (receipt.status !== "success") return "transaction_failed";
  const block = await chain.block(receipt.block);
  if (block === null || block.hash !== receipt.blockHash) return "transaction_not_found";
  if (!(await isDeepEnough(chain, receipt.block, config.payments.confirmations))) return "transaction_not_confirmed";
  const token = domain.verifyingContract;
  const transfers = transfersOf(receipt.logs, { token, from: payer, to: payTo, values: honoured });
  if (transfers.length === 0) return "no_matching_transfer";
  const found = transfers.map((transfer): PaymentTerms => {
    const moved = { payer, payee: payTo, amountUnits: transfer.value, chainId: domain.chainId };
    const settlement = { ...settlementAt(receipt, transfer), blockTime: block.timestamp, sender: receipt.from };
    const fact = transferFact({ ...moved, ...settlement });
    return {
      ...moved,
      method: "transaction",
      asset: token,
      credential: null,
      validBefore: null,
      facts: [fact, ...(transfer.nonce ? [authorizationFact(domain.chainId, token, payer, transfer.nonce)] : [])],
      digest: digestOf("transaction", fact),
      settlement,
    };
  });
  const known = await paymentsOf(
    db,
    found.flatMap(({ facts }) => facts),
  );
  const own = known.find(({ fingerprint }) => fingerprint === checkout.request.fingerprint);
  const isOwn = (terms: Readonly<PaymentTerms>) => own !== undefined && owns(own, terms);
  const oldest = Math.max(now() - MAX_AGE_MS, config.payments.since?.getTime() ?? 0);
  const checked: Checked<PaymentTerms>[] = [];
  for (const terms of found.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) {
    // A transfer that this request presented before was recent at that time.
    const one = await Checked.of(terms, async (written) =>
      block.timestamp * 1000 >= oldest || isOwn(written) ? null : "transaction_too_old",
    );
    if (typeof one !== "string") checked.push(one);
  }
  return checked.length > 0 ? checked : "transaction_too_old";
}

const owns = (
  known: Pick<Payment, "txHash" | "nth" | "amountUnits">,
  { settlement, amountUnits }: Readonly<PaymentTerms>,
) => settlement?.txHash === known.txHash && settlement?.nth === known.nth && amountUnits === known.amountUnits;
