/** Payments as rows: what is known of one, the names of its economic facts, and how to find them. */
import { hash } from "node:crypto";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { ClaimedBy, SettledAt } from "../../core/payments/claims.ts";
import type { Operation } from "../../core/payments/prices.ts";
import { MAX_CHAIN_REFUSALS, type PaymentState } from "../../core/payments/states.ts";
import { payment } from "../schema/payments.ts";
import { statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

/** Where the money moved, as our own node has it. */
export type Settlement = {
  txHash: Hex;
  logIndex: number;
  /** Which of the transfers of its value between its payer and its payee in the transaction it is (core/payments/transfers.ts). */
  nth: number;
  block: number;
  blockHash: Hex;
};
export type StoredReply = { status: number; headers: Record<string, string>; body: string };

/** Everything a payer has signed or sent. The ledger writes all of it together, and only once it is `Checked`. */
export type PaymentTerms = {
  /** The key of its payment method (payments/methods.ts). */
  method: string;
  payer: Address;
  payee: Address;
  chainId: number;
  asset: Address;
  amountUnits: bigint;
  /** As given, for settling it again; null when there is nothing to settle. */
  credential: unknown;
  validBefore: Date | null;
  /** Names of its economic facts (`authorizationFact`, `transferFact`, `challengeFact`). */
  facts: string[];
  /** Of the credential as given, with all it says (`digestOf`). */
  digest: string;
  /** For a transfer that has happened already: where, when and by whom. */
  settlement?: Settlement & SettledAt;
};

/** What a request knows a payment by: enough to find it and to resume it, never to write it. */
export type PaymentName = Pick<PaymentTerms, "facts" | "digest"> & {
  /** The name its client gives to it (`identifierFact`), which no other payment may have. */
  identifier: string | null;
};

export type Presenter = {
  by: ClaimedBy;
  /** The authenticated wallet of the request; null where none is asked for. */
  wallet: Address | null;
  /** Of the request. */
  fingerprint: string;
};

/** What a request wants of a payment. */
export type PaymentClaim = Presenter & {
  operation: Operation;
  uniqueKey: string | null;
  effect: unknown;
  sinceBlock: number;
  /** Hash of the network it comes from. */
  client: string | null;
};

/** Fingerprint of a credential: of its parts, in order. */
export const digestOf = (...parts: (string | number | bigint | null)[]): string =>
  hash("sha256", JSON.stringify(parts.map((part) => (part === null ? null : String(part)))), "hex");

/** Names an authorization of EIP-3009. */
export const authorizationFact = (chainId: number, asset: Address, from: Address, nonce: Hex): string =>
  `${chainId}:${asset}:${from}:${nonce}`;
/** A transfer as the ledger knows it. */
export type NamedTransfer = Pick<PaymentTerms, "chainId" | "payer" | "payee" | "amountUnits"> &
  Pick<Settlement, "txHash" | "nth">;

/** Names a transfer by nothing that a reorganisation changes: where it is in its block is no part of it. */
export const transferFact = ({ chainId, txHash, payer, payee, amountUnits, nth }: NamedTransfer): string =>
  `${chainId}:${txHash}:${payer}:${payee}:${amountUnits}:${nth}`;

/** The unique key of a challenge of MPP that was answered: only one payment pays for it. */
export const challengeFact = (chainId: number, challengeId: string): string => `mpp:${chainId}:${challengeId}`;

/** Names a payment as its payer's client does. */
export const identifierFact = (payer: Address, identifier: string): string => `x402-id:${payer}:${identifier}`;

export const PAYMENT_ROW = {
  ...columnsOf(payment, {
    without: [
      ...(["chainRefusals", "sweptAt", "lease", "leaseUntil"] as const),
      ...(["answerStatus", "answerHeaders", "answerBody"] as const),
    ],
  }),
  amountUnits: t.uint256,
  answer: t.nullable(t.jsonb<StoredReply>()),
  /** How long it has been in its state, by the database's clock. */
  restedMs: t.float8,
};
export type Payment = t.RowOf<typeof PAYMENT_ROW>;

export const COLUMNS = t.fieldsOf(PAYMENT_ROW, {
  as: {
    answer: `case when answer_status is not null then
      jsonb_build_object('status', answer_status, 'headers', answer_headers, 'body', answer_body) end`,
    restedMs: "extract(epoch from clock_timestamp() - updated_at)::float8 * 1000",
  },
});

/** The payments that own any of these facts. */
export const paymentsOf = statement({
  name: "payments-by-facts",
  given: (facts: string[]) => ({ facts }),
  params: { facts: t.array(t.text) },
  text: `
    select ${COLUMNS} from offchain.payment
    where payment_id in (select payment_id from offchain.payment_fact where fact = any($facts))`,
  columns: PAYMENT_ROW,
}).rows;

const ROWS_PER_READ = 500;

/** The money of such a payment still has to be looked for on its chain. */
export const UNDECIDED = `(block is not null and final_at is null and state <> 'lost'
  or state in ('new', 'settling') or state = 'released' and credential is not null)`;

/** Payments of one request that are paid and have bought nothing yet, the oldest first: what a crash has left. */
export const paidPaymentsOf = statement({
  name: "payments-paid-by-request",
  params: { wallet: t.text, fingerprint: t.text },
  text: `
    select ${COLUMNS} from offchain.payment where wallet = $wallet and fingerprint = $fingerprint and state = 'paid'
    order by created_at, payment_id limit ${ROWS_PER_READ}`,
  columns: PAYMENT_ROW,
}).rows;

/** Every payment in a state, or in any state, the oldest first; for the operator and tests. */
export const paymentsInState = statement({
  name: "payments-in-state",
  given: (state: PaymentState | null) => ({ state }),
  params: { state: t.nullable(t.text) },
  text: `
    select ${COLUMNS} from offchain.payment where $state::text is null or state = $state
    order by created_at, payment_id`,
  columns: PAYMENT_ROW,
}).rows;

/** Undecided payments of chains that are not configured, the oldest first. @param chains that are configured */
export const unwatchedPayments = statement({
  name: "payments-unwatched",
  params: { chains: t.array(t.int8) },
  text: `
    select ${COLUMNS} from offchain.payment where chain_id <> all($chains) and ${UNDECIDED}
    order by created_at, payment_id`,
  columns: PAYMENT_ROW,
}).rows;

/** The credits of a wallet at a recipient, of one of these amounts: those whose money is final first, then the oldest. */
export const creditsOf = statement({
  name: "payments-credits",
  given: (transfer: { wallet: Address; payee: Address; amounts: readonly bigint[] }) => ({
    ...transfer,
    amounts: transfer.amounts.map(String),
  }),
  params: { wallet: t.text, payee: t.text, amounts: t.array(t.numeric) },
  text: `
    select ${COLUMNS} from offchain.payment
    where (payer = $wallet or wallet = $wallet) and state = 'refund_due' and payee = $payee
      and amount_units = any($amounts) and chain_refusals < ${MAX_CHAIN_REFUSALS}
    order by final_at is null, created_at, payment_id limit ${ROWS_PER_READ}`,
  columns: PAYMENT_ROW,
}).rows;
