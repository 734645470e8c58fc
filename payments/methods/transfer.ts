/** Payments by transaction hash: what a mined transaction proves, and for whom. */
import type { Address, Hex } from "../../core/agents/facts.ts";
import { Checked } from "../../core/payments/checked.ts";
import type { Refusal } from "../../core/payments/refusals.ts";
import { optionVersion1 } from "../../core/payments/terms.ts";
import { isTransactionHash, transfersOf } from "../../core/payments/transfers.ts";
import {
  authorizationFact,
  digestOf,
  type Payment,
  type PaymentTerms,
  paymentsOf,
  transferFact,
} from "../../db/payments/payments.ts";
import { isDeepEnough, settlementAt } from "../evidence.ts";
import { type AskingRequest, type PaymentMethod, paymentResponse, refuseHeader, type SalesParts } from "./method.ts";

/** Max age of a transfer in milliseconds: an old one may be income for something else. */
const MAX_AGE_MS = 3_600_000;

/** Headers that may carry a hash; the first two are shared with signed payments. */
const HEADERS = ["PAYMENT-SIGNATURE", "X-PAYMENT", "X-Payment-Tx", "X-Payment-TxHash", "X-Payment-Proof"];

/** A transfer of the payer's own, presented by its transaction's hash. */
export const transfer: PaymentMethod<Hex> = {
  key: "transaction",
  wire: {
    kind: "value",
    headers: HEADERS.map((name) => ({
      name,
      description: "Hash of the payer's own transfer of exactly the price",
    })),
    isOwn: isTransactionHash,
    form: "must be 0x and 64 hex digits",
  },
  // Everybody can read a hash on the chain, so it pays only for a payer that signs in.
  isPublic: false,

  /** A transfer made by the payer itself, presented by its transaction's hash. */
  option: (_parts, { terms }) => ({
    body: {
      transfer: {
        chainId: terms.domain.chainId,
        asset: optionVersion1(terms)?.asset ?? terms.domain.verifyingContract,
        to: optionVersion1(terms)?.payTo ?? terms.payTo,
        amount: String(terms.amountUnits),
        headers: HEADERS,
        note: "Send exactly this amount from the wallet you sign in with, then repeat the request with the transaction's hash in one of these headers.",
      },
    },
  }),

  read(values) {
    const [{ name }] = values;
    const hashes = new Set(values.map(({ value }) => value.toLowerCase() as Hex));
    if (hashes.size > 1) refuseHeader(name, "must not differ from the transaction hash in another payment header");
    return [...hashes][0]!;
  },

  payer: () => null,

  nameOf: (hash, { domain }) => `${domain.chainId}:${hash}`,

  async present(parts, hash, request) {
    const payer = request.wallet ?? (await request.signedIn());
    if (!payer) return "payer_unknown";
    return {
      by: "payer",
      // What the ledger has of a transaction are the transfers in it.
      name: null,
      async check() {
        const terms = await checkTransfers(parts, request, hash, payer);
        if (typeof terms === "string") return { reason: terms };
        return terms.map((checked) => ({ checked, sinceBlock: checked.terms.settlement!.block, client: null }));
      },
    };
  },

  chain: ({ chain }) => chain,

  /** The ledger has a transfer only once it was found, and releases it when its block is gone. */
  async find() {
    throw new Error("a transfer is found when it is presented");
  },

  async settle() {
    return { kind: "unknown", cause: new Error("a transfer is sent by its payer"), broadcast: false };
  },

  receipt: (_parts, paid) => paymentResponse(paid),
};

/**
 * The transfers in a transaction that could pay for a request; those known to belong to it come first.
 * Check then write: receipt, depth and age, then `presentPayment` as paid; another request may take the transfer, or a
 * reorganisation undo it: its fact is unique, and the sweep watches its block until it is final.
 * @param payer the wallet that has signed in: the money must have come from it; any account may have sent the transaction
 * @returns the reason where there is none
 * @throws Failure upstream_unavailable
 */
async function checkTransfers(
  { chain, db, confirmations, since, now }: SalesParts,
  { terms, fingerprint }: AskingRequest,
  hash: Hex,
  payer: Address,
): Promise<Checked<PaymentTerms>[] | Refusal> {
  const { domain, payTo, honoured } = terms;
  const receipt = await chain.receipt(hash);
  if (receipt === null) return "transaction_not_found";
  if (receipt.status !== "success") return "transaction_failed";
  const block = await chain.block(receipt.block);
  if (block === null || block.hash !== receipt.blockHash) return "transaction_not_found";
  if (!(await isDeepEnough(chain, receipt.block, confirmations))) return "transaction_not_confirmed";
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
  const facts = found.flatMap((one) => one.facts);
  const payments = await paymentsOf(db, facts);
  const own = payments.find((payment) => payment.fingerprint === fingerprint);
  const isOwn = (one: Readonly<PaymentTerms>) => own !== undefined && owns(own, one);
  const oldest = Math.max(now() - MAX_AGE_MS, since?.getTime() ?? 0);
  const checked: Checked<PaymentTerms>[] = [];
  for (const one of found.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) {
    // A transfer that this request presented before was recent at that time.
    const result = await Checked.of(one, async (written) =>
      block.timestamp * 1000 >= oldest || isOwn(written) ? null : "transaction_too_old",
    );
    if (typeof result !== "string") checked.push(result);
  }
  return checked.length > 0 ? checked : "transaction_too_old";
}

const owns = (
  known: Pick<Payment, "txHash" | "nth" | "amountUnits">,
  { settlement, amountUnits }: Readonly<PaymentTerms>,
) => settlement?.txHash === known.txHash && settlement?.nth === known.nth && amountUnits === known.amountUnits;
